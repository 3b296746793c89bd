import { AS_IMPORTED, at, NONSENSE, refuseMails } from './deviations';
import { ADDRESS, OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'balance-low',
  { 'Send an SMS': { ...OWN, phoneNumbers: PHONE }, 'Send a mail': ADDRESS },
  '短信余额仅剩${balance}条，请及时充值。',
  AS_IMPORTED,
);

const hour = async () => await template.run('Every hour', {});

test('below the threshold: one SMS and one mail in a day, and in the next day again', async () => {
  template.gateway.state.balance = 1000;
  await hour();
  expect(template.n8n.mails).toEqual([]);
  template.gateway.state.balance = 999;
  await hour();
  await hour();
  expect(template.sentTo(PHONE)).toEqual([{ balance: '999' }]);
  expect(template.n8n.mails).toEqual([
    expect.stringMatching(/^SMS: the balance is 999\n(.|\n)*that says so: accepted/),
  ]);
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 24 * 3_600_000);
  await hour();
  clock.mockRestore();
  expect(template.sentTo(PHONE)).toHaveLength(2);
  expect(template.n8n.mails).toHaveLength(2);
});

test('nothing left: the mail says that the SMS was not sent', async () => {
  template.gateway.state.balance = 0;
  await hour();
  expect(template.n8n.mails).toEqual([expect.stringMatching(/that says so: rejected .+/)]);
});

const { gateway, n8n } = template;

const BALANCE = '/sendsms/balance';

/** The service's next answer to the question for the balance. */
const answer = (body: object, status: number) =>
  gateway.fault({ kind: 'status', path: BALANCE, status, body });

describe('deviations', () => {
  beforeEach(() => {
    gateway.state.balance = 999;
  });

  test.each<[string, number]>([
    ['the mail server is away for five seconds: the same execution mails', 2],
    ['the mail server is away for longer: it fails, and the next hour mails', 5],
  ])('%s', async (_, refused) => {
    refuseMails(n8n, refused);
    const { error } = await hour();
    expect(Boolean(error)).toBe(refused === 5);
    await hour();
    await hour();
    expect(n8n.mails).toHaveLength(1);
    expect(template.sentTo(PHONE)).toHaveLength(1);
  });

  test('n8n is killed before the mail: the next hour mails, and no second SMS is sent', async () => {
    const killed = n8n.killAt('Send a mail');
    void hour();
    await killed;
    await hour();
    expect(n8n.mails).toEqual([expect.stringContaining('that says so: skipped')]);
    expect(template.sentTo(PHONE)).toHaveLength(1);
  });

  test('the SMS was refused, and the mail server is away: the next hour tries both', async () => {
    template.refuse();
    refuseMails(n8n, 5);
    await hour();
    await hour();
    expect(template.sentTo(PHONE)).toHaveLength(2);
    expect(n8n.mails).toEqual([expect.stringContaining('that says so: accepted')]);
  });

  test.each<[string, object, number]>([
    ['the service is away', { code: 500 }, 503],
    ['no balance', { code: 0 }, 200],
    ['no balance, in an array', [{ code: 0, msg: 'success' }], 200],
    ['no number', { code: 0, balance: 'many' }, 200],
  ])('%s: the execution fails, and the next hour tells', async (_, body, status) => {
    answer(body, status);
    const { error } = await hour();
    expect(error).toBeDefined();
    expect(n8n.mails).toEqual([]);
    await hour();
    expect(n8n.mails).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['a text', { code: 0, balance: '12.50' }],
    ['under data', { code: 0, data: { balance: 12.5 } }],
    ['below nothing', { code: 0, balance: -12.5 }],
  ])('the balance is %s', async (_, body) => {
    answer(body, 200);
    await hour();
    expect(template.sentTo(PHONE)).toEqual([
      { balance: expect.stringMatching(/^-?12\.50?$/) as unknown },
    ]);
    expect(n8n.mails).toEqual([expect.stringMatching(/^SMS: the balance is -?12\.5/)]);
    expect(n8n.mails[0]).not.toMatch(NONSENSE);
  });

  test('the day begins at midnight in Shanghai, with the settings that an import has', async () => {
    for (const time of ['15:30', '16:30']) await at(`2026-06-03T${time}:00Z`, hour);
    expect(n8n.mails).toHaveLength(2);
  });
});
