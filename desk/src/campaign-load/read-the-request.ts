import { parsePhoneNumbers } from '../nodes/phoneNumbers';
import type { Cells } from '../../tables.mjs';
import { reasonOf } from '../common/messages/reasons';
import { clean } from '../common/text/clean';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';

/** What to load. */
export interface Load {
  campaign: string;
  template_id: string;
  signature_id: string;
  start: boolean;
  /** How many recipients the list has. */
  recipients: number;
  /** How many numbers the list has, counted as often as they come. */
  numbers: number;
  rows: Omit<Cells<'sms_recipients', 'line' | 'sent_at'>, 'segments' | 'blank'>[];
}

/** One row for each number of the list. What is no phone number becomes an invalid row, so nothing is lost. */
export default function readTheRequest({ $input, $execution }: N8n): Item<Load>[] {
  const { json } = $input.first<Fields & { body?: Fields }>();
  const request = json.body ?? json;
  const { recipients, lines } = request;
  const campaign = textOf(request.campaign);
  if (typeof request.campaign !== 'string' || campaign === '') {
    throw new Error('The request has no "campaign": its name.');
  }
  if (!Array.isArray(recipients) || recipients.length === 0) {
    throw new Error('The request has no list of "recipients".');
  }

  const changed = new Date().toISOString();
  const known = new Set<string>();
  let numbers = 0;
  const rows = recipients.flatMap((each: Fields | null, index) => {
    const { phone, ...others } = each ?? {};
    const { valid, invalid } = parsePhoneNumbers(phone, 'mainlandMobile');
    if (valid.length + invalid.length === 0) invalid.push('');
    numbers += valid.length;
    const parameters = Object.entries(others).map(([name, value]) => [clean(name), textOf(value)]);
    const rowFor = (phone_number: string, isNumber: boolean) => ({
      campaign,
      phone_number: clean(phone_number).slice(0, 100),
      parameters: JSON.stringify(Object.fromEntries(parameters)),
      line: Array.isArray(lines) ? Number(lines[index]) : index + 1,
      status: isNumber ? 'pending' : 'invalid',
      // The load. Later it is the portion that the row is sent in.
      portion: $execution.id,
      batch_id: '',
      reason: isNumber ? '' : reasonOf('Not a phone number'),
      changed,
      sent_at: null,
    });
    const fresh = valid.filter((number) => !known.has(number) && known.add(number));
    return [
      ...fresh.map((number) => rowFor(number, true)),
      ...invalid.map((text) => rowFor(text, false)),
    ];
  });
  const template_id = textOf(request.template_id);
  const signature_id = textOf(request.signature_id);
  const start = request.start === true;
  const load = { campaign, template_id, signature_id, start, numbers, rows };
  return [{ json: { ...load, recipients: recipients.length } }];
}

function textOf(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  return clean(text ?? '').trim();
}
