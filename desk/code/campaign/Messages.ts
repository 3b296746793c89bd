import { findPlaceholders } from '../../../nodes/SmsMessagingService/service/placeholders';
import { parametersOf, type Campaign, type Recipient } from '../campaigns';
import type { Item, N8n } from '../n8n';

/** One message for each claimed row. An expression for each field of each row would take seconds. */
export default function messages({ $input, $, $workflow }: N8n): Item[] {
  const { template_id, signature_id, content } = $('Choose the campaign').first<Campaign>().json;
  const { names } = findPlaceholders(content ?? '');
  return $input.all<Recipient>().map(({ json: row }) => {
    const phone = String(row.phone_number);
    const columns = parametersOf(row);
    return {
      json: {
        class: 'marketing',
        phone,
        template_id,
        signature_id,
        parameters: Object.fromEntries(names.map((name) => [name, columns[name] ?? ''])),
        // A number that was typed by hand may have any spelling.
        key: `${row.campaign}|${phone.replace(/\D/g, '').slice(-11)}`,
        source: $workflow.name,
        reference: columns.order || row.campaign,
        phone_data: `sms_recipients:${row.id}`,
      },
    };
  });
}
