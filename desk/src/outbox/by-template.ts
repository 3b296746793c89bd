import type { Item, N8n } from '../../../builder/code/n8n';
import type { Decided } from '../common/messages/outbox';

/** The rows that are sent in this way. A Switch node takes a millisecond for each. */
export default function byTemplate({ $input }: N8n): Item<Decided>[] {
  return $input.all<Decided>().filter(({ json }) => json.way === 'template');
}
