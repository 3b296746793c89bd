import type { N8n } from '../../../builder/code/n8n';
import { countsIn } from './cells';

/**
 * From which rows on three recipients are taken whose texts are shown: the first, one in the middle, and one with the
 * most segments.
 */
export default function whereToLook({ $ }: N8n): { from: number }[] {
  const { id: first = 0 } = $('First row').first<{ id?: number }>().json;
  const { id: last = 0 } = $('Last row').first<{ id?: number }>().json;
  const cells = countsIn({ $ }).filter(({ status, out }) => status === 'pending' && !out);
  const longest = cells.reduce(
    (most, each) => ((each.segments ?? 0) > (most?.segments ?? 0) ? each : most),
    cells[0],
  );
  const middle = Math.floor((first + last) / 2);
  return [first, middle, longest?.row_id ?? first].map((from) => ({ from }));
}
