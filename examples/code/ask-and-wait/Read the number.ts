import { parsePhoneNumbers } from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import type { Item, N8n } from '../n8n';

/** The mobile number of the one customer that is here: "More than one?" gives each an execution of its own. */
export default function readNumber({ $input }: N8n): Item[] {
  const customer = $input.first().json;
  const { valid, invalid } = parsePhoneNumbers(customer.phone, 'mainlandMobile');
  const [phone_number] = valid;
  if (valid.length !== 1 || invalid.length > 0) {
    const found = `${valid.length} and ${invalid.length} other texts`;
    throw new Error(`"phone" must hold one mobile number. It holds ${found}.`);
  }
  const question = String(customer.question ?? '');
  const answers = String(customer.answers || '1,2');
  return [{ json: { ...customer, phone_number, question, answers }, pairedItem: 0 }];
}
