import { findPlaceholders } from '../nodes/placeholders';
import { parametersOf, type Recipient } from '../common/messages/campaigns';
import { phoneIn } from '../common/messages/outbox';
import type { Fields, N8n } from '../../../builder/code/n8n';

/** A portion: its campaign, and its rows as one text. */
interface Portion {
  campaign: string;
  template_id: string;
  signature_id: string;
  content: string | null;
  packed: string;
}

/** One message for each claimed row. An expression for each field of each row would take seconds. */
export default function messages({ $input, $workflow }: N8n): Fields[] {
  const { campaign, template_id, signature_id, content, packed } = $input.first<Portion>().json;
  const { names } = findPlaceholders(content ?? '');
  return (JSON.parse(packed) as Recipient[]).map((row) => {
    const columns = parametersOf(row);
    // A number that was typed by hand may have any spelling.
    const phone = phoneIn(row.phone_number) || row.phone_number;
    return {
      class: 'marketing',
      phone: String(row.phone_number),
      template_id,
      signature_id,
      parameters: Object.fromEntries(names.map((name) => [name, columns[name] ?? ''])),
      // The outbox sends once under it: once in a campaign, and once for each press that sends it again.
      key: [campaign, phone, row.press].filter(Boolean).join('|'),
      source: $workflow.name,
      reference: columns.order || campaign,
      phone_data: `sms_recipients:${row.id}`,
    };
  });
}
