import type { IDataObject } from 'n8n-workflow';

import { decide, type Reply } from '../../examples/src/reply-keyword/decision';
import { refuseMails } from './deviations';
import { ADDRESS, OWN, PHONE, reply, useTemplate } from './run';

const template = useTemplate(
  'reply-keyword',
  { 'To a person': ADDRESS, Answer: OWN },
  '您的预约已${result}。',
);

const { n8n, come } = template;

const QUESTION = '您预约的时间是明天9点。确认请回复1，取消请回复2。';

/** So many minutes ago, as the service says it, and as the trigger does. */
const ago = (minutes: number) => Math.floor(Date.now() / 1000) - minutes * 60;
const iso = (minutes: number) => new Date(ago(minutes) * 1000).toISOString();

/** An answer to the question, as the service gives it. */
const answer = (phone: string, content: string, minutes = 1) => ({
  ...reply(phone, content),
  sms_content: QUESTION,
  time: ago(minutes),
});

const listed = () => (n8n.tables.get('sms_opt_outs') ?? []).map(({ phone_number }) => phone_number);

test.each([
  ['1', '确认'],
  [' １。', '确认'],
  ['2', '取消'],
])('%j is answered with %s', async (content, result) => {
  await come(answer(PHONE, content));
  expect(template.sentTo(PHONE)).toEqual([{ result }]);
  expect(n8n.mails).toEqual([]);
});

test('the same keyword in a later reply is answered again', async () => {
  await come(answer(PHONE, '1', 2));
  await come(answer(PHONE, '1', 1));
  expect(template.sentTo(PHONE)).toHaveLength(2);
});

test.each(['TD', 'td ', 'Ｔ', '退订'])('%j opts out once, without an answer', async (content) => {
  await come(answer(PHONE, content));
  await come(answer(PHONE, content, 0));
  expect(listed()).toEqual([PHONE]);
  expect(template.sentTo(PHONE)).toEqual([]);
});

test('a machine that says 1 without end is answered five times a day, then a person is told', async () => {
  for (let minutes = 9; minutes > 0; minutes--) await come(answer(PHONE, '1', minutes));
  expect(template.sentTo(PHONE)).toHaveLength(5);
  expect(n8n.mails).toHaveLength(4);
  expect(n8n.mails[0]).toMatch(/not sent \(rejected\): .*had 5 today/);
});

test('a person hears of an answer that was not sent', async () => {
  template.refuse();
  await come(answer(PHONE, '1'));
  expect(n8n.mails).toEqual([expect.stringMatching(/not sent \(rejected\): .*余额不足/)]);
});

/** What each number gets, what is mailed, and who is listed. */
interface Outcome {
  sent?: Record<string, string[]>;
  mails?: RegExp[];
  listed?: string[];
  /** Rows that the owner has typed into the list. */
  list?: string[];
}

/** What comes from outside: the records of each execution. */
type Case = [what: string, pages: IDataObject[][], outcome: Outcome];

const one: IDataObject = {
  ...{ event: 'reply', phone_number: PHONE, mobile: Number(PHONE), content: '1' },
  ...{ time: ago(1), time_iso: iso(1), sms_content: QUESTION, page_id: 'page' },
};
const two = { ...one, content: '2' };
const stop = { ...one, content: 'TD' };
const at = (record: IDataObject, minutes: number) => ({ ...record, time_iso: iso(minutes) });
const OTHER = '13810000012';
const other = { ...one, phone_number: OTHER };

const CONFIRMED = { [PHONE]: ['确认'] };
const CANCELLED = { [PHONE]: ['取消'] };
const SPARED = /\n1\n(.|\n)*is on the opt-out list/;

