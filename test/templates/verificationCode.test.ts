import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { settings } from '../kit/search/settings';
import { OWN, PHONE, useTemplate } from './run';

const template = useTemplate(
  'verification-code',
  { 'Send the code': OWN },
  '您的验证码是${code},${minutes}分钟内有效。',
);

const { n8n } = template;

const START = Date.parse('2026-06-02T12:00:00+08:00');
let now = START;

beforeEach(() => {
  now = START;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

const later = (minutes: number) => (now += minutes * 60_000);

const ask = (body: unknown) => template.run('The backend asks', { body } as IDataObject);

const want = async (phone: unknown = PHONE) => {
  await ask({ do: 'send', phone });
  return n8n.answers.at(-1);
};

/** Whether each of the codes is valid, which are entered at once. */
const checkAll = async (codes: unknown[], phone = PHONE) => {
  await Promise.all(codes.map((code) => ask({ do: 'check', phone, code })));
  return n8n.answers.slice(-codes.length).map(({ body }) => (body as IDataObject).valid);
};

const check = async (code: unknown, phone = PHONE) => (await checkAll([code], phone))[0];

/** The code of the latest message. */
const sentCode = () => String(template.sentTo(PHONE).at(-1)?.code);

/** Another one. */
const wrong = () => String(100_000 + ((Number(sentCode()) + 1) % 900_000));

test('a code is sent, and valid once', async () => {
  expect(await want()).toEqual({ body: { sent: true }, code: 200 });
  expect(template.sentTo(PHONE)).toEqual([
    { code: expect.stringMatching(/^[1-9]\d{5}$/) as unknown, minutes: '5' },
  ]);
  expect(await check(wrong())).toBe(false);
  later(4);
  expect(await check(sentCode())).toBe(true);
  expect(await check(sentCode())).toBe(false);
});

test('not of another number, nor before there is one', async () => {
  expect(await check('000000')).toBe(false);
  await want();
  expect(await check(sentCode(), '13810000011')).toBe(false);
});

const ALL = Array.from({ length: 20 }, (_, at) => at);

/** Which of twenty tries at once have the right code, and how many of them are right. */
test.each([
  [[0], 1],
  [[2], 1],
  [[4], 1],
  [[5], 0],
  [ALL, 1],
])('tries %j of twenty at once have the code: %d is right', async (places, count) => {
  await want();
  const verdicts = await checkAll(ALL.map((at) => (places.includes(at) ? sentCode() : wrong())));
  expect(verdicts.filter(Boolean)).toHaveLength(count);
});

const TOO_EARLY = {
  body: {
    sent: false,
    reason: 'A code was asked for less than a minute ago.',
  },
  code: 429,
};

test('ten in a day', async () => {
  for (let count = 0; count < 10; count++) {
    expect(await want()).toMatchObject({ code: 200 });
    later(2);
  }
  const reason = expect.stringContaining('had 10 today') as unknown;
  expect(await want()).toEqual({ body: { sent: false, reason }, code: 502 });
  expect(template.sentTo(PHONE)).toHaveLength(10);
  // Another number has its own.
  expect(await want('13810000011')).toMatchObject({ code: 200 });
  later(24 * 60);
  expect(await want()).toMatchObject({ code: 200 });
  expect(n8n.tables.get('sms_login_codes')).toHaveLength(1);
});

test('a send that is refused: the backend is told, and the code before it is still valid', async () => {
  await want();
  const code = sentCode();
  later(2);
  template.refuse();
  expect(await want()).toMatchObject({ body: { sent: false }, code: 502 });
  expect(await check(code)).toBe(true);
});

const MAY_BE = {
  body: { sent: null, reason: expect.any(String) as unknown },
  code: 502,
};

const at = (second: number) => (now = START + second * 1000);

test('five tries in five minutes; a code that was tried too often is right later', async () => {
  await want();
  await checkAll(Array.from({ length: 5 }, wrong));
  at(299);
  await want();
  expect(await check(sentCode())).toBe(false);
  const reason = 'This number had five tries in five minutes.';
  expect(n8n.answers.at(-1)).toEqual({ body: { valid: false, reason }, code: 429 });
  at(300);
  expect(await check(sentCode())).toBe(true);
});

/** What happens before the last request for a code, its answer, and the messages: the code of the last is valid. */
type Row = [what: string, play: () => unknown, answer: object, sent: number];

const SENT = { body: { sent: true }, code: 200 };

/** What users and services do, and what the owner expects of the answer and on the phone. */
test.each<Row>([
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
    'who asks too early again and again gets one after 60 s',
    async () => {
      for (const second of [0, 20, 40, 59]) {
        at(second);
        await want();
      }
      at(60);
    },
    SENT,
    2,
  ],
  [
    'no clear answer of the service: nobody says that it was sent',
    () => template.gateway.fault({ kind: 'resetAfterAccept' }),
    MAY_BE,
    1,
  ],
  [
    'n8n is killed behind the send: the code is valid all the same, and the next one comes after a minute',
    async () => {
      const killed = n8n.killAt('Answer');
      void want();
      await killed;
      expect(await check(sentCode())).toBe(true);
      at(61);
    },
    SENT,
    2,
  ],
])('%s', async (_, play, answer, sent) => {
  await play();
  expect(await want()).toEqual(answer);
  expect(template.sentTo(PHONE)).toHaveLength(sent);
  expect(await check(sentCode())).toBe(true);
});

const NO_NUMBERS = [
  ...['1381', `${PHONE}0`, `${PHONE},13810000011`, `${PHONE} 13810000011`, `order ${PHONE}`],
  ...[`20${PHONE}3456`, '1 381 000 0010', '1381000001-0', '13,810,000,010', '13810000.010'],
  ...[`+1${PHONE}`, `+852 ${PHONE}`, { $ne: '' }, [], null, ''],
].map((phone) => ({ do: 'send', phone }));

const NO_BODIES = ['nothing', '', `phone=${PHONE}`, JSON.stringify({ phone: PHONE })];

test.each([...NO_NUMBERS, ...NO_BODIES, [{ phone: PHONE }], {}, null].map((body) => [body]))(
  'there is no mobile number in %j',
  async (body) => {
    await ask(body);
    expect(n8n.answers).toEqual([{ body: { reason: 'This is not a mobile number.' }, code: 400 }]);
    expect(template.gateway.requests).toEqual([]);
  },
);

test.each([undefined, null, '', 'Send', ['send'], { phone: PHONE }])(
  'what is not asked is not done: %p',
  async (what) => {
    await ask({ do: what, phone: PHONE, code: '123456' });
    const reason = expect.stringContaining('"do": "send"') as unknown;
    expect(n8n.answers.at(-1)).toEqual({ body: { reason }, code: 400 });
    expect(template.gateway.requests).toEqual([]);
  },
);

test.each([undefined, null, '', []])(
  'no code is not right, and sends nothing: %p',
  async (code) => {
    await want();
    expect(await check(code)).toBe(false);
    expect(template.sentTo(PHONE)).toHaveLength(1);
  },
);

test('no code is kept: the table has hashes', async () => {
  await want();
  await check(sentCode());
  expect(JSON.stringify(n8n.tables.get('sms_login_codes'))).not.toContain(sentCode());
});

const wide = (digits: string) =>
  digits.replace(/\d/g, (digit) => String.fromCharCode(Number(digit) + 0xff10));

/** What is asked of one number: for a code, or whether the code that was sent so many codes ago is right. */
const asked = fc.record({
  /** Seconds since what was asked before. */
  pause: fc.constantFrom(0, 1, 30, 59, 60, 61, 120, 299, 300),
  what: fc.oneof(fc.constant('wish' as const), fc.constantFrom(0, 0, 0, 1, 2, 'wrong' as const)),
  /** How number and code are typed. */
  typed: fc.constantFrom<((digits: string) => unknown)[]>(
    ...[String, Number, wide, (digits: string) => ` ${digits} `],
  ),
  before: fc.constantFrom('', '+86 ', '0086'),
});

test('in random histories: a code a minute, right once and for five minutes, five tries in five minutes', async () => {
  let number = Number(PHONE);
  const property = fc.asyncProperty(fc.array(asked, { maxLength: 20 }), async (history) => {
    const phone = String(++number);
    const codes: { code: string; at: number; isUsed: boolean }[] = [];
    const tries: number[] = [];
    for (const { pause, what, typed, before } of history) {
      now += pause * 1000;
      if (what === 'wish') {
        const isGranted = !codes.some((each) => now - each.at < 60_000);
        expect(await want(before ? before + phone : typed(phone))).toEqual(
          isGranted ? SENT : TOO_EARLY,
        );
        const code = String(template.sentTo(phone).at(-1)?.code);
        if (isGranted) codes.push({ code, at: now, isUsed: false });
        continue;
      }
      tries.push(now);
      const known = what === 'wrong' ? undefined : codes.at(-1 - what);
      const valid = await check(typed(known?.code ?? '000000'), before + phone);
      const isOver = tries.filter((each) => now - each < 300_000).length > 5;
      expect(n8n.answers.at(-1)?.code).toBe(isOver ? 429 : 200);
      expect(valid).toBe(!isOver && known?.isUsed === false && now - known.at < 300_000);
      if (known && !isOver) known.isUsed = true;
    }
  });
  await fc.assert(property, settings(25));
});
