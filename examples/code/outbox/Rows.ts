import type { Fields, Item, N8n } from '../n8n';
import { contentOf, recipientsOf, text } from '../outbox';
import { CODE } from '../rules';

/** One row for each number that a message can be sent to. */
export default function rows({ $, $now, $execution }: N8n): Item[] {
  const sent_at = $now.toISO();
  return recipientsOf($('Messages').all())
    .filter(({ problem }) => problem === '')
    .map(({ index, message, phone_number }) => ({
      json: {
        phone_number,
        class: classOf(message),
        status: 'claimed',
        reason: '',
        batch_id: '',
        template: text(message.template_id),
        signature: text(message.signature_id),
        // A code must not be read in the table: it is sent from the message itself.
        ...(classOf(message) === CODE ? { text: '', parameters: '' } : contentOf(message)),
        source: text(message.source),
        reference: text(message.reference),
        key: text(message.key),
        phone_data: text(message.phone_data),
        run: `${$execution.id}:${index}`,
        sent_at,
      },
    }));
}

function classOf(message: Fields): string {
  return text(message.class).toLowerCase() || 'notice';
}
