import { fieldsWith, readExample } from '../kit/workflows/workflowFiles';
import { ADDRESS, AS_IMPORTED, at, NONSENSE, OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'balance-low',
  { 'Send an SMS': { ...OWN, phoneNumbers: PHONE }, 'Send a mail': ADDRESS },
  '短信余额仅剩${balance}条，请及时充值。',
  AS_IMPORTED,
);

const hour = async () => await template.run('Every hour', {});

/** It is noon in Shanghai. */
beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-06-03T12:00:00+08:00'));
});
afterEach(() => jest.restoreAllMocks());

const { gateway, n8n } = template;

const BALANCE = '/sendsms/balance';

test('below the threshold: one SMS and one mail in a day, and in the next day again', async () => {
  gateway.state.balance = 1000;
  await hour();
  expect(n8n.mails).toEqual([]);
  gateway.state.balance = 999;
  await hour();
  await hour();
  expect(template.sentTo(PHONE)).toEqual([{ balance: '999' }]);
  expect(n8n.mails).toEqual([
    expect.stringMatching(/^SMS: the balance is 999\n(.|\n)*that says so: accepted/),
  ]);
  await at('2026-06-04T12:00:00+08:00', hour);
  expect(template.sentTo(PHONE)).toHaveLength(2);
  expect(n8n.mails).toHaveLength(2);
});

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
    n8n.refuseMails(refused);
    const { error } = await hour();
    expect(Boolean(error)).toBe(refused === 5);
    await hour();
    await hour();
    expect(n8n.mails).toHaveLength(1);
    expect(template.sentTo(PHONE)).toHaveLength(1);
  });

  test('nothing left: the mail says that the SMS was not sent', async () => {
    gateway.state.balance = 0;
    await hour();
    expect(n8n.mails).toEqual([expect.stringMatching(/that says so: rejected .+/)]);
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
    n8n.refuseMails(5);
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

  /** What rings, and what is mailed, hour by hour in Shanghai while the balance is low. */
  test.each<[what: string, hours: string[], rings: string[], mails: string[]]>([
    [
      'low from 23:10 on, for two days: it rings at 8, and not at night',
      ['3T23:10', '4T00:05', '4T00:10', '4T07:59', '4T08:00', '4T12:00', '5T00:05', '5T08:05'],
      ['4T08:00', '5T08:05'],
      ['3T23:10', '4T08:00', '5T08:05'],
    ],
    ['at 20:59', ['3T20:59', '3T21:00'], ['3T20:59'], ['3T20:59']],
    ['at 21:00', ['3T21:00', '3T22:00'], [], ['3T21:00']],
    ['before 8, and again at 8', ['3T07:59', '3T08:00'], ['3T08:00'], ['3T07:59', '3T08:00']],
    ['all day', ['3T08:30', '3T13:00', '4T07:00'], ['3T08:30'], ['3T08:30']],
  ])('%s', async (_, hours, rings, mails) => {
    const rang: string[] = [];
    const mailed: string[] = [];
    for (const each of hours) {
      const before = [template.sentTo(PHONE).length, n8n.mails.length];
      await at(`2026-06-0${each}:00+08:00`, hour);
      if (template.sentTo(PHONE).length > (before[0] ?? 0)) rang.push(each);
      if (n8n.mails.length > (before[1] ?? 0)) mailed.push(each);
    }
    expect([rang, mailed]).toEqual([rings, mails]);
    expect(n8n.mails.join()).not.toMatch(NONSENSE);
  });

  test('at night the mail says when the SMS comes', async () => {
    await at('2026-06-03T23:10:00+08:00', hour);
    expect(n8n.mails).toEqual([
      expect.stringContaining('The SMS that says so: at 8 o’clock, if it is still low'),
    ]);
  });

  test('a time zone that there is not is told each day, rather than never', async () => {
    const zone = { zone: 'Asia/Shangai' };
    template.choose({ Settings: { ...fieldsWith(readExample('balance-low'), 'Settings', zone) } });
    for (const day of [3, 4]) await at(`2026-06-0${day}T12:00:00+08:00`, hour);
    expect(template.sentTo(PHONE)).toHaveLength(2);
    expect(n8n.mails).toHaveLength(2);
  });
});
