import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { settings, type Made } from '../kit/search/settings';
import { has, OTHER, OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'verification-code',
  { 'Send the code': OWN },
  '您的验证码是${code},${minutes}分钟内有效。',
);

const { gateway, n8n } = template;

const NOON = Date.parse('2026-06-02T12:00:00+08:00');
const at = (second: number) => template.itIs(NOON + second * 1000);

beforeEach(() => at(0));

/** What the backend is answered. */
const ask = async (body: unknown) => {
  await template.run('The backend asks', { body } as IDataObject);
  return n8n.answers.at(-1);
};

const want = (phone: unknown = PHONE) => ask({ do: 'send', phone });

const check = (code: unknown, phone = PHONE) => ask({ do: 'check', phone, code });

/** The code of the latest message. */
const sentCode = (phone = PHONE) => String(template.sentTo(phone).at(-1)?.code);

const REFUSED = { kind: 'businessCode', path: '/sendsms/template/send', code: 1007 } as const;

const SENT = { body: { sent: true }, code: 200 };

/** What the service does with a send, and the answer. */
const SENDS = {
  '': SENT,
  refusal: { body: { sent: false, reason: has('Only the editor shows why') }, code: 502 },
  'lost answer': { body: { sent: null, reason: has(/./) }, code: 502 },
};

const TOO_EARLY = {
  body: { sent: false, reason: 'A code was asked for less than a minute ago.' },
  code: 429,
};
const TOO_OFTEN = {
  body: { valid: false, reason: 'This number had five tries in five minutes.' },
  code: 429,
};
const judged = (valid: boolean) => ({ body: { valid }, code: 200 });

const ALL = Array.from({ length: 20 }, (_, nth) => nth);

/** Which of twenty tries at once have the right code, and how many of them are right. */
test.each([
  [[0], 1],
  [[2], 1],
  [[4], 1],
  [[5], 0],
  [ALL, 1],
])('tries %j of twenty at once have the code: %d is right', async (places, count) => {
  await want();
  await Promise.all(ALL.map((nth) => check(places.includes(nth) ? sentCode() : '000000')));
  const right = n8n.answers.filter(({ body }) => (body as IDataObject).valid);
  expect(right).toHaveLength(count);
});

test('ten in a day', async () => {
  for (let nth = 0; nth < 10; nth++) {
    expect(await want()).toEqual(SENT);
    at(120 * (nth + 1));
  }
  const reason = has('had 10 today');
  expect(await want()).toEqual({ body: { sent: false, reason }, code: 502 });
  expect(template.sentTo(PHONE)).toHaveLength(10);
  // Another number has its own.
  expect(await want(OTHER)).toEqual(SENT);
  at(24 * 3600 + 1200);
  expect(await want()).toEqual(SENT);
  expect(n8n.tables.get('sms_login_codes')).toHaveLength(1);
});

test('a send that is refused: the backend is told, and the code before it is still valid', async () => {
  await want();
  const code = sentCode();
  at(120);
  gateway.fault({ ...REFUSED, msg: '变量 code 的值 482913 含有不允许的内容' });
  // Who may ask for a code is not told it.
  const reason = has(/^(?!.*482913).*Only the editor shows why/);
  expect(await want()).toEqual({ body: { sent: false, reason }, code: 502 });
  expect(await check(code)).toEqual(judged(true));
});

/** What happens before the last request for a code, its answer, and the messages: the code of the last is valid. */
test.each<[what: string, play: () => unknown, answer: object, sent: number]>([
  [
    'many at once, before and behind a full minute',
    async () => {
      at(59.999);
      const first = [want(), want(), want()];
      await new Promise(setImmediate);
      at(60);
      await Promise.all([...first, want(), want()]);
    },
    TOO_EARLY,
    1,
  ],
  [
    'n8n is killed behind the send: the code is valid all the same, and the next one comes after a minute',
    async () => {
      await n8n.killAt('Answer', want);
      expect(await check(sentCode())).toEqual(judged(true));
      at(61);
    },
    SENT,
    2,
  ],
])('%s', async (_, play, answer, sent) => {
  await play();
  expect(await want()).toEqual(answer);
  expect(template.sentTo(PHONE)).toHaveLength(sent);
  expect(await check(sentCode())).toEqual(judged(true));
});

/** All cells that are none are in test/search/phoneNumbers.test.ts. */
const NO_NUMBERS = ['1381', `${PHONE},${OTHER}`, `order ${PHONE}`, { $ne: '' }, [], null, ''].map(
  (phone) => ({ do: 'send', phone }),
);

const NO_BODIES = ['nothing', '', `phone=${PHONE}`, JSON.stringify({ phone: PHONE })];

const NOT_ASKED = [undefined, null, '', 'Send', ['send'], { phone: PHONE }];

