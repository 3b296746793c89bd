import type { Item, N8n } from '../../../builder/code/n8n';
import type { Range } from '../common/records/row';

const SIZE = 1_000;

/**
 * The rows from the first to the last one of the campaign, as stretches of ids. n8n reads such a stretch by the
 * key of the table. A read of all rows would look through the table once for every thousand rows.
 */
export default function stretches({ $ }: N8n): Item<Range>[] {
  const first = $('First row').first<{ id?: number }>().json.id ?? 1;
  const last = $('Last row').first<{ id?: number }>().json.id ?? 1;
  const length = Math.ceil((last - first + 1) / SIZE);
  return Array.from({ length }, (_, index) => {
    const from = first + index * SIZE;
    return { json: { from, to: Math.min(last, from + SIZE - 1) } };
  });
}
