import type { Item, N8n } from '../n8n';
import { knownIn, withKnown, type Known } from '../reviews';

/** Keeps what was mailed. */
export default function rememberTheChanges({ $, $getWorkflowStaticData }: N8n): Item[] {
  const memory = $getWorkflowStaticData('global');
  const found = $('Find what has changed').all<{ now?: Known }>();
  const mailed = found.flatMap(({ json }) => json.now ?? []);
  memory.known = withKnown(knownIn(memory), mailed);
  return mailed.map(({ name }) => ({ json: { name } }));
}
