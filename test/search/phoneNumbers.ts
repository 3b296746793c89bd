import fc from 'fast-check';
import { weighed } from '../kit/search/settings';

/**
 * Cells as spreadsheets, address books, people and AI agents fill them, and whom they name: read here sign by
 * sign, from the rules of docs/use/sending.md, and not from the code.
 */

export type Format = 'mainlandMobile' | 'any';

/** What fonts may leave out, from Unicode's list: the first and the last code point of each range. */
const INVISIBLE = [
  ...[
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
  ],
  ...[
    [0x200b, 0x200f],
    [0x202a, 0x202e],
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xfe00, 0xfe0f],
  ],
  ...[
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff0, 0xfffb],
    [0xe0000, 0xe0fff],
  ],
] as [number, number][];

const isInvisible = (code: number) =>
  INVISIBLE.some(([first, last]) => code >= first && code <= last);

function plain(cell: string): string {
  let text = '';
  for (const sign of cell) {
    const code = sign.codePointAt(0) ?? 0;
    if (isInvisible(code)) continue;
    if ('‐‑‒–—−－'.includes(sign)) text += '-';
    else text += code > 0xff00 && code < 0xff5f ? String.fromCharCode(code - 0xfee0) : sign;
  }
  return text;
}

const isDigit = (sign = '') => sign >= '0' && sign <= '9' && sign.length === 1;
const isSpace = (sign = '') => sign !== '' && sign.trim() === '';
const isBlank = (sign = '') => isSpace(sign) && sign !== '\r' && sign !== '\n';
const isLetter = (sign = '') => /^[\w-]$/.test(sign);
const count = (text: string) => [...text].filter(isDigit).length;

/** Where the signs end that a test accepts, from a place in a direction. */
function past(text: string, from: number, accepts: (sign?: string) => boolean, step = 1): number {
  let at = from;
  while (accepts(text[at])) at += step;
  return at;
}

interface Reading {
  end: number;
  digits: string;
}

/** Where a mobile number of the mainland ends that begins here. */
function mobilesAt(text: string, from: number): Reading[] {
  const start = text.slice(from, from + 4).toLowerCase() === 'tel:' ? from + 4 : from;
  const gap = (at: number) => (text[at] === '-' || isBlank(text[at]) ? at + 1 : at);
  const begins = ['+86', '0086', '86']
    .filter((code) => text.startsWith(code, start))
    .flatMap((code) => [start + code.length, gap(start + code.length)]);
  return [start, ...begins].flatMap((at) => {
    const groups = [text.slice(at, at + 3)];
    let end = at + 3;
    const isGrouped = !isDigit(text[end]);
    for (let group = 0; group < 2; group++) {
      if (isGrouped && gap(end) === end) return [];
      if (isGrouped) end = gap(end);
      groups.push(text.slice(end, end + 4));
      end += 4;
    }
    const digits = groups.join('');
    const isMobile = digits.length === 11 && count(digits) === 11;
    return isMobile && digits[0] === '1' && digits.charAt(1) >= '3' ? [{ end, digits }] : [];
  });
}

/** Where another number ends that begins here: 5 to 20 digits, perhaps with + or 00 before them. */
function othersAt(text: string, from: number): Reading[] {
  const start = text.slice(from, from + 4).toLowerCase() === 'tel:' ? from + 4 : from;
  const code = ['+', '00'].find((sign) => text.startsWith(sign, start)) ?? '';
  const end = past(text, start + code.length, isDigit);
  const digits = text.slice(start + code.length, end);
  if (digits.length < 5 || digits.length > 20) return [];
  if (code !== '' && digits.startsWith('0')) return [];
  const isAmbiguous =
    code !== '' && mobilesAt(digits, 0).some((each) => each.end === digits.length);
  return isAmbiguous ? [] : [{ end, digits }];
}

/** Whether a comma or another sign is no part of what stands beside it. */
function separates(text: string, at: number): boolean {
  const sign = text[at] ?? '';
  if (sign === ';') {
    const name = past(text, at + 1, isSpace);
    const end = past(text, name, isLetter);
    return !(end > name && text[end] === '=');
  }
  if (sign !== ',') return ['、', '､', '\r', '\n'].includes(sign);
  if (!isDigit(text[at - 1]) || !isDigit(text[at + 1])) return true;
  const first = past(text, at - 1, isDigit, -1) + 1;
  const end = past(text, at + 1, isDigit);
  const before = text.slice(first, at);
  const isSmall = (length: number) => length <= 4;
  const isGroup =
    (text[first - 1] !== '-' &&
      isSmall(before.startsWith('00') ? Math.max(before.length - 2, 1) : before.length)) ||
    (text[end] !== '-' && isSmall(end - at - 1));
  return !isGroup || isBetweenMobiles(text, at);
}

const ENDS = [',', ';', '、', '､', '\r', '\n'];

