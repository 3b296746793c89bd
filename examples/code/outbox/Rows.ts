import type { Item, N8n } from '../n8n';
import { parametersOf, recipientsOf, text } from '../outbox';

/** One row for each number that a message can be sent to. */
export default function rows({ $, $now, $execution }: N8n): Item[] {
  const sent_at = $now.toISO();
  return recipientsOf($('Messages').all())
    .filter(({ problem }) => problem === '')
    .map(({ index, message, phone_number }) => ({
      json: {
        phone_number,
        class: text(message.class).toLowerCase() || 'notice',
        status: 'claimed',
        reason: '',
        batch_id: '',
        template: text(message.template_id),
        signature: text(message.signature_id),
        text: text(message.template_id) === '' ? text(message.content) : '',
        parameters: parametersOf(message),
        source: text(message.source),
        reference: text(message.reference),
        key: text(message.key),
        phone_data: text(message.phone_data),
        run: `${$execution.id}:${index}`,
        sent_at,
      },
    }));
}
