/** What a text or list of phone numbers holds. Together the two lists hold all of it, in order. */
export interface ParsedPhoneNumbers {
  /** Normalised: eleven digits. */
  valid: string[];
  /** As written. */
  invalid: string[];
}

const SEPARATOR = /[,;\n\r\t，；、]+/;
const MOBILE_NUMBER = /^1\d{10}$/;
const DECORATION = /[\s\-‐‑‒–—().·]/g;
const COUNTRY_CODE = /^(?:\+86|0086|86(?=1\d{10}$))/;

/**
 * Reads one or many mainland phone numbers: an array, a number, or text separated by comma,
 * semicolon, line break or space. Spaces, dashes and dots inside a number and the country code
 * (+86, 0086) are removed.
 */
export function parsePhoneNumbers(value: unknown): ParsedPhoneNumbers {
  const parsed: ParsedPhoneNumbers = { valid: [], invalid: [] };
  collect(value, parsed);
  return parsed;
}

/** The number as the service takes it, or undefined when it is not a mobile number. */
export function normalisePhoneNumber(text: string): string | undefined {
  const digits = text.normalize('NFKC').replace(DECORATION, '').replace(COUNTRY_CODE, '');
  return MOBILE_NUMBER.test(digits) ? digits : undefined;
}

function collect(value: unknown, parsed: ParsedPhoneNumbers): void {
  if (Array.isArray(value)) {
    for (const entry of value) collect(entry, parsed);
  } else if (typeof value === 'string' && MOBILE_NUMBER.test(value)) {
    // As it nearly always comes, in runs of many thousands.
    parsed.valid.push(value);
  } else if (typeof value === 'string') {
    for (const piece of value.split(SEPARATOR)) collectPiece(piece.trim(), parsed);
  } else if (typeof value === 'number') {
    collectPiece(String(value), parsed);
  } else if (value !== null && value !== undefined) {
    parsed.invalid.push(JSON.stringify(value) ?? typeof value);
  }
}

/**
 * Reads text between separators. A space may separate two numbers or stand inside one, so words are
 * joined until they make a number.
 */
function collectPiece(piece: string, { valid, invalid }: ParsedPhoneNumbers): void {
  let pending: string[] = [];
  for (const word of piece.split(/\s+/)) {
    if (word === '') continue;
    pending.push(word);
    const number = normalisePhoneNumber(pending.join(''));
    if (number !== undefined) {
      valid.push(number);
      pending = [];
    }
  }
  if (pending.length > 0) invalid.push(pending.join(' '));
}