function isBetweenMobiles(text: string, at: number): boolean {
  const isInside = (sign?: string) => sign !== undefined && !ENDS.includes(sign);
  const isMobile = (part: string) => mobilesAt(part, 0).some(({ end }) => end === part.length);
  const before = text.slice(past(text, at - 1, isInside, -1) + 1, at).trimStart();
  const after = text.slice(at + 1, past(text, at + 1, isInside)).trimEnd();
  return isMobile(before) && isMobile(after);
}

/** A code of a country, and nothing else. */
function isCode(word: string): boolean {
  const number = word.toLowerCase().replace('tel:', '');
  const sign = ['+', '00'].find((each) => number.startsWith(each));
  const digits = number.slice(sign?.length);
  const isShort = digits.length > 0 && digits.length < 5 && count(digits) === digits.length;
  return sign !== undefined && isShort && digits !== '86';
}

/** Whom a text names, and the last of its words. */
function namedInText(cell: string, format: Format, lastWord: string): [string[], string] {
  const text = plain(cell);
  const isEdge = (at: number) =>
    at < 0 || at >= text.length || isSpace(text[at]) || separates(text, at);
  const named: string[] = [];
  let last = lastWord;
  /** The word beyond the spaces beside a number, if there is one before the next separator. */
  const neighbour = (from: number, step: 1 | -1) => {
    let at = from;
    while (isBlank(text[at])) at += step;
    let word = '';
    while (!isEdge(at)) {
      word += text[at];
      at += step;
    }
    return word;
  };
  const fits = (from: number, { end }: Reading) => {
    if (!isEdge(end)) return false;
    const words = [neighbour(from - 1, -1), neighbour(end, 1)].filter((word) => word !== '');
    const own = text.slice(from, end);
    return (
      words.length === 0 ||
      [...words, own].every((word) => count(word) >= 8 && ![...own].some(isSpace))
    );
  };
  for (let at = 0; at < text.length; at++) {
    if (isEdge(at)) continue;
    const from = at;
    const readings = [...mobilesAt(text, at), ...(format === 'any' ? othersAt(text, at) : [])];
    const found = readings.find((reading) => fits(from, reading));
    if (found && !isCode(last)) named.push(found.digits);
    // A number is one word, also in groups.
    if (found) at = found.end;
    while (!isEdge(at)) at++;
    last = text.slice(from, at);
  }
  return [named, last];
}

/** The texts of a list in JSON, and undefined where it has a fraction, or more digits than JavaScript can hold. */
function listIn(cell: string): (string | undefined)[] | undefined {
  const text = cell.trim();
  const blank = (from: number) =>
    past(text, from, (sign = '') => sign !== '' && ' \t\r\n'.includes(sign));
  if (text[0] !== '[') return undefined;
  const list: (string | undefined)[] = [];
  let at = blank(1);
  if (text[at] === ']') return blank(at + 1) === text.length ? list : undefined;
  for (;;) {
    let end = at + 1;
    if (text[at] === '"') {
      while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
      end++;
    } else {
      end = past(text, at, (sign = '') => sign !== '' && '+-.0123456789eE'.includes(sign));
    }
    const token = text.slice(at, end);
    if (token === '') return undefined;
    let value: unknown;
    try {
      value = JSON.parse(token);
    } catch {
      return undefined;
    }
    if (typeof value === 'string') list.push(value);
    else list.push(Number.isSafeInteger(value) ? token : undefined);
    at = blank(end);
    if (text[at] === ']') return at === text.length - 1 ? list : undefined;
    if (text[at] !== ',') return undefined;
    at = blank(at + 1);
  }
}

/** Whom a cell names, in order. */
export function namedIn(cell: unknown, format: Format): string[] {
  const entries = Array.isArray(cell) ? (cell as unknown[]) : (listIn(String(cell)) ?? [cell]);
  let last = '';
  return entries.flatMap((entry) => {
    if (entry === undefined) return [];
    const [named, word] = namedInText(String(entry), format, last);
    last = word || last;
    return named;
  });
}

const digit = fc.constantFrom(...'0123456789');
const digits = (min: number, max = min) =>
  fc.string({ unit: digit, minLength: min, maxLength: max });

const mobile = fc
  .tuple(fc.constantFrom(...'3456789'), digits(9))
  .map(([second, rest]) => `1${second}${rest}`);

const SPACES = [' ', '\u00a0', '\u2009', '\u3000'];
const HYPHENS = ['-', '\u2011', '–', '－'];

/** A mobile number as people write it, and the number. */
export const person = fc
  .record({
    number: mobile,
    before: weighed(
      [6, fc.constant('')],
      [4, fc.constantFrom('+86', '86', '0086', '+86 ', '+86-', '86 ', '0086-', 'tel:+86', 'tel:')],
    ),
    gap: weighed([3, fc.constant('')], [3, fc.constantFrom(...SPACES, ...HYPHENS)]),
    isWide: weighed([5, fc.constant(false)], [1, fc.constant(true)]),
    invisible: weighed(
      [3, fc.constant('')],
      [1, fc.constantFrom('\u200b', '\u202d', '\ufe0f', '\u00ad', '\u034f', '\u{e0101}', '\ufeff')],
    ),
    at: fc.nat(10),
  })
  .map(({ number, before, gap, isWide, invisible, at }) => {
    const groups = [number.slice(0, 3), number.slice(3, 7), number.slice(7)];
    const text = before + groups.join(gap);
    const hidden = text.slice(0, at) + invisible + text.slice(at);
    return { number, text: isWide ? widened(hidden) : hidden };
  });

