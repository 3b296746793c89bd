/** The reasons that the desk writes itself: one of a thing is said in the singular, and Chinese pages say them in Chinese. */
import { DateTime } from 'luxon';

import { fill } from '../../builder/code/lang';
import { recipientsOf } from '../src/common/messages/outbox';
import { reasonIn, said, type Why } from '../src/common/messages/reasons';
import { items } from '../../test/kit/workflows/codeNode';
import { taken } from './take';

const NOON = DateTime.fromISO('2026-06-03T12:00:00', { zone: 'Asia/Shanghai' }) as DateTime<true>;
const PHONE = '13810000001';
const row = (id: number | null, fields: object = {}) => ({
  ...{ id, run: '9:0', phone_number: PHONE, status: 'claimed', template: '301', key: '' },
  ...{ class: 'notice', parameters: '{}', sent_at: NOON.toISO(), createdAt: NOON.toISO() },
  ...fields,
});
const before = (fields: object) => row(1, { run: '8:0', key: 'k', ...fields });

interface Given {
  own?: object;
  others?: object[];
  rules?: object[];
  optOuts?: object[];
  hour?: number;
}

/** Why a message does not go. */
function reasonOf({ own, others = [], rules = [], optOuts = [], hour = 12 }: Given): Partial<Why> {
  const now = NOON.set({ hour });
  const world = { outbox: others, rules, optOuts, now };
  return taken([row(null, { key: 'k', ...own })], world)[0] ?? {};
}

const ROOM = [
  { class: 'all', per_day: 2 },
  { class: 'reserved', per_day: 1 },
];

const REFUSED: [Given, string, string][] = [
  [
    { optOuts: [{ phone_number: PHONE, since: '2026-06-01T10:00:00Z' }] },
    'The customer has opted out on 2026-06-01.',
    '客户已于 2026-06-01 退订。',
  ],
  [{ optOuts: [{ phone_number: PHONE }] }, 'The customer has opted out.', '客户已退订。'],
  [{ hour: 22 }, 'It waits until 2026-06-04 08:00.', '等待至 2026-06-04 08:00。'],
  [
    { hour: 22, own: { class: 'marketing' }, rules: [{ class: 'marketing' }] },
    "Messages of the class marketing go from 9 to 20 o'clock.",
    '类别 marketing 的短信只在 9 点至 20 点发送。',
  ],
  [
    { rules: [{ class: 'notice', from_hour: 9, to_hour: 9 }] },
    'Messages of the class notice never go: in sms.rules no hour is from 9 to 9.',
    '类别 notice 的短信不会发送：sms.rules 中 9 点至 9 点没有可发送的时段。',
  ],
  [
    { others: [before({ key: '' })], rules: [{ class: 'notice', per_hour: 1 }] },
    'This number has had 1 message of the class notice in 1 hour.',
    '此号码 1 小时内已有 1 条类别 notice 的短信。',
  ],
  [
    {
      others: [1, 2].map((id) => row(id, { run: '8:0' })),
      rules: [{ class: 'notice', per_day: 2 }],
    },
    'This number has had 2 messages of the class notice in 24 hours.',
    '此号码 24 小时内已有 2 条类别 notice 的短信。',
  ],
  [
    { others: [before({ key: '', phone_number: '1' })], rules: [{ class: 'all', per_day: 1 }] },
    "The day's limit of 1 message is reached: see the table sms.rules.",
    '已达到每日限额 1 条：见表 sms.rules。',
  ],
  [
    { others: [before({ key: '', phone_number: '1' })], rules: ROOM },
    "Of the day's limit of 2 messages, the last 1 is for codes and alarms: see the table sms.rules.",
    '每日限额 2 条中，最后 1 条留给验证码和告警：见表 sms.rules。',
  ],
  [
    { others: [before({ status: 'accepted' })] },
    'Not sent again under the key "k": the first message with it is accepted.',
    '键 “k” 已使用，不再发送：该键的第一条短信已受理。',
  ],
  [
    { others: [before({ status: 'waiting' })] },
    'Not sent again under the key "k": the first message with it is waiting.',
    '键 “k” 已使用，不再发送：该键的第一条短信在等待发送。',
  ],
  [
    { others: [before({})] },
    'Not sent again under the key "k": the first message with it is being sent, or was interrupted: it may have been sent.',
    '键 “k” 已使用，不再发送：该键的第一条短信正在发送，或已中断：可能已发出。',
  ],
  [
    { others: [before({ sent_at: NOON.minus({ hours: 1 }).toISO() })] },
    'Not sent again under the key "k": An earlier execution was interrupted: it may have been sent.',
    '键 “k” 已使用，不再发送：之前的执行中断：可能已发出。',
  ],
  [
    { others: [before({ status: 'unknown', reason: 'HTTP 502: try again' })] },
    'Not sent again under the key "k": HTTP 502: try again',
    '键 “k” 已使用，不再发送：HTTP 502: try again',
  ],
];

test.each(REFUSED)('%j: in English and Chinese', (given, en, zh) => {
  const reason = reasonOf(given);
  expect(reasonIn('en', reason)).toBe(en);
  expect(reasonIn('zh', reason)).toBe(zh);
});

test('why a message gets no row is said in Chinese too', () => {
  const message = { phone: PHONE, template_id: '301' };
  const problems = recipientsOf(
    items(
      { ...message, template_id: '' },
      { ...message, template_id: 'x' },
      { ...message, signature_id: 'x' },
      { ...message, parameters: 'x' },
      { ...message, phone: '' },
      { ...message, phone: { a: 1 } },
      { ...message, phone: 'Mrs. Wang' },
    ),
  ).map(({ problem }) => problem);
  expect(new Set(problems).size).toBe(7);
  for (const problem of problems) expect(reasonIn('zh', problem ?? {})).toMatch(/[一-龥]/);
});

test.each(['余额不足', 'MB:0253', 'The customer has opted', '', 'x The customer has opted out.'])(
  'what the service says stays as it is: %j',
  (reason) => {
    expect(reasonIn('zh', said(reason))).toBe(reason);
  },
);

test('a place for one and for more', () => {
  const text = '{n} {n|report has|reports have} come, {m}.';
  const said = (n: string | number) => fill(text, { n });
  expect(said(1)).toBe('1 report has come, {m}.');
  expect(said('1')).toBe(said(1));
  expect(said(0)).toBe('0 reports have come, {m}.');
  expect(said('1,001')).toBe('1,001 reports have come, {m}.');
});
