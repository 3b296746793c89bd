import { parsePhoneNumbers } from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import type { Fields, Item, N8n } from '../n8n';

/**
 * One item for each phone number of a customer, written as it stands on the opt-out list. What is no
 * mobile number keeps an item, so that the send reports it.
 */
export default function itemPerNumber({ $input }: N8n): Item<Fields & { phone: string }>[] {
  return $input.all().flatMap(({ json }, item) => {
    const { valid, invalid } = parsePhoneNumbers(json.phone, 'mainlandMobile');
    const phones = [...valid, ...invalid];
    return (phones.length > 0 ? phones : ['']).map((phone) => ({
      json: { ...json, phone },
      pairedItem: { item },
    }));
  });
}
