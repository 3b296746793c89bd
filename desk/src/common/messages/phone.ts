import { parsePhoneNumbers } from '../../nodes/phoneNumbers';
import { text } from './outbox';

/** The mobile number of a caller's request. Empty when it has none, several, or a text that takes long to read. */
export function phoneIn(value: unknown): string {
  if (text(value).length > 100) return '';
  const { valid, invalid } = parsePhoneNumbers(value, 'mainlandMobile');
  return valid.length === 1 && invalid.length === 0 ? String(valid[0]) : '';
}
