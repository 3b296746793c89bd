import { parsePhoneNumbers } from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import type { Fields, Item, N8n } from '../n8n';

function numbersIn(value: unknown): string[] {
  return parsePhoneNumbers(value, 'mainlandMobile').valid;
}

/**
 * Whether each row is of a number that opted out. A set finds a number at once, where a Merge node compares
 * each row with each opt-out. A number that was typed or imported may have any spelling.
 */
export default function lookForOptOuts({
  $input,
  $,
}: N8n): Item<Fields & { opted_out: boolean }>[] {
  const list = $('Who opted out').all();
  const optedOut = new Set(numbersIn(list.map(({ json }) => json.phone_number)));
  return $input.all().map(({ json }) => {
    const opted_out = numbersIn(json.phone_number).some((number) => optedOut.has(number));
    return { json: { ...json, opted_out } };
  });
}