test.each<Case>([
  ['a reply comes twice in a page', [[one, one]], { sent: CONFIRMED }],
  [
    'a page comes again',
    [
      [other, one],
      [other, one],
    ],
    { sent: { ...CONFIRMED, [OTHER]: ['确认'] } },
  ],
  [
    'a page comes again, each record alone',
    [[one, two], [{ ...one, page_id: 'page/1' }], [{ ...two, page_id: 'page/2' }]],
    { sent: CANCELLED },
  ],
  // F9
  [
    '1, 1, 1, 2, 1 of one person in one page: the last word, one answer',
    [[at(one, 9), at(one, 8), at(one, 7), at(two, 6), at(one, 5)]],
    { sent: CONFIRMED },
  ],
  ['the last word by its time, not its place', [[at(two, 2), at(one, 9)]], { sent: CANCELLED }],
  [
    'the last word of each number',
    [[one, other, two]],
    { sent: { ...CANCELLED, [OTHER]: ['确认'] } },
  ],
  [
    'a keyword, then a question: the one is answered, the other a person’s',
    [[one, { ...one, content: '几点？' }]],
    { sent: CONFIRMED, mails: [/\n几点？(.|\n)*no keyword/] },
  ],
  [
    'a page comes again with an opt-out',
    [
      [stop, one],
      [stop, one],
    ],
    { listed: [PHONE], mails: [SPARED, SPARED] },
  ],
  [
    'an opt-out behind the keyword, whatever its age',
    [[one, at(stop, 6000), other]],
    { listed: [PHONE], sent: { [OTHER]: ['确认'] }, mails: [SPARED] },
  ],
  [
    'a keyword after an opt-out',
    [[stop], [two]],
    { listed: [PHONE], mails: [/\n2\n(.|\n)*is on the opt-out list: nothing was done/] },
  ],
  // F6, with all words in optOuts.test.ts
  [
    'what may be one is listed until a person has decided',
    [[{ ...one, content: 'TD 张三' }, one]],
    { listed: [PHONE], mails: [SPARED, /delete the row/] },
  ],
  [
    'a complaint does not hide the opt-out before it',
    [[stop], [{ ...one, content: '投诉' }]],
    { listed: [PHONE, PHONE], mails: [/delete the row/] },
  ],
  ...[
    ...['138 1000 0010', '+8613810000010', '138-1000-0010', '１３８１０００００１０'],
    '13810000010；13800138000',
  ].map((typed): Case => [
    `the owner has typed ${typed} into the list`,
    [[one]],
    { list: [typed], listed: [typed], mails: [SPARED] },
  ]),
  ['somebody else is on the list', [[one]], { list: [OTHER], listed: [OTHER], sent: CONFIRMED }],
  ['older than an hour', [[at(one, 61)]], { mails: [/older than an hour/] }],
  ['59 minutes old', [[at(one, 59)]], { sent: CONFIRMED }],
  ['a time that is hours ahead', [[at(one, -120)]], { mails: [/older than an hour/] }],
  ['no time', [[{ ...one, time_iso: undefined }]], { mails: [/has no time/] }],
  ['a time that is none', [[{ ...one, time_iso: 'soon' }]], { mails: [/has no time/] }],
  [
    'it answers another SMS, also after the question was answered',
    [[one, { ...at(two, 0), sms_content: '您的订单已发货。' }]],
    { sent: CONFIRMED, mails: [/\n2\n(.|\n)*another SMS/] },
  ],
  ['the answered text is not known', [[{ ...one, sms_content: null }]], { mails: [/another SMS/] }],
  ['no text', [[{ ...one, content: null }]], { mails: [/^SMS from 13810000010\n/] }],
  [
    'no number: nobody can be answered or listed',
    [
      [
        { event: 'reply', content: 'TD' },
        { event: 'reply', content: '1', time: 1 },
      ],
    ],
    { mails: [/^SMS from \nTD\n/, /^SMS from \n1\n/] },
  ],
  [
    'a number with 86, spaces or wide digits',
    [
      [{ ...stop, phone_number: '86 138-1000-0010' }],
      [{ ...stop, phone_number: '＋８６１３８１０００００１１' }],
      [one, other],
    ],
    { listed: [PHONE, '13810000011'], sent: { [OTHER]: ['确认'] }, mails: [SPARED] },
  ],
  [
    'a number in a longer one is nobody’s',
    [[{ ...one, phone_number: '20138100000103' }, one]],
    { sent: CONFIRMED, mails: [/rejected/] },
  ],
  ['the text is a number', [[{ ...one, content: 1 }]], { sent: CONFIRMED }],
  [
    'an unreadable answer',
    [[{ event: 'unreadable', answer: '<html>' }]],
    { mails: [/\n"<html>"\n/] },
  ],
  ['a report', [[{ event: 'deliveryReport', status: 'UNDELIV' }]], { mails: [/UNDELIV/] }],
])('%s', async (_, pages, { sent = {}, mails = [], listed: numbers = [], list = [] }) => {
  n8n.tables.set(
    'sms_opt_outs',
    list.map((phone_number, id) => ({ id, phone_number, word: '', since: '' })),
  );
  for (const page of pages) await template.run('From another workflow', ...page);
  const phones = [...template.gateway.deliveries().keys()];
  const results = phones.map((phone) => [
    phone,
    template.sentTo(phone).map(({ result }) => result),
  ]);
  expect(Object.fromEntries(results)).toEqual(sent);
  expect(n8n.mails).toEqual(mails.map((text) => expect.stringMatching(text) as unknown));
  expect(listed()).toEqual(numbers);
});