const widened = (text: string) =>
  text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));

/** One of several forms. In it, an underscore stands for any digit. */
const filled = (...forms: string[]) =>
  fc
    .tuple(fc.constantFrom(...forms.join('|').split('|')), digits(24))
    .map(([form, many]) => form.replace(/_/g, (_, at: number) => many.charAt(at % many.length)));

const OTHERS = filled(
  '+852________|00852________|+852 ____ ____|852________|+1650_______|+1 650 ___ ____',
  '+138________|00138________|+1 138________|(021)________|0755-________|10086|________',
  '+49 151________|0049151________|tel:+49151________|+44(0)20________|+86 10 ________',
);
const CODES = filled('+49|0049|852|+86|86|00852|0755|+1|1|tel:+49|00');
const EXTENSIONS = filled('ext. ____|-____|转____|;ext=____|,____|x___|#___|;phone-context=+49| _');
const AMOUNTS = filled(
  '__,___,___,___|13,800,138,___|¥1,___.00|138________.0|138________,50|1.38E+10',
  '13 800 138 ___|138________.00|-138________|____,____|1380013.8___|138________%',
);
const DATES = filled('2026-01-__|2026/1/1 08:__|20260101______|17672256_____|31.12.2026|138-____');
const IDS = filled(
  'order 138___________|6222 0213 8001 3800 ___|A138________|138________A|SF138________',
  '_138________|138_________|138________-138________|138________/139________|138________²',
  'id=138________|192.168.100.___',
);
const WORDS = fc.constantFrom(
  '张三',
  'Wang',
  'Mobile:',
  '电话：',
  '手机',
  '(',
  ')',
  '"',
  'x',
  '+',
  'null',
  '\u0085',
);
const NOISE = fc.string({ unit: fc.constantFrom(...'0138+-,;. \n\t()=:[]"'), maxLength: 14 });

/** A number with a slip of the keyboard. */
const SLIPS = fc
  .tuple(
    person,
    fc.nat(14),
    fc.constantFrom('', '0', '1', ' ', '-', ',', ';', '.', '\u0085'),
    fc.boolean(),
  )
  .map(
    ([{ text }, at, sign, isLost]) => text.slice(0, at) + sign + text.slice(isLost ? at + 1 : at),
  );

const piece: fc.Arbitrary<string> = weighed(
  [12, person.map(({ text }) => text)],
  [3, OTHERS],
  [2, CODES],
  [2, EXTENSIONS],
  [2, AMOUNTS],
  [1, DATES],
  [2, IDS],
  [1, WORDS],
  [2, NOISE],
  [3, SLIPS],
);

const separator = weighed(
  [8, fc.constantFrom(',', '，', ';', '；', '、', '\n', '\r\n', ', ', '; ', ' ,')],
  [4, fc.constantFrom(' ', '\t', '  ', '\u3000')],
  [2, fc.constantFrom('', '-', '/', '|', ':', '.', ',,', ';;', '､')],
);

const text = fc
  .array(fc.tuple(piece, separator), { minLength: 1, maxLength: 5 })
  .map((parts) =>
    parts.map(([each, sign], nth) => (nth < parts.length - 1 ? each + sign : each)).join(''),
  );

const entry = weighed<[[number, fc.Arbitrary<unknown>], [number, fc.Arbitrary<unknown>]]>(
  [4, text],
  [
    1,
    weighed(
      [3, mobile.map(Number)],
      [1, fc.constantFrom<unknown>(61234567, 2 ** 53, 1.5, null, {})],
    ),
  ],
);
const list = fc.array(entry, { maxLength: 4 });

/** A list in JSON as it should be, and as it may be written. */
const json = fc
  .tuple(
    list,
    fc.constantFrom('', ' ', '\n'),
    fc.nat(40),
    fc.constantFrom('', '', '', ',', ']', '.0', '"'),
  )
  .map(([values, space, at, slip]) => {
    const whole = `[${values.map((value) => JSON.stringify(value)).join(`,${space}`)}]`;
    return whole.slice(0, at) + slip + whole.slice(at);
  });

export const cell: fc.Arbitrary<unknown> = weighed<
  [
    [number, fc.Arbitrary<unknown>],
    [number, fc.Arbitrary<unknown>],
    [number, fc.Arbitrary<unknown>],
  ]
>([8, text], [2, json], [1, fc.array(text, { maxLength: 3 })]);

/** People and nothing else, each apart from the next one. */
export const people = fc
  .array(fc.tuple(person, fc.constantFrom(',', '，', ';', '、', '\n', ', ', ' ; ')), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => ({
    text: parts
      .map(([{ text: each }, sign]) => each + sign)
      .join('')
      .replace(/[\s,，;、]+$/, ''),
    numbers: parts.map(([{ number }]) => number),
  }));
