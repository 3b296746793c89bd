/** The phone numbers in a text or list. Together the two lists hold all of it, in order. */
export interface ParsedPhoneNumbers {
  /** Digits only. Mainland numbers are without the country code. */
  valid: string[];
  /** As written. */
  invalid: string[];
  /** More texts than MAX_INVALID are no numbers. So the value is no list of numbers: send to none of them. */
  isNoList: boolean;
}

/** `mainlandMobile`: 11 digits, the first two 13 to 19. `any`: 5 to 20 digits. */
export type PhoneNumberFormat = 'mainlandMobile' | 'any';

/** A text is not read any further when more of its words are no phone numbers. */
export const MAX_INVALID = 1_000;

const MOBILE_NUMBER = /^1[3-9]\d{9}$/;

/**
 * A comma is no separator where it may belong to an amount (13,800,138,000 or 61234567,50), or stands
 * behind a country code: between digits, with a group of 1 to 4 digits on one side.
 */
const COMMA = '[,，](?!(?<=\\d[,，])\\d{1,4}(?!\\d))(?!(?<=(?<!\\d)(?:00)?\\d{1,4}[,，])\\d)';

const WHOLE_MOBILE = '1[3-9]\\d[\\s.-]?\\d{4}[\\s.-]?\\d{4}';

/** A comma between two whole numbers, also if they are in groups: 138 0013 8000,139 0013 9000. */
const COMMA_BETWEEN = `(?<=(?<!\\d)(?:(?:00)?86[\\s.-]?)?${WHOLE_MOBILE})[,，](?=(?:(?:00)?86[\\s.-]?)?${WHOLE_MOBILE}(?!\\d))`;

const SEPARATOR = new RegExp(`(?:[;；\\n\\r\\t、､]|${COMMA_BETWEEN}|${COMMA})[\\s,，;；、､]*`, 'g');

const DASH = '[-‐‑‒–—]';

const JOINT = `(?:\\s{0,2}${DASH}\\s{0,2}|\\s{1,3})`;

const COUNTRY_CODE = '(?:\\((?:\\+|00)?86\\)|(?:\\+|00)?86)';

/** Dots stand between all groups or nowhere: one dot alone is a decimal point. */
const MOBILE_GROUPS = [
  `1[3-9]\\d${DASH}?\\d{8}`,
  `1[3-9]\\d${JOINT}\\d{4}${JOINT}\\d{4}`,
  `\\(1[3-9]\\d\\)${JOINT}?\\d{4}${JOINT}?\\d{4}`,
  '1[3-9]\\d[.·]\\d{4}[.·]\\d{4}',
].join('|');

const MOBILE = `(?:${COUNTRY_CODE}(?:${JOINT}|[.·](?=\\d{3}[.·]))?)?(?:${MOBILE_GROUPS})`;

/** A mobile number as people write it, with spaces, or else any word. The first group is for a number. */
const NUMBER_OR_WORD = new RegExp(`((?:${MOBILE}|\\(${MOBILE}\\)))[.。]?(?!\\S)|\\S+`, 'g');

/**
 * Another phone number. Dashes and brackets stand around a prefix and between groups. A group of 7 digits
 * or more is the last one: 61234567-70 is a range, and 61234567-8001 has an extension.
 */
const OTHER_NUMBER = new RegExp(
  `^(?:\\+?\\d{5,20}|(?:\\(\\+?\\d{1,6}\\)${DASH}?|\\+?\\d{1,6}${DASH})(?:\\d{2,6}${DASH})*\\d{2,20})[.。]?$`,
);

const COUNTRY_CODE_ALONE = /^00\d{1,4}$/;

const DATE = new RegExp(
  `^(?:(?:19|20)\\d\\d${DASH}\\d\\d?${DASH}\\d\\d?|\\d\\d?${DASH}\\d\\d?${DASH}(?:19|20)\\d\\d)$`,
);

/**
 * Reads one or many phone numbers: an array, a whole number, or text separated by comma, semicolon, line
 * break or space. What stands between two separators is a number only if all of it is one. A space
 * belongs to a number only where people write one (138 0013 8000), and a fragment beside a number, such
 * as a country code or an extension, makes both invalid. So no message goes to a stranger.
 */
export function parsePhoneNumbers(value: unknown, format: PhoneNumberFormat): ParsedPhoneNumbers {
  const reading: Reading = { valid: [], invalid: [], format, misses: 0 };
  collect(value, reading);
  const { valid, invalid, misses } = reading;
  return { valid, invalid, isNoList: misses > MAX_INVALID };
}

interface Reading {
  valid: string[];
  invalid: string[];
  format: PhoneNumberFormat;
  /** Number of words that are no phone numbers. Adjacent ones are one text in `invalid`. */
  misses: number;
}

function collect(value: unknown, reading: Reading): void {
  if (Array.isArray(value)) {
    for (const entry of value) collect(entry, reading);
  } else if (typeof value === 'string') {
    // The usual case, read quickly: a run may have many thousands.
    if (MOBILE_NUMBER.test(value)) reading.valid.push(value);
    else collectText(value, reading);
  } else if (typeof value === 'number') {
    const digits = Number.isSafeInteger(value)
      ? readWord(String(value), reading.format)
      : undefined;
    if (digits === undefined) reject(String(value), reading);
    else reading.valid.push(digits);
  } else if (value !== null && value !== undefined) {
    reject(typeof value === 'object' ? JSON.stringify(value) : String(value), reading);
  }
}

