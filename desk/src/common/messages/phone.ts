import { parsePhoneNumbers } from '../../nodes/phoneNumbers';

/** A long text takes long to read. */
const MAX_LENGTH = 100;

/** The number of characters of a field of a request. */
function lengthOf(value: unknown): number {
  const text = typeof value === 'object' ? JSON.stringify(value ?? '') : String(value ?? '');
  return text.length;
}

/** The mobile number of a caller's request. Empty when it has none, several, or a long text. */
export function phoneIn(value: unknown): string {
  if (lengthOf(value) > MAX_LENGTH) return '';
  const { valid, invalid } = parsePhoneNumbers(value, 'mainlandMobile');
  return valid.length === 1 && invalid.length === 0 ? String(valid[0]) : '';
}
