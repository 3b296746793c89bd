import type { N8n } from '../../../builder/code/n8n';
import type { Range } from '../common/records/row';
import { keptIn, PART } from './cells';

/**
 * The parts of the table that are counted: in which a row has changed, which nobody has counted, and the first, whose
 * rows the upkeep deletes. On PostgreSQL none, which is a part without rows.
 */
export default function partsToCount({ $ }: N8n): (Range & { part: number })[] {
  const { id: firstRow = 0 } = $('First row').first<{ id?: number }>().json;
  const { id: lastRow = 0 } = $('Last row').first<{ id?: number }>().json;
  const changed = $('Counts, or changed rows').all<{ id?: number; rows?: number }>();
  const isCounted = changed.some(({ json }) => json.rows);
  const [first = 0, last = 0] = [firstRow, lastRow].map((id) =>
    isCounted ? 0 : Math.floor(id / PART),
  );
  const due = new Set([first, ...changed.map(({ json: { id = -1 } }) => Math.floor(id / PART))]);
  const { parts } = keptIn({ $ });
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    .filter((part) => due.has(part) || !parts[part])
    .map((part) => ({ part, from: part * PART, to: isCounted ? 0 : part * PART + PART - 1 }));
}