function reject(text: string, reading: Reading): void {
  reading.invalid.push(text);
  reading.misses += 1;
}

function collectText(text: string, reading: Reading): void {
  const most = reading.misses + MAX_INVALID;
  for (const piece of piecesOf(text)) {
    if (MOBILE_NUMBER.test(piece)) reading.valid.push(piece);
    else collectPiece(piece, reading);
    if (reading.misses > most) return;
  }
}

/** The texts between separators. One after the other, so that a long text is not read in vain. */
function* piecesOf(text: string): Generator<string> {
  let start = 0;
  for (const { 0: separator, index } of text.matchAll(SEPARATOR)) {
    if (index > start) yield text.slice(start, index);
    start = index + separator.length;
  }
  yield text.slice(start);
}

interface Word {
  text: string;
  /** The digits of the phone number. Undefined for a word that is none. */
  digits?: string;
}

/** Reads text between separators. Adjacent words that are no numbers become one invalid text. */
function collectPiece(piece: string, reading: Reading): void {
  const words = wordsOf(piece, reading.format);
  const misses = words.filter(({ digits }) => digits === undefined).length;
  reading.misses += misses;
  const isSpoilt = words.length > 1 && words.some((word) => spoils(word, reading.format));
  if (isSpoilt || misses > MAX_INVALID) {
    reading.invalid.push(words.map(({ text }) => text).join(' '));
    return;
  }
  let isAfterInvalid = false;
  for (const { text, digits } of words) {
    if (digits !== undefined) reading.valid.push(digits);
    else if (isAfterInvalid) reading.invalid.push(`${reading.invalid.pop()} ${text}`);
    else reading.invalid.push(text);
    isAfterInvalid = digits === undefined;
  }
}

/** The words of a text, up to the one that is too much. */
function wordsOf(piece: string, format: PhoneNumberFormat): Word[] {
  const words: Word[] = [];
  let misses = 0;
  for (const { 0: text, 1: mobile } of toAscii(piece).matchAll(NUMBER_OR_WORD)) {
    const digits = mobile === undefined ? readWord(text, format) : mobileDigits(mobile);
    words.push({ text, digits });
    if (digits === undefined && ++misses > MAX_INVALID) break;
  }
  return words;
}

/** A longer text has ASCII only, or is no number. */
const MAX_OTHER_SCRIPT = 200_000;

/**
 * Full-width characters as ASCII, without invisible characters: address books add them, and they are
 * copied with the number. Any other character that looks like a digit is none (13800138000² is no number).
 */
function toAscii(text: string): string {
  if (/^\p{ASCII}*$/u.test(text) || text.length > MAX_OTHER_SCRIPT) return text;
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/[！-～]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));
}

/** No phone number is longer, however it is written. */
const MAX_WORD = 60;

/** The digits of a phone number without spaces in it. */
function readWord(word: string, format: PhoneNumberFormat): string | undefined {
  if (MOBILE_NUMBER.test(word)) return word;
  if (format !== 'any' || word.length > MAX_WORD || !OTHER_NUMBER.test(word)) return undefined;
  const digits = word.replace(/\D/g, '');
  const isOther = /^\d{5,20}$/.test(digits) && !COUNTRY_CODE_ALONE.test(digits) && !DATE.test(word);
  // +1 380 013 8000 is a number of another country, and without its plus one of the mainland.
  return isOther && !MOBILE_NUMBER.test(digits) ? digits : undefined;
}

function mobileDigits(mobile: string): string {
  return mobile.replace(/\D/g, '').slice(-11);
}

/** No phone number has more than 15 digits. So two groups of 8 or more are two numbers. */
const WHOLE = 8;

const FRAGMENT = new RegExp(`^(?:[(+0~～]|${DASH})|(?:[~～]|${DASH})$`);

const RANGE = new RegExp(`^(?:${DASH}|[~～至到])+$`);

/** Whether a word may be a part of the number beside it. */
function spoils({ text, digits }: Word, format: PhoneNumberFormat): boolean {
  if (format === 'any') return digits === undefined || digits.length < WHOLE;
  if (digits !== undefined) return false;
  const count = text.length > MAX_WORD ? MAX_WORD : text.replace(/\D/g, '').length;
  return count === 0 ? RANGE.test(text) : count < 5 || FRAGMENT.test(text);
}

const LOOKS_LIKE: Record<PhoneNumberFormat, string> = {
  mainlandMobile:
    "A number has 11 digits and starts with 13 to 19; +86 or 0086, and spaces or dashes as in 138 0013 8000 are fine. For other numbers set the option 'Phone Number Format'.",
  any: 'A number has 5 to 20 digits; dashes are fine, spaces only as in 138 0013 8000.',
};

const MAX_SHOWN_LENGTH = 60;

/** Says why a text is not a phone number, and what one looks like. */
export function describeInvalid(
  text: string,
  format: PhoneNumberFormat,
): { message: string; description: string } {
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return {
    message: `'Phone Numbers' has "${shown}", which is not a ${format === 'any' ? 'phone' : 'mobile'} number`,
    description: `${LOOKS_LIKE[format]} Several numbers are separated by comma, semicolon, space or line break.`,
  };
}
