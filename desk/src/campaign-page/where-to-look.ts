import type { N8n } from '../../../builder/code/n8n';
import { countsIn } from './cells';

/**
 * From which rows on three recipients are taken whose texts are shown: the first, one with the most segments, and one
 * in the middle; instead of one that is there twice, the last.
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
  return [first, longest?.row_id ?? first, middle, last].map((from) => ({ from }));
}
