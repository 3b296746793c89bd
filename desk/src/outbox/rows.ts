import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import {
  classOf,
  CODE,
  recipientsOf,
  sentOf,
  text,
  type NamedRecord,
} from '../common/messages/outbox';
import { received, segmentsOf } from '../common/messages/received';

/** One row for each number that a message can be sent to, as one text. */
export default function rows({ $, $execution }: N8n): Fields {
  const textOf = reader($('Known templates').all<Partial<NamedRecord>>());
  const made = recipientsOf($('Messages').all())
    .filter(({ problem }) => !problem)
    .map(({ index, message, phone_number }) => {
      const whole = textOf(message);
      return {
        phone_number,
        class: classOf(message),
        template: text(message.template_id),
        signature: text(message.signature_id),
        // A code must not be read in the table: it is sent from the message itself.
        ...(classOf(message) === CODE
          ? { text: '', parameters: '' }
          : { text: whole, parameters: sentOf(message) }),
        estimate: segmentsOf(whole),
        source: text(message.source),
        reference: text(message.reference),
        key: text(message.key),
        phone_data: text(message.phone_data),
        run: `${$execution.id}:${index}`,
      };
    });
  return { messages: JSON.stringify(made) };
}

/** A function that gives the text of a message as the customer gets it. Empty if its template is not known. */
function reader(records: Item<Partial<NamedRecord>>[]): (message: Fields) => string {
  const known = new Map(records.map(({ json }) => [`${json.kind} ${json.record_id}`, json]));
  return (message) => {
    const template = text(message.template_id);
    const content =
      template === '' ? text(message.content) : (known.get(`template ${template}`)?.content ?? '');
    if (content === '') return '';
    const signature = known.get(`signature ${text(message.signature_id)}`)?.name ?? '';
    return received(content, template === '' ? {} : message.parameters, signature);
  };
}
