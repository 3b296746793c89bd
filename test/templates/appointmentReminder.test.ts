import { picked } from '../e2e/lib/workflowFiles';
import { ADDRESS, OWN, PHONE, useTemplate } from './run';

const CHOICES = { Remind: OWN, 'Not reminded': ADDRESS };

const TEXT = '${name}您好，提醒您明天${time}的预约。';

/** Noon in Shanghai, where the template lives. */
const NOON = '2026-06-02T12:00:00+08:00';

/** What time it is for n8n. */
const itIs = (time: string) => jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));

beforeEach(() => itIs(NOON));
afterEach(() => jest.restoreAllMocks());

const day = async () => await template.run('Every day at ten', {});

const template = useTemplate('appointment-reminder', CHOICES, TEXT);

const appointment = (time: string, phone = PHONE, date = '2026-06-03') => ({
  phone,
  name: '李雷',
  date,
  time,
});

test('each appointment of tomorrow is reminded once', async () => {
  template.n8n.tables.set('sms_appointments', [
    appointment('09:30'),
    appointment('15:00'),
    appointment('10:00', PHONE, '2026-06-04'),
  ]);
  await day();
  await day();
  expect(template.sentTo(PHONE)).toEqual([
    { name: '李雷', time: '09:30' },
    { name: '李雷', time: '15:00' },
  ]);
});

test.each(['07:30', '21:30'])('nothing at night: %s', async (time) => {
  itIs(`2026-06-02T${time}:00+08:00`);
  template.n8n.tables.set('sms_appointments', [appointment('09:30')]);
  await day();
  expect(template.sentTo(PHONE)).toEqual([]);
});

test('a wrong number is told by mail', async () => {
  template.n8n.tables.set('sms_appointments', [appointment('09:30', '1381')]);
  await day();
  expect(template.n8n.mails).toEqual([
    expect.stringMatching(/^Not reminded: 李雷, 09:30\n1381: rejected, .*1381/),
  ]);
});

describe('from a calendar', () => {
  const calendar = useTemplate(
    'appointment-reminder',
    { ...CHOICES, 'Events of tomorrow': { calendar: picked('calendar') } },
    TEXT,
  );

  test('the number stands in the description; events without one, or of another day, do nothing', async () => {
    const haircut = (dateTime: string) => ({
      summary: '李雷',
      description: `Haircut, ${PHONE}`,
      start: { dateTime },
    });
    calendar.n8n.events = [
      haircut('2026-06-02T15:00:00+08:00'),
      haircut('2026-06-03T09:30:00+08:00'),
      haircut('2026-06-04T10:00:00+08:00'),
      { summary: 'Holiday', start: { date: '2026-06-03' } },
    ];
    await calendar.run('Every day at ten', {});
    expect(calendar.sentTo(PHONE)).toEqual([{ name: '李雷', time: '09:30' }]);
    expect(calendar.n8n.mails).toEqual([]);
  });
});
