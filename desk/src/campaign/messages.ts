import { findPlaceholders } from '../nodes/placeholders';
import { keyOf, parametersOf, type Recipient } from '../common/messages/campaigns';
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
    return {
      class: 'marketing',
      phone: String(row.phone_number),
      template_id,
      signature_id,
      parameters: Object.fromEntries(names.map((name) => [name, columns[name] ?? ''])),
      key: keyOf({ ...row, campaign }, row.press ?? ''),
      source: $workflow.name,
      reference: columns.order || campaign,
      phone_data: `sms_recipients:${row.id}`,
    };
  });
}
