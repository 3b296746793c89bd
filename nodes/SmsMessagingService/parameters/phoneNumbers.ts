/* Imports nothing of n8n: the Code nodes of the example workflows have this file in them. */

import { listed } from '../service/sentences';

/** The phone numbers in a text or list. The two lists together hold all of its texts, each in order. */
export interface ParsedPhoneNumbers {
  /** Digits only. Mainland numbers have no country code. */
  valid: string[];
  /** As written. */
  invalid: string[];
  /** More than MAX_INVALID words are not phone numbers, so nothing is sent to the others either. */
  isNotAList: boolean;
}

/** `mainlandMobile`: 11 digits, the first two 13 to 19. `any`: 5 to 20 digits. */
export type PhoneNumberFormat = 'mainlandMobile' | 'any';

/** A text with more words that are not phone numbers is not read to its end. */
export const MAX_INVALID = 1_000;

const MOBILE_NUMBER = /^1[3-9]\d{9}$/;

/**
 * A comma that separates numbers. A comma between digits with a group of 1 to 4 digits on one side does
 * not: it may belong to an amount (13,800,138,000 or 61234567,50), or follow a country code.
 */
const COMMA = '[,，](?!(?<=\\d[,，])\\d{1,4}(?!\\d))(?!(?<=(?<!\\d)(?:00)?\\d{1,4}[,，])\\d)';

const WHOLE_MOBILE = '1[3-9]\\d[\\s.-]?\\d{4}[\\s.-]?\\d{4}';

/** A comma between two whole mobile numbers, even if written in groups: 138 0013 8000,139 0013 9000. */
const COMMA_BETWEEN = `(?<=(?<!\\d)(?:(?:00)?86[\\s.-]?)?${WHOLE_MOBILE})[,，](?=(?:(?:00)?86[\\s.-]?)?${WHOLE_MOBILE}(?!\\d))`;

const SEPARATOR = new RegExp(`(?:[;；\\n\\r\\t、､]|${COMMA_BETWEEN}|${COMMA})[\\s,，;；、､]*`, 'g');

const DASH = '[-‐‑‒–—]';

const JOINT = `(?:\\s{0,2}${DASH}\\s{0,2}|\\s{1,3})`;

const COUNTRY_CODE = '(?:\\((?:\\+|00)?86\\)|(?:\\+|00)?86)';

/** Dots separate all groups or none: a single dot is a decimal point. */
const MOBILE_GROUPS = [
  `1[3-9]\\d${DASH}?\\d{8}`,
  `1[3-9]\\d${JOINT}\\d{4}${JOINT}\\d{4}`,
  `\\(1[3-9]\\d\\)${JOINT}?\\d{4}${JOINT}?\\d{4}`,
  '1[3-9]\\d[.·]\\d{4}[.·]\\d{4}',
].join('|');

const MOBILE = `(?:${COUNTRY_CODE}(?:${JOINT}|[.·](?=\\d{3}[.·]))?)?(?:${MOBILE_GROUPS})`;

/** A mobile number as people write it, with spaces, or else any word. Group 1 is set for a mobile number. */
const NUMBER_OR_WORD = new RegExp(`((?:${MOBILE}|\\(${MOBILE}\\)))[.。]?(?!\\S)|\\S+`, 'g');

/**
 * Another phone number: digits, possibly with a prefix in brackets and with dashes between groups. Only
 * the last group may have 7 digits or more: 61234567-70 is a range, and 61234567-8001 has an extension.
 */
const OTHER_NUMBER = new RegExp(
  `^(?:\\+?\\d{5,20}|(?:\\(\\+?\\d{1,6}\\)${DASH}?|\\+?\\d{1,6}${DASH})(?:\\d{2,6}${DASH})*\\d{2,20})[.。]?$`,
);

const COUNTRY_CODE_ALONE = /^00\d{1,4}$/;

const DATE = new RegExp(
  `^(?:(?:19|20)\\d\\d${DASH}\\d\\d?${DASH}\\d\\d?|\\d\\d?${DASH}\\d\\d?${DASH}(?:19|20)\\d\\d)$`,
);

/**
 * Reads one or many phone numbers: an array, a whole number, or text with commas, semicolons, line breaks
 * or spaces between numbers. So that no message goes to a stranger, the text between two separators is a
 * number only if all of it is one. A space is part of a number only where people write one (138 0013 8000),
 * and a fragment beside a number, such as a country code or an extension, makes both invalid.
 */
export function parsePhoneNumbers(value: unknown, format: PhoneNumberFormat): ParsedPhoneNumbers {
  const reading: Reading = { valid: [], invalid: [], format, misses: 0 };
  collect(value, reading);
  const { valid, invalid, misses } = reading;
  return { valid, invalid, isNotAList: misses > MAX_INVALID };
}

interface Reading extends Pick<ParsedPhoneNumbers, 'valid' | 'invalid'> {
  format: PhoneNumberFormat;
  /** Number of words that are not phone numbers. Adjacent ones are one text in `invalid`. */
  misses: number;
}

