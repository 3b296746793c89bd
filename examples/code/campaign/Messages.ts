import type { Fields, Item, N8n } from '../n8n';

interface Settings {
  template_id: string;
  signature_id: string;
  /** The parameters of the template → the columns that they come from. */
  parameters?: Record<string, string>;
}

/** One message for each claimed row. An expression for each field of each row would take seconds. */
export default function messages({ $input, $, $workflow }: N8n): Item[] {
  const { template_id, signature_id, parameters } = $('Settings').first<Settings>().json;
  const columns = Object.entries(parameters ?? {});
  return $input.all<Fields & { order?: string }>().map(({ json: row }) => {
    const phone = String(row.phone_number);
    return {
      json: {
        class: 'marketing',
        phone,
        template_id,
        signature_id,
        parameters: Object.fromEntries(columns.map(([name, column]) => [name, row[column] ?? ''])),
        // A number that was typed by hand may have any spelling.
        key: `${String(row.campaign)}|${phone.replace(/\D/g, '').slice(-11)}`,
        source: $workflow.name,
        reference: row.order,
        phone_data: `sms_campaign:${String(row.id)}`,
      },
    };
  });
}
