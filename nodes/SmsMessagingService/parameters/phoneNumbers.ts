/* Imports nothing of n8n: the Code nodes of the example workflows have this file in them. */

import { listed, shortened } from '../service/sentences';
import { MOBILE_FORM, mobileIn, toAscii } from './mobile';

/** The phone numbers in a text or list. The two lists together hold all of its texts, each in order. */
export interface ParsedPhoneNumbers {
  /** Digits only. Mainland numbers have no country code. */
  valid: string[];
  /** As written, with a code for what cannot be seen: 138[U+0085]00138000. */
  invalid: string[];
}

/** `mainlandMobile`: 11 digits, the first two 13 to 19. `any`: 5 to 20 digits. */
export type PhoneNumberFormat = 'mainlandMobile' | 'any';

/** The label of the field, and of the option that says which numbers are valid. */
export const PHONE_NUMBERS = 'Phone Numbers';
export const PHONE_NUMBER_FORMAT = 'Phone Number Format';

const MOBILE_DIGITS = /^1[3-9]\d{9}$/;

/** A number that is not of the mainland. 00852 is none, but a country code. */
const OTHER_NUMBER = /^(?:tel:)?(?:(?:\+|00)(?!0)|(?!00))(\d{5,20})$/i;

/** Of North America. Only digits are sent, and they would be a mobile number of the mainland. */
const AMBIGUOUS = /^(?:tel:)?(?:\+|00)1[3-9]\d{9}$/i;

/**
 * A comma between digits with a group of 1 to 4 digits on one side separates nothing, unless it stands
 * between two whole mobile numbers: it may belong to an amount (13,800,138,000 or 61234567,50), or follow a
 * country code. Nor does a semicolon before a part of the number: tel:13800138000;phone-context=+49.
 */
const SEPARATOR = new RegExp(
  [
    String.raw`[、､\r\n]+|;+(?!\s*[\w-]+=)`,
    String.raw`,(?!(?<=\d,)\d{1,4}(?![\d-])|(?<=(?<![\d-])(?:00)?\d{1,4},)\d)`,
    String.raw`,(?=${MOBILE_FORM}\s*(?:$|[,;、､\r\n]))(?<=(?:^|[,;、､\r\n])\s*${MOBILE_FORM},)`,
  ].join('|'),
  'i',
);

/** A word with fewer digits may be a part of the number beside it, such as a country code or an extension. */
const MIN_WHOLE = 8;

/** A country code of its own: what comes next may be a number of that country. */
const COUNTRY_CODE = /^(?:tel:)?(?:\+|00)(?!86$)\d{1,4}$/i;

/**
 * Reads one or many phone numbers: an array, a whole number, or text with commas, semicolons, line breaks
 * or spaces between numbers. So that no message goes to a stranger, a word is a number only if all of it is
 * one, it has no fragment beside it, with a space between, and does not follow a country code. Only a mobile
 * number that stands alone may have spaces inside: 138 0013 8000.
 */
export function parsePhoneNumbers(value: unknown, format: PhoneNumberFormat): ParsedPhoneNumbers {
  // Most texts are one mobile number, and a run may have many thousands.
  if (typeof value === 'string' && MOBILE_DIGITS.test(value)) {
    return { valid: [value], invalid: [] };
  }
  const found: Collected = { valid: [], invalid: [] };
  collect(entriesOf(value ?? ''), format, found);
  const { valid, invalid } = found;
  return { valid, invalid };
}

interface Collected extends ParsedPhoneNumbers {
  /** The latest word was a country code of its own. */
  isAfterCode?: boolean;
}

/** The entries of a JSON list of texts and numbers, which AI agents write; of all else, the value itself. */
function entriesOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*\[/.test(value)) return value;
  try {
    const entries = JSON.parse(value.trim()) as unknown[];
    if (entries.some((entry) => !['string', 'number'].includes(typeof entry))) return value;
    // As it is written there, a number may be an amount: 13800138000.0.
    const written = value.match(/"(?:[^"\\]|\\.)*"|[^\s,[\]]+/g);
    return entries.map((entry, index) => (Number.isSafeInteger(entry) ? written?.[index] : entry));
  } catch {
    return value;
  }
}

