import { findPlaceholders } from '../nodes/placeholders';
import { keyOf, parametersOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import type { Fields, N8n } from '../../../builder/code/n8n';
import type { Row } from '../tables';

/** One message for each claimed row. An expression for each field of each row would take seconds. */
export default function messages({ $, $workflow }: N8n): Fields[] {
  const { template_id, signature_id, content } = $('Choose the campaign').first<Campaign>().json;
  const { names } = findPlaceholders(content ?? '');
  const presses = new Map(
    $('Resends')
      .all<Row<'sms.resends'>>()
      .map(({ json }) => [`${json.recipient} ${json.phone_number}`, json.press]),
  );
  const claimed = $('Claim the portion').all<Recipient>();
  return claimed.map(({ json: row }) => {
    const press = presses.get(`${row.id} ${row.phone_number}`);
    const phone = String(row.phone_number);
    const columns = parametersOf(row);
    return {
      class: 'marketing',
      phone,
      template_id,
      signature_id,
      parameters: Object.fromEntries(names.map((name) => [name, columns[name] ?? ''])),
      key: keyOf(row, press),
      source: $workflow.name,
      reference: columns.order || row.campaign,
      phone_data: `sms_recipients:${row.id}`,
    };
  });
}
