import { parsePhoneNumbers } from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import type { Fields, Item, N8n } from '../n8n';

function text(value: unknown): string {
  return String(value ?? '');
}

/**
 * One row for each phone number that the campaign does not have yet. What is no phone number becomes a
 * failed row, so nothing is lost. A Merge node would compare each number with each row: minutes.
 */
export default function newRows({ $input, $ }: N8n): Item[] {
  const { campaign, recipients } = $('Recipients').first().json;
  if (typeof campaign !== 'string' || campaign.trim() === '') {
    throw new Error(
      'The request has no "campaign": the name that is in the settings of the send too.',
    );
  }
  if (!Array.isArray(recipients)) throw new Error('The request has no list of "recipients".');

  const changed = new Date().toISOString();
  const row = (recipient: Fields, phone_number: string, status: string, reason: string) => ({
    json: {
      campaign,
      phone_number,
      name: text(recipient.name),
      order: text(recipient.order),
      date: text(recipient.date),
      status,
      portion: '',
      batch_id: '',
      reason,
      changed,
      sent_at: null,
    },
  });

  const known = new Set($input.all().map(({ json }) => json.phone_number));
  return recipients.flatMap((each: Fields | null) => {
    const recipient = each ?? {};
    const { valid, invalid } = parsePhoneNumbers(recipient.phone, 'mainlandMobile');
    if (valid.length + invalid.length === 0) invalid.push('');
    const fresh = valid.filter((number) => !known.has(number) && known.add(number));
    return [
      ...fresh.map((number) => row(recipient, number, 'pending', '')),
      ...invalid.map((number) => row(recipient, number, 'failed', 'Not a phone number')),
    ];
  });
}
