/* Imports nothing: expressions of workflows have this file in them. */

const GAP = String.raw`(?![\r\n])[\s-]`;

/** A mobile number as people write it. */
export const MOBILE_FORM = String.raw`(?:tel:)?(?:(?:\+|00)?86(?:${GAP})?)?1[3-9]\d(?:\d{8}|${GAP}\d{4}${GAP}\d{4})`;

const MOBILE = new RegExp(`^${MOBILE_FORM}$`, 'i');

/** The 11 digits of a text in ASCII that is one mobile number of the mainland, and nothing else. */
export function mobileIn(text: string): string | undefined {
  return MOBILE.test(text) ? text.replace(/\D/g, '').slice(-11) : undefined;
}

/**
 * Turns full-width characters and all kinds of hyphens into ASCII, and removes invisible characters, which
 * address books add and people copy. No other character becomes a digit: 13800138000² is not a number.
 */
export function toAscii(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text;
  return text
    .replace(/[\p{Cf}\p{DI}]/gu, '')
    .replace(/[\p{Pd}−]/gu, '-')
    .replace(/[！-～]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));
}