function collect(value: unknown, reading: Reading): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value)) {
    for (const entry of value) collect(entry, reading);
  } else if (typeof value === 'string') {
    collectText(value, reading);
  } else {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    const digits = Number.isSafeInteger(value) ? readWord(text, reading.format) : undefined;
    if (digits === undefined) reject(text, reading);
    else reading.valid.push(digits);
  }
}

function reject(text: string, reading: Reading): void {
  reading.invalid.push(text);
  reading.misses += 1;
}

function collectText(text: string, reading: Reading): void {
  // Most texts are one mobile number, and a run may have many thousands.
  if (MOBILE_NUMBER.test(text)) {
    reading.valid.push(text);
    return;
  }
  const maxMisses = reading.misses + MAX_INVALID;
  for (const piece of piecesOf(text)) {
    if (MOBILE_NUMBER.test(piece)) reading.valid.push(piece);
    else collectPiece(piece, reading);
    if (reading.misses > maxMisses) return;
  }
}

/** Yields the texts between separators one by one, so that a long text need not be read to its end. */
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
  /** The digits of the phone number; undefined if the word is not one. */
  digits?: string;
}

/** Reads a text between separators. Adjacent words that are not numbers become one invalid text. */
function collectPiece(piece: string, reading: Reading): void {
  const words = wordsOf(piece, reading.format);
  const misses = words.filter(({ digits }) => digits === undefined).length;
  reading.misses += misses;
  const hasFragment = words.length > 1 && words.some((word) => isFragment(word, reading.format));
  if (hasFragment || misses > MAX_INVALID) {
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

/** Returns the words of a text, up to the first beyond MAX_INVALID that is not a number. */
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

/** In characters. A longer text is not converted, so only its ASCII characters can be numbers. */
const MAX_OTHER_SCRIPT = 200_000;

/**
 * Turns full-width characters into ASCII, and removes invisible ones, which address books add and people
 * copy. No other character becomes a digit: 13800138000² is not a number.
 */
function toAscii(text: string): string {
  if (/^\p{ASCII}*$/u.test(text) || text.length > MAX_OTHER_SCRIPT) return text;
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/[！-～]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));
}

/** In characters. No phone number is longer, however it is written. */
const MAX_WORD = 60;

/** Returns the digits of a phone number without spaces; undefined if the word is not one. */
function readWord(word: string, format: PhoneNumberFormat): string | undefined {
  if (MOBILE_NUMBER.test(word)) return word;
  if (format !== 'any' || word.length > MAX_WORD || !OTHER_NUMBER.test(word)) return undefined;
  const digits = word.replace(/\D/g, '');
  const isOther = /^\d{5,20}$/.test(digits) && !COUNTRY_CODE_ALONE.test(digits) && !DATE.test(word);
  // +1 380 013 8000 is a number of another country; without its plus, it would be one of the mainland.
  return isOther && !MOBILE_NUMBER.test(digits) ? digits : undefined;
}

function mobileDigits(mobile: string): string {
  return mobile.replace(/\D/g, '').slice(-11);
}

/** A word with this many digits is a whole number: none has more than 15, so two such words are two numbers. */
const MIN_WHOLE = 8;

const FRAGMENT_EDGE = new RegExp(`^(?:[(+0~～]|${DASH})|(?:[~～]|${DASH})$`);

const RANGE = new RegExp(`^(?:${DASH}|[~～至到])+$`);

/** Whether a word may be part of the number beside it. */
function isFragment({ text, digits }: Word, format: PhoneNumberFormat): boolean {
  if (format === 'any') return digits === undefined || digits.length < MIN_WHOLE;
  if (digits !== undefined) return false;
  const count = text.length > MAX_WORD ? MAX_WORD : text.replace(/\D/g, '').length;
  return count === 0 ? RANGE.test(text) : count < 5 || FRAGMENT_EDGE.test(text);
}

const LOOKS_LIKE: Record<PhoneNumberFormat, string> = {
  mainlandMobile:
    "A number has 11 digits and starts with 13 to 19; +86 or 0086, and spaces or dashes as in 138 0013 8000 are fine. For other numbers set the option 'Phone Number Format'.",
  any: 'A number has 5 to 20 digits; dashes are fine, spaces only as in 138 0013 8000.',
};

const MAX_SHOWN_LENGTH = 60;

/** A text as an error quotes it. */
export function shortened(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

/** The end of the sentence: about one text, and about several. */
const NOT_A_NUMBER: Record<PhoneNumberFormat, [string, string]> = {
  mainlandMobile: [', which is not a mobile number', ', which are not mobile numbers'],
  any: [', which is not a phone number', ', which are not phone numbers'],
};

/** The number of texts that an error quotes at most. */
const MAX_QUOTED = 10;

/** Returns the texts of an error: why texts are not phone numbers, and what one looks like. */
export function describeInvalid(
  texts: string[],
  format: PhoneNumberFormat,
): { message: string; description: string } {
  const quoted = listed(
    texts.map((text) => `"${shortened(text)}"`),
    MAX_QUOTED,
  );
  return {
    message: `'Phone Numbers' has ${quoted}${NOT_A_NUMBER[format][texts.length === 1 ? 0 : 1]}`,
    description: `${LOOKS_LIKE[format]} Several numbers are separated by comma, semicolon, space or line break.`,
  };
}
