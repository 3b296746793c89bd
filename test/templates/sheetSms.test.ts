import { picked } from '../e2e/lib/workflowFiles';
import { PHONE, SHIPPED, useTemplate } from './run';

const SHEET = { documentId: picked('sheet') };

const template = useTemplate('sheet-sms', {
  'Send the SMS': SHIPPED,
  'Every hour': {},
  'Read the sheet': SHEET,
  'Write the status': SHEET,
});

const { n8n } = template;

const row = (order: string, phone = PHONE) => ({ phone, name: '李雷', order, date: '6月3日' });

const sheet = async () => await template.run('Every hour', {});

test('one SMS for each row, and the status into the row', async () => {
  n8n.sheet = [row('A-1'), row('A-2', '1381'), row('A-3', '13810000011')];
  await sheet();
  expect(template.sentTo(PHONE)).toEqual([{ name: '李雷', order: 'A-1', date: '6月3日' }]);
  expect(template.sentTo('13810000011')).toHaveLength(1);
  expect(n8n.sheet).toMatchObject([
    { status: 'accepted', reason: '' },
    { status: 'rejected', reason: expect.stringContaining('1381') as unknown },
    { status: 'accepted' },
  ]);
});

test('a row is sent once, also where its status could not be written; what was refused, again', async () => {
  n8n.sheet = [row('A-1'), row('A-2', '1381')];
  await sheet();
  n8n.sheet[1] = { ...n8n.sheet[1], phone: '13810000011' };
  await sheet();
  expect(template.sentTo(PHONE)).toHaveLength(1);
  expect(n8n.sheet).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
  n8n.sheet = [row('A-1')];
  await sheet();
  // The same number, written otherwise.
  n8n.sheet = [row('A-1', `+86 ${PHONE}`)];
  await sheet();
  expect(template.sentTo(PHONE)).toHaveLength(1);
  expect(n8n.sheet).toMatchObject([{ status: 'skipped' }]);
});

test('a row that may have been sent stays as it is', async () => {
  n8n.sheet = [{ ...row('A-1'), status: 'unknown' }];
  await sheet();
  expect(template.sentTo(PHONE)).toEqual([]);
  expect(n8n.sheet).toMatchObject([{ status: 'unknown' }]);
});

test('the rows of a CSV file come back with their status, in one file', async () => {
  const { output, runs } = await template.run('A CSV file', row('A-1'), row('A-2', '1381'));
  expect(output('Give it back')).toEqual([
    { ...row('A-1'), status: 'accepted', reason: '' },
    {
      ...row('A-2', '1381'),
      status: 'rejected',
      reason: expect.stringContaining('1381') as unknown,
    },
  ]);
  expect(runs('Give it back')).toBe(1);
});
