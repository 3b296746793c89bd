import fc from 'fast-check';

import { settings } from '../kit/search/settings';
import { ADDRESS, AS_IMPORTED, has, OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'balance-low',
  { 'Send an SMS': { ...OWN, phoneNumbers: PHONE }, 'Send a mail': ADDRESS },
  '短信余额仅剩${balance}条，请及时充值。',
  AS_IMPORTED,
);

const { gateway, n8n } = template;

/** It looks, at this time of Shanghai in June. */
const look = async (time: string) => {
  template.itIs(`2026-06-${time}:00+08:00`);
  return await template.run('Every hour', {});
};

/** Around the hours in which it rings. */
const TIMES = ['00:05', '07:59', '08:00', '12:00', '20:59', '21:00', '23:10'];

/** What happens at one look. */
const anyLook = fc.record({
  day: fc.constantFrom('03', '04'),
  time: fc.constantFrom(...TIMES),
  balance: fc.constantFrom(999, 999, 999, 1000, 0),
  meets: fc.constantFrom(
    '',
    '',
    'refusal',
    'mail away for 5 s',
    'mail away',
    'death',
    'refusal, mail away',
  ),
});

test('random days: once a day a mail at once and an SMS by day, until the mail is sent', async () => {
  const moments = fc.uniqueArray(anyLook, { selector: ({ day, time }) => day + time });
  const hours = fc.constantFrom([8, 21] as const, [21, 8] as const);
  const property = fc.asyncProperty(moments, hours, async (looks, [from, until]) => {
    template.forget();
    template.enter('Settings', { from, until });
    const rang = new Set<string>();
    const mailed = new Set<string>();
    for (const { day, time, balance, meets } of looks.sort((a, b) =>
      a.day + a.time < b.day + b.time ? -1 : 1,
    )) {
      const hour = Number.parseInt(time);
      const today = hour < from ? String(Number(day) - 1) : String(Number(day));
      const isNight = from < until ? hour < from || hour >= until : hour < from && hour >= until;
      const isDue = balance < 1000 && !mailed.has(today);
      const isTold = isDue && !/mail away$|death/.test(meets);
      const isRefused = balance === 0 || meets.startsWith('refusal');
      gateway.state.balance = balance;
      gateway.clearFaults();
      if (meets.startsWith('refusal')) template.refuse();
      n8n.refuseMails(meets.endsWith('mail away') ? 5 : meets.endsWith('5 s') ? 2 : 0);
      const before = template.sentTo(PHONE).length;
      if (meets === 'death' && isDue) await n8n.killAt('Send a mail', () => look(`${day}T${time}`));
      else expect((await look(`${day}T${time}`)).error !== undefined).toBe(isDue && !isTold);
      const rings = isDue && !isNight && !rang.has(today);
      expect(template.sentTo(PHONE).slice(before)).toEqual(
        rings ? [{ balance: String(balance) }] : [],
      );
      const says = isNight
        ? `at ${from} o’clock, if it is still low\\s*$`
        : !rings
          ? 'skipped'
          : isRefused
            ? 'rejected .+'
            : 'accepted';
      const mail = has(new RegExp(`^SMS: the balance is ${balance}\n(.|\n)*that says so: ${says}`));
      expect(n8n.mails.splice(0)).toEqual(isTold ? [mail] : []);
      if (rings && !isRefused) rang.add(today);
      if (isTold) mailed.add(today);
    }
  });
  await fc.assert(property, settings(20));
});

/** What the service answers to the question for the balance, and the balance that is told, if there is one. */
test.each<[what: string, body: object, status: number, told: RegExp | undefined]>([
  ['the service is away', { code: 500 }, 503, undefined],
  ['no balance', { code: 0 }, 200, undefined],
  ['no number', { code: 0, balance: 'many' }, 200, undefined],
  ['a text', { code: 0, balance: '12.50' }, 200, /^12\.50$/],
  ['under data', { code: 0, data: { balance: 12.5 } }, 200, /^12\.5$/],
  ['below nothing', { code: 0, balance: -12.5 }, 200, /^-12\.5$/],
])(
  '%s: it is told, or the execution fails, and the next hour tells',
  async (_, body, status, told) => {
    gateway.state.balance = 999;
    gateway.fault({ kind: 'status', path: '/sendsms/balance', status, body });
    const { error } = await look('03T12:00');
    expect(error === undefined).toBe(told !== undefined);
    expect(template.sentTo(PHONE)).toEqual(told ? [{ balance: has(told) }] : []);
    expect(n8n.mails).toEqual(
      told ? [has(`balance is ${template.sentTo(PHONE)[0]?.balance}`)] : [],
    );
    await look('03T13:00');
    expect(n8n.mails).toHaveLength(1);
  },
);

test('a time zone that there is not is told each day, rather than never', async () => {
  template.enter('Settings', { zone: 'Asia/Shangai' });
  gateway.state.balance = 999;
  for (const day of ['03', '04']) await look(`${day}T12:00`);
  expect(template.sentTo(PHONE)).toHaveLength(2);
  expect(n8n.mails).toHaveLength(2);
});
