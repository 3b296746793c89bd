/** What a text or list of phone numbers holds. Together the two lists hold all of it, in order. */
export interface ParsedPhoneNumbers {
  /** Digits only; of mainland numbers without the country code. */
  valid: string[];
  /** As written. */
  invalid: string[];
}

const MOBILE_NUMBER = /^1[3-9]\d{9}$/;

const FORMATS = { mainlandMobile: MOBILE_NUMBER, any: /^\+?\d{5,20}$/ };

/** `mainlandMobile`: 11 digits, the first two 13 to 19. `any`: 5 to 20 digits. */
export type PhoneNumberFormat = keyof typeof FORMATS;

const SEPARATOR = /[,;\n\r\t、]+/;

/** What people write between the digits of one number. */
const DECORATION = /[-‐‑‒–—().·]/g;

const COUNTRY_CODE = /^(?:\+|00)?86(?=1[3-9]\d{9}$)/;

/**
 * A number in several words: digits in groups of 3, 4 and 4, or a country code before the number. Or,
 * as the last alternative, any word.
 */
const NUMBER_OR_WORD =
  /\(?(?:(?:\+|00)?86[\s\-‐‑‒–—().·]{0,3})?1[3-9]\d[\s\-‐‑‒–—().·]{1,3}\d{4}[\s\-‐‑‒–—().·]{1,3}\d{4}(?!\S)|\(?(?:\+|00)?86\)?\s{1,3}1[3-9](?:[-‐‑‒–—().·]?\d){9}(?!\S)|\S+/g;

/**
 * Reads one or many phone numbers: an array, a number, or text separated by comma, semicolon, line
 * break or space. Dashes, dots and brackets inside a word, and the country code of mainland China
 * (+86, 0086), are removed. A space stands inside a number only where people put it (138 0013 8000):
 * two fragments never make the number of a stranger.
 */
export function parsePhoneNumbers(value: unknown, format: PhoneNumberFormat): ParsedPhoneNumbers {
  const parsed: ParsedPhoneNumbers = { valid: [], invalid: [] };
  collect(value, FORMATS[format], parsed);
  return parsed;
}

function collect(value: unknown, format: RegExp, parsed: ParsedPhoneNumbers): void {
  if (Array.isArray(value)) {
    for (const entry of value) collect(entry, format, parsed);
  } else if (typeof value === 'string' && MOBILE_NUMBER.test(value)) {
    // As it nearly always comes, in runs of many thousands.
    parsed.valid.push(value);
  } else if (typeof value === 'string') {
    // Without the invisible characters that are copied along from address books.
    const text = value.normalize('NFKC').replace(/\p{Cf}/gu, '');
    for (const piece of text.split(SEPARATOR)) {
      if (MOBILE_NUMBER.test(piece)) parsed.valid.push(piece);
      else collectPiece(piece, format, parsed);
    }
  } else if (typeof value === 'number') {
    const text = String(value);
    (format.test(text) ? parsed.valid : parsed.invalid).push(text);
  } else if (value !== null && value !== undefined) {
    parsed.invalid.push(typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
}

/** Reads text between separators. Neighbours that are no numbers are told together. */
function collectPiece(piece: string, format: RegExp, { valid, invalid }: ParsedPhoneNumbers): void {
  const words = [...piece.matchAll(NUMBER_OR_WORD)].map(([text]) => ({
    text,
    digits: text.replace(DECORATION, '').replace(/\s/g, '').replace(COUNTRY_CODE, ''),
  }));
  // Beside a fragment, a short number may be one too: the end of +852 6123 45678.
  const hasFragment = words.some(({ digits }) => !format.test(digits));
  let isAfterInvalid = false;
  for (const { text, digits } of words) {
    const isValid = MOBILE_NUMBER.test(digits) || (!hasFragment && format.test(digits));
    if (isValid) valid.push(digits.replace('+', ''));
    else if (isAfterInvalid) invalid.push(`${invalid.pop()} ${text}`);
    else invalid.push(text);
    isAfterInvalid = !isValid;
  }
}
