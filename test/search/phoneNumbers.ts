import fc from 'fast-check';
import { weighed } from '../kit/search/settings';

/**
 * Cells as spreadsheets, address books, people and AI agents fill them, and whom they name: read here sign by
 * sign, from the rules of docs/use/sending.md, and not from the code.
 */

export type Format = 'mainlandMobile' | 'any';

/** In full width, with the hyphens of a text, and with what fonts may leave out. */
const plain = (cell: string) =>
  cell
    .replace(/[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu, '')
    .replace(/[‐‑‒–—−]/g, '-')
    .replace(/[！-～]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));

const isSpace = (sign = '') => /^\s$/.test(sign);
const isBlank = (sign = '') => /^[^\S\r\n]$/.test(sign);
const count = (text: string) => text.replace(/\D/g, '').length;

/** Between the groups of a number. */
const GAP = '(?:-|[^\\S\\r\\n])';
const GROUPS = `1[3-9]\\d(?:\\d{8}|${GAP}\\d{4}${GAP}\\d{4})`;

/** A mobile number of the mainland. */
const MOBILE = new RegExp(`(?:tel:)?(?:(?:\\+|00)?86${GAP}?)?(${GROUPS})`, 'iy');

/** 5 to 20 digits, perhaps with + or 00 before them. As digits alone, one of North America would be a mobile number. */
const OTHER = /(?:tel:)?(?:(?:\+|00)(?!0|(?:86)?1[3-9]\d{9}(?!\d))|(?!00))(\d{5,20})(?!\d)/iy;

interface Reading {
  end: number;
  digits: string;
}

/** The number of a form that begins at a place. */
function readingOf(form: RegExp, text: string, at: number): Reading[] {
  form.lastIndex = at;
  const [whole, number = ''] = form.exec(text) ?? [];
  return whole === undefined ? [] : [{ end: at + whole.length, digits: number.replace(/\D/g, '') }];
}

const isMobile = (text: string) =>
  readingOf(MOBILE, text, 0).some(({ end }) => end === text.length);

/** Whether a comma or another sign is no part of what stands beside it. */
function separates(text: string, at: number): boolean {
  const [before, sign = '', behind] = [text.slice(0, at), text[at], text.slice(at + 1)];
  if (sign === ';') return !/^\s*[\w-]+=/.test(behind);
  if (sign !== ',') return /[、､\r\n]/.test(sign);
  if (!/\d$/.test(before) || !/^\d/.test(behind)) return true;
  const isGroup = /(?<![\d-])(?:00)?\d{1,4}$/.test(before) || /^\d{1,4}(?![\d-])/.test(behind);
  const beside = [/[^,;、､\r\n]*$/.exec(before), /^[^,;、､\r\n]*/.exec(behind)];
  return !isGroup || beside.every((part) => isMobile(String(part).trim()));
}

/** A code of a country, and nothing else. */
const isCode = (word: string) => /^(?:tel:)?(?:\+|00)(?!86$)\d{1,4}$/i.test(word);

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
    const forms = format === 'any' ? [MOBILE, OTHER] : [MOBILE];
    const readings = forms.flatMap((form) => readingOf(form, text, at));
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
  let list: unknown;
  try {
    list = JSON.parse(cell.trim());
  } catch {
    return undefined;
  }
  const isText = (each: unknown) => typeof each === 'string' || typeof each === 'number';
  if (!Array.isArray(list) || !list.every(isText)) return undefined;
  const written = cell.match(/"(?:[^"\\]|\\.)*"|[^\s,[\]]+/g) ?? [];
  return list.map((each, nth) => {
    if (typeof each === 'string') return each;
    return Number.isSafeInteger(each) ? written[nth] : undefined;
  });
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

/** A mobile number as people write it. */
const person = fc
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
    const written = before + groups.join(gap);
    const hidden = written.slice(0, at) + invisible + written.slice(at);
    return isWide ? widened(hidden) : hidden;
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
const PARTS = filled(
  '+49|0049|852|+86|86|00852|0755|+1|1|tel:+49|00',
  'ext. ____|-____|转____|;ext=____|,____|x___|#___|;phone-context=+49| _',
  '张三|Wang|Mobile:|电话：|手机|(|)|"|x|+|null|\u0085',
);
const NO_NUMBERS = filled(
  '__,___,___,___|13,800,138,___|¥1,___.00|138________.0|138________,50|1.38E+10',
  '13 800 138 ___|138________.00|-138________|____,____|1380013.8___|138________%',
  '2026-01-__|2026/1/1 08:__|20260101______|17672256_____|31.12.2026|138-____',
  'order 138___________|6222 0213 8001 3800 ___|A138________|138________A|SF138________',
  '_138________|138_________|138________-138________|138________/139________|138________²',
  'id=138________|192.168.100.___',
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
  .map(([own, at, sign, isLost]) => own.slice(0, at) + sign + own.slice(isLost ? at + 1 : at));

const piece: fc.Arbitrary<string> = weighed(
  [12, person],
  [3, OTHERS],
  [5, PARTS],
  [5, NO_NUMBERS],
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

const entry = fc.oneof(
  { weight: 16, arbitrary: text },
  { weight: 3, arbitrary: mobile.map(Number) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(61234567, 2 ** 53, 1.5, null, {}) },
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

export const cell: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 2, arbitrary: json },
  { weight: 1, arbitrary: fc.array(text, { maxLength: 3 }) },
);
