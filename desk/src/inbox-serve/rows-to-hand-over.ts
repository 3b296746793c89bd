import { rowsOf } from '../common/records/days';
import type { Fields, N8n } from '../../../builder/code/n8n';
import type { Row } from '../tables';

/** A row that was stored longer ago has no row before it that is yet to appear. */
const GAP_MS = 60_000;

/**
 * The rows that a subscriber wants, up to the first gap in the IDs that is still young: a row may appear in it.
 * `up_to` is the last of them, or, if none is wanted, the last that was seen.
 */
export default function rowsToHandOver({ $, $now }: N8n): { rows: Fields[]; up_to: number } {
  const { wants, read_to, createdAt } = $('Claim').first<Row<'sms.subscribers', 'read_to'>>().json;
  const { id: newest = 0 } = $('Newest row').first<{ id?: number }>().json;
  const rows = rowsOf($('Rows behind the cursor').all());
  const idOf = (row: Fields) => Number(row.id);
  // In a table that was made again, the rows are before the cursor.
  let last = Math.min(read_to ?? newest, ...rows.slice(0, 1).map((row) => idOf(row) - 1));
  const end = rows.findIndex((row) => {
    const isGap = idOf(row) > last + 1;
    if (isGap && $now.toMillis() - timeOf(row.createdAt) < GAP_MS) return true;
    last = idOf(row);
    return false;
  });
  const wanted = rows
    .slice(0, end < 0 ? undefined : end)
    .filter((row) => wants === 'all' || row.event === wants)
    .filter((row) => timeOf(row.createdAt) >= timeOf(createdAt));
  return { rows: wanted, up_to: idOf(wanted.at(-1) ?? { id: last }) };
}

function timeOf(at: unknown): number {
  return Date.parse(String(at));
}