function collect(value: unknown, format: PhoneNumberFormat, found: Collected): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      const before = found.valid.length + found.invalid.length;
      collect(entry ?? '', format, found);
      // Somebody would get nothing, and nobody would be told. A list inside may be empty.
      const isEmpty = found.valid.length + found.invalid.length === before && !Array.isArray(entry);
      if (isEmpty) refuse([`(entry ${index + 1} is empty)`], found);
    }
  } else if (typeof value === 'string' || Number.isSafeInteger(value)) {
    for (const part of toAscii(String(value)).split(SEPARATOR)) {
      if (part.trim() !== '') collectPart(part.trim(), format, found);
    }
  } else {
    refuse([typeof value === 'object' ? JSON.stringify(value) : String(value)], found);
  }
}

/** Reads what stands between two separators. Adjacent words that are not numbers become one text. */
function collectPart(part: string, format: PhoneNumberFormat, found: Collected): void {
  const words = numberIn(part, format) === undefined ? part.split(/\s+/) : [part];
  let refused: string[] = [];
  for (const [index, word] of words.entries()) {
    const nearby = words.slice(Math.max(index - 1, 0), index + 2);
    const isDoubtful =
      found.isAfterCode ||
      (nearby.length > 1 && nearby.some((each) => each.replace(/\D/g, '').length < MIN_WHOLE));
    found.isAfterCode = COUNTRY_CODE.test(word);
    const number = isDoubtful ? undefined : numberIn(word, format);
    if (number === undefined) {
      refused.push(word);
    } else {
      refuse(refused, found);
      refused = [];
      found.valid.push(number);
    }
  }
  refuse(refused, found);
}

function refuse(words: string[], found: Collected): void {
  if (words.length === 0) return;
  const codeOf = (sign: string) => sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  found.invalid.push(words.join(' ').replace(/\p{C}/gu, (sign) => `[U+${codeOf(sign)}]`));
}

/** Returns the digits of a phone number; undefined if the text is not one. */
function numberIn(text: string, format: PhoneNumberFormat): string | undefined {
  const mobile = mobileIn(text);
  if (mobile !== undefined || format !== 'any' || AMBIGUOUS.test(text)) return mobile;
  return OTHER_NUMBER.exec(text)?.[1];
}

const MAX_QUOTED = 10;

const BETWEEN = ', with a comma, semicolon or line break between several';

const WORDS: Record<PhoneNumberFormat, [noun: string, advice: string]> = {
  mainlandMobile: [
    'mobile number',
    `A number has 11 digits and starts with 13 to 19, as in 13800138000 or +8613800138000${BETWEEN}; for others set '${PHONE_NUMBER_FORMAT}'.`,
  ],
  any: [
    'phone number',
    `A number has 5 to 20 digits with nothing between them, as in +85261234567${BETWEEN}.`,
  ],
};

export function describeInvalid(
  texts: string[],
  format: PhoneNumberFormat,
): { message: string; description: string } {
  const [noun, advice] = WORDS[format];
  const quoted = texts.map((text) => `"${shortened(text)}"`);
  const isOne = texts.length === 1;
  const what = isOne ? `which is not a ${noun}` : `which are not ${noun}s`;
  const ambiguous = texts.flatMap((text) => text.split(' ')).find((word) => AMBIGUOUS.test(word));
  return {
    message: `'${PHONE_NUMBERS}' has ${listed(quoted, MAX_QUOTED)}, ${what}`,
    description: ambiguous
      ? `Only digits are sent, and as digits ${ambiguous} would be a mobile number of mainland China: if you mean that one, write its 11 digits alone.`
      : advice,
  };
}
