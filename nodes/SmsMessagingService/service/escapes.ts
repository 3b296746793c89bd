/** An escape of JSON, HTML or web addresses, or a run of escaped backslashes or percent signs. */
const ESCAPE =
  /(?:\\\\)+|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[^]|(?:%25)+|%[0-7][\da-f]|%[cd][\da-f]%[\da-f]{2}|%e[\da-f](?:%[\da-f]{2}){2}|%f[0-7](?:%[\da-f]{2}){3}|&(?:#\d{1,9}|#x[\da-f]{1,8}|amp|lt|gt|quot|apos)(?:;|(?![\da-z]))/gi;

/** Removes one layer of escapes from a text. */
export function unescapeOnce(text: string): string {
  return /[\\%&]/.test(text) ? text.replace(ESCAPE, meaningOf) : text;
}

function meaningOf(escape: string): string {
  if (escape.startsWith('&')) return meaningOfEntity(escape);
  if (escape.startsWith('%25')) return '%'.repeat(escape.length / 3);
  if (escape.startsWith('%') && escape.length === 3)
    return character(parseInt(escape.slice(1), 16));
  if (escape.startsWith('%')) return Buffer.from(escape.replaceAll('%', ''), 'hex').toString();
  if (escape.startsWith('\\\\')) return escape.slice(escape.length / 2);
  const letter = escape.slice(1);
  return letter.length === 1
    ? (CONTROL[letter] ?? letter)
    : character(parseInt(escape.slice(2), 16));
}

const CONTROL: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function meaningOfEntity(entity: string): string {
  const name = entity.slice(1).replace(';', '').toLowerCase();
  if (!name.startsWith('#')) return NAMED[name] ?? entity;
  return character(name.startsWith('#x') ? parseInt(name.slice(2), 16) : Number(name.slice(1)));
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

/** How many layers of escapes are removed. No service wraps a message in more. */
export const MAX_LAYERS = 5;

/** Returns what a text may mean: the text itself, then without one layer of escapes, two, and so on. */
export function readings(text: string): string[] {
  const all = [text];
  for (let last = text, next; all.length <= MAX_LAYERS; last = next) {
    next = unescapeOnce(last);
    if (next === last) break;
    all.push(next);
  }
  return all;
}

/** Returns regular expressions, as text, for bytes that are in a longer text in hexadecimal or Base64. */
export function encodings(bytes: Buffer): string[] {
  return [bytes.toString('hex'), ...[0, 1, 2].map((before) => base64Inside(bytes, before))];
}

/** @param before number of bytes before these in the first group of three (0 to 2). It shifts all characters */
function base64Inside(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  const bits = 8 * (before + bytes.length);
  // The first and the last character may also hold bits of the neighbours.
  const own = text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
  const last = bits % 6 === 0 ? '' : '(?:[\\w+/-]={0,2})?';
  return own.replaceAll('+', '[+-]').replaceAll('/', '[/_]') + last;
}
