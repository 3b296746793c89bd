import { parsePhoneNumbers } from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import type { Fields, Item, N8n } from '../n8n';

/** One row for each number of the list. What is no phone number becomes a failed row, so nothing is lost. */
export default function newRows({ $input, $execution }: N8n): Item[] {
  const { campaign, recipients } = $input.first<{ body?: Fields }>().json.body ?? {};
  if (typeof campaign !== 'string' || campaign.trim() === '') {
    throw new Error(
      'The request has no "campaign": the name that is in the settings of the send too.',
    );
  }
  if (!Array.isArray(recipients) || recipients.length === 0) {
    throw new Error('The request has no list of "recipients".');
  }

  const changed = new Date().toISOString();
  const rowFor = (recipient: Fields, phone_number: string, isNumber: boolean) => ({
    json: {
      campaign,
      phone_number,
      name: String(recipient.name ?? ''),
      order: String(recipient.order ?? ''),
      date: String(recipient.date ?? ''),
      status: isNumber ? 'pending' : 'failed',
      // The load. Later it is the portion that the row is sent in.
      portion: $execution.id,
      batch_id: '',
      reason: isNumber ? '' : 'Not a phone number',
      changed,
      sent_at: null,
    },
  });

  const known = new Set<string>();
  return recipients.flatMap((each: Fields | null) => {
    const recipient = each ?? {};
    const { valid, invalid } = parsePhoneNumbers(recipient.phone, 'mainlandMobile');
    if (valid.length + invalid.length === 0) invalid.push('');
    const fresh = valid.filter((number) => !known.has(number) && known.add(number));
    return [
      ...fresh.map((number) => rowFor(recipient, number, true)),
      ...invalid.map((text) => rowFor(recipient, text, false)),
    ];
  });
}
