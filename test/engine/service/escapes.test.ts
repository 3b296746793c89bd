import fc from 'fast-check';
import { readings } from '../../../nodes/SmsMessagingService/service/escapes';
import { SecretMask } from '../../../nodes/SmsMessagingService/service/secrets';
import { readAnswer } from '../../../nodes/SmsMessagingService/service/reading/answer';

/** Masking: a secret in whatever escape or encoding the service quotes it. */

const SECRET = 'p@ss/w+rd="x"&y <z>\'é密🔑';

const entity = (character: string) => `&#${character.codePointAt(0)};`;
const entityHex = (character: string) => `&#x${character.codePointAt(0)?.toString(16)};`;
const json = (character: string) =>
  Array.from({ length: character.length }, (_, index) =>
    character.charCodeAt(index).toString(16).padStart(4, '0'),
  )
    .map((code) => `\\u${code}`)
    .join('');
const percent = (character: string) =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const named = (character: string) =>
  ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character] ?? character;
const upper = (escape: (character: string) => string) => (character: string) =>
  escape(character).replace(/[\da-f]+(?=;|\\|%|$)/g, (digits) => digits.toUpperCase());
const all = (escape: (character: string) => string) => (text: string) =>
  [...text].map(escape).join('');
const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');

const FORMS: [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['JSON', quoted],
  ['JSON of PHP', (text) => quoted(text).replaceAll('/', '\\/')],
  ['JSON of Gson', (text) => quoted(text).replace(/[=&<>']/g, json)],
  ['JSON of Go', (text) => quoted(text).replace(/[&<>]/g, upper(json))],
  ['JSON in JSON', (text) => quoted(quoted(text))],
  ['JSON in JSON of PHP', (text) => quoted(quoted(text).replaceAll('/', '\\/'))],
  ['\\uXXXX', all(json)],
  ['\\uXXXX in upper case', all(upper(json))],
  ['HTML', all(named)],
  ['HTML of HTML', (text) => all(named)(all(named)(text))],
  ['HTML, decimal', all(entity)],
  ['HTML, hexadecimal', all(entityHex)],
  ['HTML in JSON of Go', (text) => all(named)(text).replaceAll('&', '\\u0026')],
  ['a web address', encodeURIComponent],
  ['a web address in lower case', all(percent)],
  ['a form', (text) => new URLSearchParams({ a: text }).toString().slice(2)],
  ['a web address twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['Base64', base64],
  ['Base64 without padding', (text) => base64(text).replace(/=+$/, '')],
  ['Base64 for web addresses', base64url],
  ['Base64 in JSON of PHP', (text) => base64(text).replaceAll('/', '\\/')],
  ['Base64 in a web address', (text) => encodeURIComponent(base64(text).replace(/=+$/, ''))],
  ['hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['HEXADECIMAL', (text) => Buffer.from(text).toString('hex').toUpperCase()],
];

const shown = (mask: SecretMask, body: unknown) => mask.hide(JSON.parse(JSON.stringify(body)));

describe.each(FORMS)('a secret as %s', (_, form) => {
  const mask = new SecretMask(['unrelated', SECRET]);

  test('is not in words', () => {
    expect(shown(mask, { msg: `no: ${form(SECRET)} !` })).toEqual({ msg: 'no: [hidden] !' });
  });

  test('is not in records, nor in their names', () => {
    const name = `a ${form(SECRET)}`;
    expect(shown(mask, { data: [{ [name]: { content: form(SECRET) } }] })).toEqual({
      data: [{ 'a [hidden]': { content: '[hidden]' } }],
    });
  });

  test('is not in an answer', () => {
    const body = JSON.stringify({ code: 1, msg: `no ${form(SECRET)} no` });
    for (const text of [body, body.slice(0, -2)]) {
      const answer = readAnswer({ statusCode: 200, headers: {}, body: text }, '/', mask);
      expect(JSON.stringify(answer)).toContain('no [hidden] no');
    }
  });
});

test.each(['', 'k', 'ke', 'key:'])('Base64 of a longer text that begins with "%s"', (before) => {
  for (const after of ['', ':', '::', ':::']) {
    const mask = new SecretMask([SECRET]);
    const text = base64(before + SECRET + after);
    const { msg } = mask.hide({ msg: `Basic ${text}` }) as { msg: string };
    expect(msg).toContain('[hidden]');
    expect(msg.length).toBeLessThan(30);
  }
});

test('what holds no secret stays as it is, with its escapes', () => {
  const mask = new SecretMask([SECRET]);
  const body = {
    msg: 'a\\/b %41 &amp; +86 \\u0041',
    data: [{ content: '100% \\n &lt;', url: '%2F' }],
  };
  expect(mask.hide(body)).toEqual(body);
});

test('short secrets and secrets of digits stay in records, in any escape', () => {
  const mask = new SecretMask(['abcdefg', '12345678901']);
  const body = { data: [{ a: '%61bcdefg', b: '\\u0031' + '2345678901', c: '12345678901' }] };
  expect(mask.hide(body)).toEqual(body);
});

const character = fc.constantFrom(
  ...'abzAZ0189-_.~+/= @#!"\'<>&%\\{}[]()*?^$|;:,é密',
  '🔑',
  'u0041',
  '%41',
  '&lt;',
);
const secret = fc
  .array(character, { minLength: 8, maxLength: 30 })
  .map((parts) => parts.join('').trim())
  .filter((text) => /[A-Za-z]/.test(text) && text.length >= 8);
const escapes = [json, upper(json), percent, upper(percent), entity, entityHex, named];
/** What comes before and behind: nothing that would belong to an escape of the secret. */
const around = fc.constantFrom('', ' ', 'key: ', ' - ', '密 ', '(');

const PART_OF_ESCAPE =
  /^[\\%&]*(?:u[\da-f]{0,3}|#?x?[\da-f]{1,5})?(?=\[)|(?<=\])[\\%&]*(?:u[\da-f]{4}|[\da-f]{2}|#?\w{2,6};)?$/gi;

test('property: nothing of a secret remains, whatever becomes of each of its characters', () => {
  fc.assert(
    fc.property(
      secret,
      fc.array(fc.nat(escapes.length), { minLength: 1, maxLength: 30 }),
      around,
      fc.boolean(),
      fc.constantFrom('msg', 'content'),
      (hidden, choices, before, isTwice, field) => {
        const escaped = [...hidden]
          .map((part, index) => {
            const escape = escapes[choices[index % choices.length] ?? 0];
            // What begins an escape is never left as it is beside others that are escaped.
            if (escape === undefined) return /[\\%&]/.test(part) ? json(part) : part;
            return escape === named && /[\\%]/.test(part) ? percent(part) : escape(part);
          })
          .join('');
        // A secret that looks like an escape is not told from one under two layers of different escapes.
        const layers = isTwice && !/[\\%&]/.test(hidden) ? 2 : 1;
        const text = `${before}${layers === 2 ? quoted(escaped) : escaped} end`;
        const mask = new SecretMask([hidden]);
        const masked = (mask.hide({ [field]: text }) as Record<string, string>)[field] ?? '';
        expect(masked.startsWith(before) && masked.endsWith(' end')).toBe(true);
        const [rest] = readings(masked.slice(before.length, -4)).slice(-1);
        // A part of an escape may stay: what begins with 0 is found at the end of \\u0030 too.
        expect(rest?.replace(PART_OF_ESCAPE, '')).toBe('[hidden]');
        expect(mask.mayBeIn(JSON.stringify({ [field]: text }))).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test('3 MB are masked at once, whatever is in them', () => {
  const mask = new SecretMask(['ak_live_0815abcdEFGH', SECRET, 'Bearer token-4711']).with(
    'ab'.repeat(32),
  );
  const record = (index: number) => ({
    batch_id: `batch-${index}`,
    phone_number: `138${10_000_000 + index}`,
    status: 'DELIVRD',
    content: `order ${index} – 您的包裹已到 http://x/y?a=b&c=%20`,
  });
  const list = { code: 0, data: Array.from({ length: 20_000 }, (_, index) => record(index)) };
  const texts = ['\\', '%', '&', '%25', '&amp;', 'a', '\\u0061', 'ak_live_'].map((part) => ({
    msg: part.repeat(3e6 / part.length),
  }));
  for (const body of [list, ...texts]) {
    const text = JSON.stringify(body).replaceAll('/', '\\/');
    const begin = process.cpuUsage();
    mask.mayBeIn(text);
    mask.hide(body);
    // In microseconds: usually some ten thousand. Without a bound for runs it would be minutes. The time of
    // other processes does not count.
    expect(process.cpuUsage(begin).user).toBeLessThan(4_000_000);
  }
});