/** What is posted, and why nothing is done. */
test.each<[body: unknown, reason: unknown]>([
  ...[...NO_NUMBERS, ...NO_BODIES, [{ phone: PHONE }], {}, null].map((body): [unknown, unknown] => [
    body,
    'This is not a mobile number.',
  ]),
  ...NOT_ASKED.map((what): [unknown, unknown] => [
    { do: what, phone: PHONE, code: '123456' },
    has('"do": "send"'),
  ]),
])('nothing is done with %j', async (body, reason) => {
  expect(await ask(body)).toEqual({ body: { reason }, code: 400 });
  expect(gateway.requests).toEqual([]);
});

const wide = (digits: string) =>
  digits.replace(/\d/g, (digit) => String.fromCharCode(Number(digit) + 0xff10));

/** What is asked of one of two numbers: for a code, or whether one is right, of so many codes ago or no code. */
const asked = fc.record({
  whose: fc.constantFrom(0, 0, 0, 1),
  /** Seconds since what was asked before. */
  pause: fc.constantFrom(0, 0, 1, 30, 59, 60, 120, 299, 300, 300),
  what: fc.oneof(
    fc.constantFrom('wish' as const, 'wish' as const),
    fc.constantFrom(0, 0, 0, 1, 2, 'of the other' as const),
    fc.record({ wrong: fc.constantFrom('000000', undefined, null, '', []) }),
  ),
  /** How number and code are typed. */
  typed: fc.constantFrom<((digits: string) => unknown)[]>(
    ...[String, Number, wide, (digits: string) => ` ${digits} `],
  ),
  before: fc.constantFrom('', '+86 ', '0086'),
  meets: fc.constantFrom<(keyof typeof SENDS)[]>('', '', '', 'refusal', 'lost answer'),
});

type Asked = Made<typeof asked>;

const step = (pause: Asked['pause'], what: Asked['what']): Asked => ({
  ...{ whose: 0, pause, what, typed: String, before: '', meets: '' },
});

/** A code that is too old by nothing, and one that was tried too often and is right later. */
const HISTORIES = [
  [step(0, 'wish'), step(300, 0)],
  [
    step(0, 'wish'),
    ...ALL.slice(15).map(() => step(0, 1)),
    step(299, 'wish'),
    step(0, 0),
    step(1, 0),
  ],
];

test('in random histories: a code a minute, right once and for five minutes, five tries in five minutes', async () => {
  const histories = fc
    .array(asked, { maxLength: 20, size: 'max' })
    .filter((history) => history.filter(({ what }) => what === 'wish').length <= 10);
  const property = fc.asyncProperty(histories, async (history) => {
    template.forget();
    let now = 0;
    const people = [PHONE, OTHER].map((phone) => ({
      phone,
      codes: [] as { code: string; at: number; isUsed: boolean }[],
      tries: [] as number[],
    }));
    for (const { whose, pause, what, typed, before, meets } of history) {
      at((now += pause));
      const { phone, codes, tries } = people[whose] as (typeof people)[number];
      if (what === 'wish') {
        const isGranted = !codes.some((each) => now - each.at < 60);
        gateway.clearFaults();
        if (meets === 'refusal') template.refuse();
        if (meets === 'lost answer') gateway.fault({ kind: 'resetAfterAccept' });
        expect(await want(before ? before + phone : typed(phone))).toEqual(
          isGranted ? SENDS[meets] : TOO_EARLY,
        );
        if (!isGranted) continue;
        expect(template.sentTo(phone).at(-1)).toEqual({ code: has(/^[1-9]\d{5}$/), minutes: '5' });
        codes.push({ code: sentCode(phone), at: now, isUsed: false });
        continue;
      }
      tries.push(now);
      const isOver = tries.filter((each) => now - each < 300).length > 5;
      const known = typeof what === 'number' ? codes.at(-1 - what) : undefined;
      const other = people[1 - whose]?.codes.at(-1)?.code;
      const entered =
        typeof what === 'object' ? what.wrong : typed(known?.code ?? other ?? '000000');
      const isRight = known?.isUsed === false && now - known.at < 300;
      expect(await check(entered, before + phone)).toEqual(isOver ? TOO_OFTEN : judged(isRight));
      if (known && !isOver) known.isUsed = true;
    }
    // No code is kept.
    for (const { hash, ...row } of n8n.tables.get('sms_login_codes') ?? []) {
      expect(hash).toMatch(/^[\da-f]{64}$/);
      expect(Object.keys(row).sort()).toEqual(['at', 'createdAt', 'id', 'kind', 'phone']);
    }
  });
  const examples = HISTORIES.map((each): [typeof each] => [each]);
  await fc.assert(property, { ...settings(20), examples });
});
