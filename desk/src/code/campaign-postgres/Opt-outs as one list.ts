import { parsePhoneNumbers } from '../../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import type { Item, N8n } from '../n8n';

/** One list for one statement. Somebody may have typed a number into the data table by hand. */
export default function optOutsAsOneList({ $input }: N8n): Item<{ numbers: string }>[] {
  const numbers = $input
    .all()
    .flatMap(({ json }) => parsePhoneNumbers(json.phone_number, 'mainlandMobile').valid);
  return [{ json: { numbers: JSON.stringify([...new Set(numbers)]) } }];
}
