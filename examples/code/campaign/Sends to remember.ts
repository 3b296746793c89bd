import type { Item, N8n } from '../n8n';
import { sourceOf } from '../paired';

interface Choice {
  value: string | number;
  cachedResultName?: string;
}

/** One row for each accepted message. An expression for each field of each row would take seconds. */
export default function sendsToRemember({ $input, $, $workflow, $now }: N8n): Item[] {
  const { cachedResultName, value } = $('Send the message').params.templateId as Choice;
  const template = String(cachedResultName || value);
  const sent = $('Not opted out?').all();
  const source = $workflow.name;
  const sent_at = $now.toISO();
  return $input.all().map((item) => {
    const { batch_id, status } = item.json;
    const { phone_number, order: reference } = sourceOf(item, sent) ?? {};
    return { json: { batch_id, phone_number, status, template, source, reference, sent_at } };
  });
}
