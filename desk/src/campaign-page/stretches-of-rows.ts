import type { Item, N8n } from '../../../builder/code/n8n';
import { stretchesOf, type Range } from '../common/records/row';

/** The rows from the first to the last one of the campaign. */
export default function stretches({ $ }: N8n): Item<Range>[] {
  const from = $('First row').first<{ id?: number }>().json.id ?? 1;
  const to = $('Last row').first<{ id?: number }>().json.id ?? 1;
  return stretchesOf({ from, to }).map((json) => ({ json }));
}
