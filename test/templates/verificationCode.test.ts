import type { IDataObject } from 'n8n-workflow';

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

const want = async (phone: unknown = PHONE) => {
  await template.run('Code wanted', { body: { phone } });
  return n8n.answers.at(-1);
};

/** Whether each of the codes is valid, which are entered at once. */
const checkAll = async (codes: unknown[], phone = PHONE) => {
  await Promise.all(codes.map((code) => template.run('Code entered', { body: { phone, code } })));
  return n8n.answers.slice(-codes.length).map(({ body }) => (body as IDataObject).valid);
};

const check = async (code: unknown, phone = PHONE) => (await checkAll([code], phone))[0];

/** The code of the latest message. */
const sentCode = () => String(template.sentTo(PHONE).at(-1)?.code);

/** Another one. */
const wrong = () => String((Number(sentCode()) + 1) % 1_000_000).padStart(6, '0');

test('a code is sent, and valid once', async () => {
  expect(await want()).toEqual({ body: { sent: true }, code: 200 });
  expect(template.sentTo(PHONE)).toEqual([
    { code: expect.stringMatching(/^\d{6}$/) as unknown, minutes: '5' },
  ]);
  expect(await check(wrong())).toBe(false);
  later(4);
  expect(await check(sentCode())).toBe(true);
  expect(await check(sentCode())).toBe(false);
});

test.each([`+86 ${PHONE}`, '138-1000-0010', Number(PHONE), '１３８１０００００１０'])(
  'however the number is typed: %p',
  async (phone) => {
    await want(phone);
    expect(await want(`0086 ${PHONE}`)).toMatchObject({ code: 429 });
    expect(await check(` ${sentCode()} `, `0086${PHONE}`)).toBe(true);
  },
);

test('not of another number, nor before there is one, nor after five minutes', async () => {
  expect(await check('000000')).toBe(false);
  await want();
  expect(await check(sentCode(), '13810000011')).toBe(false);
  later(5);
  expect(await check(sentCode())).toBe(false);
});

test('five tries, also at once', async () => {
  await want();
  for (let tries = 0; tries < 5; tries++) expect(await check(wrong())).toBe(false);
  expect(await check(sentCode())).toBe(false);
  later(1);
  await want();
  const verdicts = await checkAll(Array.from({ length: 20 }, sentCode));
  expect(verdicts.filter(Boolean)).toHaveLength(1);
});

test('the right one is right, whoever else guesses at the same moment', async () => {
  for (let place = 0; place < 5; place++) {
    await want();
    const codes = Array.from({ length: 9 }, (_, at) => (at === place ? sentCode() : wrong()));
    const verdicts = await checkAll(codes);
    expect(verdicts.filter(Boolean)).toHaveLength(1);
    later(1);
  }
});

test('one in a minute: the second request leaves the first code valid', async () => {
  await want();
  expect(await want()).toEqual({
    body: { sent: false, reason: 'A code was sent in this minute.' },
    code: 429,
  });
  expect(template.sentTo(PHONE)).toHaveLength(1);
  expect(await check(sentCode())).toBe(true);
});

test('ten in a day', async () => {
  for (let count = 0; count < 10; count++) {
    expect(await want()).toMatchObject({ code: 200 });
    later(100);
  }
  expect(await want()).toMatchObject({ body: { sent: false }, code: 429 });
  expect(template.sentTo(PHONE)).toHaveLength(10);
  // Of a million codes, nine in ten have no zero before them.
  expect(template.sentTo(PHONE)).toContainEqual(
    expect.objectContaining({ code: expect.stringMatching(/^[1-9]/) as unknown }),
  );
  later(24 * 60);
  await want();
  expect(await want()).toMatchObject({ code: 429 });
  expect(n8n.tables.get('sms_login_codes')).toHaveLength(1);
});

test.each(['1381', `${PHONE},13810000011`, `${PHONE} 13810000011`, { $ne: '' }, [], null])(
  'what is no mobile number costs nothing: %p',
  async (phone) => {
    expect(await want(phone)).toMatchObject({ body: { sent: false }, code: 429 });
    expect(template.gateway.requests).toEqual([]);
  },
);

test('a send that is refused: no code is valid', async () => {
  template.refuse();
  expect(await want()).toMatchObject({ body: { sent: false }, code: 502 });
  expect(await check(sentCode())).toBe(false);
});

test('a send that may have gone out: its code is valid', async () => {
  template.gateway.fault({ kind: 'resetAfterAccept' });
  expect(await want()).toEqual({ body: { sent: true }, code: 200 });
  expect(await check(sentCode())).toBe(true);
});

test('no code is kept: the table has hashes', async () => {
  await want();
  await check(sentCode());
  expect(JSON.stringify(n8n.tables.get('sms_login_codes'))).not.toContain(sentCode());
});
