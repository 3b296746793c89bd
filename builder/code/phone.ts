/** Phone numbers in expressions: what may not depend on a Code node, which runs in another process. */
import { mobileIn, toAscii } from '../../nodes/SmsMessagingService/parameters/mobile';

/**
 * The 11 digits of a text that is one mobile number of the mainland and nothing else; otherwise nothing. It takes no
 * number that parsePhoneNumbers does not take.
 */
export function mobileOf(value: unknown): string {
  const text = toAscii(String(value ?? '')).replace(/^[\s,;、､]+|[\s,;、､]+$/g, '');
  return mobileIn(text) ?? '';
}

/**
 * A record's phone number: 11 digits if it has those of one mobile number of the mainland and no others, otherwise as
 * it came. Whoever opts out is to be found, however the service writes the number.
 */
export function phoneOf(value: unknown): string {
  const text = String(value ?? '').replaceAll('\0', '');
  return mobileOf(text.normalize('NFKC').replace(/^\W*tel|[^\w+]/gi, '')) || text;
}
