import { rowsOf } from '../days';
import type { Fields, Item, N8n } from '../n8n';
import { sourceOf } from '../paired';
import { bytesOf, type TableSize } from '../retention';

/** The rows that a node has read of a table. */
function rowsFrom(items: Item[], table: Item, tables: Item[]): Fields[] {
  return rowsOf(items.filter((item) => sourceOf(item, tables) === table.json));
}

function timeOf({ createdAt }: Fields): number {
  return Date.parse(String(createdAt));
}

/** An item per table that is not empty: how many rows it has, and how much room they take. */
export default function oldRowsSizes({ $ }: N8n): Item<TableSize>[] {
  // Without a table there is one empty item.
  const tables = $('Old rows: those that grow').all();
  const newest = $('Old rows: newest rows').all();
  const oldest = $('Old rows: oldest row').all();
  const free = $('Old rows: oldest that may go').all();
  return tables.flatMap((table) => {
    const latest = rowsFrom(newest, table, tables);
    const [last] = latest;
    const [first] = rowsFrom(oldest, table, tables);
    const [freed] = rowsFrom(free, table, tables);
    if (!table.json.id || !last || !first) return [];
    // Before the first that may go there can be a few that wait for months, and a gap behind them.
    const rows = Number(last.id) - Number((freed ?? first).id) + 1;
    const perRow = latest.reduce((sum, row) => sum + bytesOf(row), 0) / latest.length;
    const size = {
      id: String(table.json.id),
      name: String(table.json.name),
      newest: Number(last.id),
      newestAt: timeOf(last),
      oldest: Number(first.id),
      oldestAt: timeOf(first),
      rows,
      bytes: Math.round(rows * perRow),
    };
    const freeRow = freed && { id: Number(freed.id), at: timeOf(freed) };
    return [{ json: { ...size, ...(freeRow && { free: freeRow }) } }];
  });
}
