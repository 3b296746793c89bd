import { rowsOf } from '../common/records/days';
import { sayIn } from '../../../builder/code/lang';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { sourceOf } from '../../../builder/code/paired';
import {
  bytesOf,
  ROOM_PROBLEMS,
  roomProblem,
  type Limits,
  type TableSize,
} from '../common/records/retention';

/** How full the tables are, and what the user allows them. */
export interface Sizes {
  tables: TableSize[];
  limits: Limits;
  /** Why somebody has to act. Empty if nobody has to. */
  problem: string;
}

function rowsFrom(items: Item[], table: Item, tables: Item[]): Fields[] {
  return rowsOf(items.filter((item) => sourceOf(item, tables) === table.json));
}

function timeOf({ createdAt }: Fields): number {
  return Date.parse(String(createdAt));
}

/** Says how many rows each table has that is not empty, and how much room they take. */
export default function sizes({ $, $now }: N8n): Sizes {
  // Without a table there is one empty item.
  const all = $('Tables that grow').all();
  const newest = $('Newest rows').all();
  const oldest = $('Oldest row').all();
  const free = $('Oldest row that may go').all();
  const tables = all.flatMap((table): TableSize[] => {
    const latest = rowsFrom(newest, table, all);
    const [last] = latest;
    const [first] = rowsFrom(oldest, table, all);
    const [freed] = rowsFrom(free, table, all);
    if (!table.json.id || !last || !first) return [];
    // Before the first that may go there can be a few that wait for months, and a gap behind them.
    const rows = Number(last.id) - Number((freed ?? first).id) + 1;
    const perRow = latest.reduce((sum, row) => sum + bytesOf(row), 0) / latest.length;
    const size = {
      name: String(table.json.name),
      newestAt: timeOf(last),
      oldestAt: timeOf(first),
      rows,
      bytes: Math.round(rows * perRow),
    };
    return [{ ...size, ...(freed && { free: { id: Number(freed.id), at: timeOf(freed) } }) }];
  });
  const limits = $('How long to keep').first<Limits>().json;
  const found = roomProblem(tables, limits, $now.toMillis());
  const problem = found ? sayIn('en', ROOM_PROBLEMS)(...found) : '';
  return { tables, limits, problem };
}