test('the mail server is away: the replies come again, each alone, until the person has been told', async () => {
  refuseMails(n8n, 1);
  template.gateway.queueReplies([
    answer('13810000011', 'TD'),
    answer(PHONE, '1'),
    answer(OTHER, 'When?'),
  ]);
  const executions = await template.poll('New replies', 2);
  expect(executions.map(({ error }) => error !== undefined)).toEqual([true, false, false, false]);
  expect(n8n.mails).toEqual([expect.stringMatching(/^SMS from 13810000012\nWhen\?/)]);
  expect([...template.gateway.deliveries()]).toEqual([[PHONE, 1]]);
  expect(listed()).toEqual(['13810000011']);
});

// F4 and F9 at once.
test('one mail is refused for good: the others are told once more at most, and nobody gets a second SMS', async () => {
  n8n.refuses = (mail) => mail.includes('refuse me');
  template.gateway.queueReplies([
    ...['1', '1', '2', '1'].map((content, index) => answer(PHONE, content, 9 - index)),
    answer(OTHER, 'refuse me'),
    answer('13810000013', '几点？'),
    answer('13810000014', 'TD'),
  ]);
  await template.poll('New replies', 4);
  expect(template.sentTo(PHONE)).toEqual([{ result: '确认' }]);
  expect(listed()).toEqual(['13810000014']);
  const told = n8n.mails.filter((mail) => mail.includes('几点？'));
  expect([1, 2]).toContain(told.length);
});

test('nobody knows whether the answer was sent: a person hears of it, and it is not sent again', async () => {
  template.gateway.fault({ kind: 'status', path: '/sendsms/template/send', status: 502 });
  await template.run('From another workflow', one);
  await template.run('From another workflow', { ...one, page_id: 'page/1' });
  expect(n8n.mails).toEqual([expect.stringMatching(/not sent \(unknown\)/)]);
  expect(template.gateway.deliveries().get(PHONE) ?? 0).toBeLessThanOrEqual(1);
});

test('an opt-out has the time of the reply, in the zone of the desk', async () => {
  await come(reply(PHONE, 'TD'));
  expect(n8n.tables.get('sms_opt_outs')).toMatchObject([
    { since: '2026-01-01T00:00:00.000Z', word: 'TD' },
  ]);
});

/** Any replies of three numbers, against the design in other words. */
test('random executions: who says more than a keyword gets none, and nobody gets two', () => {
  const NOW = Date.parse('2026-06-03T12:00:00Z');
  const choose = <Each>(...all: Each[]): Each =>
    all[Math.floor(Math.random() * all.length)] as Each;
  const random = (): Reply => ({
    phone: choose('13810000010', '13810000011', '13810000012', ''),
    says: choose('', 'stop', 'doubt', 'confirm', 'confirm', 'cancel', 'cancel'),
    time_iso: choose(
      undefined,
      ...[0, 5, 5, 30, 59, 61].map((m) => new Date(NOW - m * 60_000).toISOString()),
    ),
    sms_content: choose(null, QUESTION, QUESTION, 'Shipped.'),
    question: '确认请回复1',
  });
  for (let round = 0; round < 3000; round++) {
    const replies = Array.from({ length: Math.ceil(Math.random() * 6) }, random);
    const listed = choose([], ['+86 138 1000 0012']);
    const done = replies.map((_, index) => decide(replies, index, listed, NOW));
    const answered = replies.filter((_, index) => /^con|^can/.test(done[index]?.does ?? ''));
    for (const { phone, time_iso, says } of answered) {
      const own = replies.filter((each) => each.phone === phone);
      expect(own.some((each) => each.says === 'stop' || each.says === 'doubt')).toBe(false);
      expect([listed.length, phone]).not.toEqual([1, '13810000012']);
      const later = own.filter(
        (each) =>
          each.says &&
          each.sms_content === QUESTION &&
          String(each.time_iso ?? '') > String(time_iso),
      );
      expect(later).toEqual([]);
      expect(says).toMatch(/confirm|cancel/);
    }
    expect(new Set(answered.map(({ phone }) => phone)).size).toBe(answered.length);
    for (const [index, { phone, says }] of replies.entries()) {
      const { does, why } = done[index] ?? {};
      if (phone && (says === 'stop' || says === 'doubt')) expect(does).toBe(says);
      // What a person is told says why.
      expect(Boolean(why)).toBe(does === 'person' || does === 'doubt');
    }
  }
});
