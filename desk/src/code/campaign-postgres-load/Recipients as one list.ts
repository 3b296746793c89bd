import { parsePhoneNumbers } from '../../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import { clean } from '../clean';
import type { Fields, Item, N8n } from '../n8n';

/** One list for one statement. A phone number becomes 11 digits; all other fields become template parameters. */
export default function recipientsAsOneList({ $input }: N8n): Item[] {
  const { campaign, recipients } = $input.first<{ body?: Fields }>().json.body ?? {};
  if (clean(campaign).trim() === '' || !Array.isArray(recipients)) {
    throw new Error('Give { "campaign": "a name", "recipients": [ { "phone": "13800138000" } ] }');
  }
  const rows = [];
  const invalid = [];
  for (const recipient of recipients as (Fields | null)[]) {
    const { phone, ...fields } = recipient ?? {};
    const numbers = parsePhoneNumbers(phone, 'mainlandMobile');
    // The SMS node takes text only: a number may have lost leading zeros.
    const parameters = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [clean(name), clean(value)]),
    );
    for (const phone_number of numbers.valid) rows.push({ phone_number, parameters });
    invalid.push(...numbers.invalid);
    if (numbers.valid.length + numbers.invalid.length === 0) invalid.push('');
  }
  return [
    {
      json: {
        campaign: clean(campaign).trim(),
        rows: JSON.stringify(rows),
        invalid: invalid.length,
        first_invalid: invalid.slice(0, 20),
      },
    },
  ];
}
