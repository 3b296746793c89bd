/** The phone numbers in a text or list. Together the two lists hold all of it, in order. */
export interface ParsedPhoneNumbers {
  /** Digits only. Mainland numbers are without the country code. */
  valid: string[];
  /** As written. */
  invalid: string[];
}

const MOBILE_NUMBER = /^1[3-9]\d{9}$/;

const FORMATS = { mainlandMobile: MOBILE_NUMBER, any: /^\+?\d{5,20}$/ };

/** `mainlandMobile`: 11 digits, the first two 13 to 19. `any`: 5 to 20 digits. */
export type PhoneNumberFormat = keyof typeof FORMATS;

const SEPARATOR = /[,;\n\r\t、]+/;

/** Characters that people write between the digits of one number. */
const DECORATION = /[-‐‑‒–—().·]/g;

const COUNTRY_CODE = /^(?:\+|00)?86(?=1[3-9]\d{9}$)/;

/**
 * A number with spaces in it (digits in groups of 3, 4 and 4, or a country code before the number), or
 * else any word.
 */
const NUMBER_OR_WORD =
  /\(?(?:(?:\+|00)?86[\s\-‐‑‒–—().·]{0,3})?1[3-9]\d[\s\-‐‑‒–—().·]{1,3}\d{4}[\s\-‐‑‒–—().·]{1,3}\d{4}(?!\S)|\(?(?:\+|00)?86\)?\s{1,3}1[3-9](?:[-‐‑‒–—().·]?\d){9}(?!\S)|\S+/g;

/**
 * Reads one or many phone numbers: an array, a number, or text separated by comma, semicolon, line
 * break or space. Removes dashes, dots and brackets inside a word, and the country code of mainland
 * China (+86, 0086). A space belongs to a number only where people write one (138 0013 8000), so two
 * fragments never become the number of a stranger.
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
    // The usual case, read quickly: a run may have many thousands.
    parsed.valid.push(value);
  } else if (typeof value === 'string') {
    // Address books add invisible characters, which are copied with the number.
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

/** Reads text between separators. Adjacent words that are no numbers become one invalid text. */
function collectPiece(piece: string, format: RegExp, { valid, invalid }: ParsedPhoneNumbers): void {
  const words = [...piece.matchAll(NUMBER_OR_WORD)].map(([text]) => ({
    text,
    digits: text.replace(DECORATION, '').replace(/\s/g, '').replace(COUNTRY_CODE, ''),
  }));
  // Beside a fragment, a short number may be a fragment too, such as the end of +852 6123 45678.
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

const LOOKS_LIKE: Record<PhoneNumberFormat, string> = {
  mainlandMobile:
    "A number has 11 digits and starts with 13 to 19; +86 or 0086, spaces (138 0013 8000) and dashes are fine. For other numbers set the option 'Phone Number Format'.",
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
