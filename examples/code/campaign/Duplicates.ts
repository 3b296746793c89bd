import type { Item, N8n } from '../n8n';
import type { Range } from '../row';

interface NewRow {
  phone_number: string;
  name: string;
  order: string;
  date: string;
  status: string;
  sent_at: string | null;
  changed: string;
}

interface Row extends NewRow {
  id: number;
  portion: string;
  createdAt: string;
}

interface Loaded {
  added: number;
  not_a_number: number;
}

function isNumber({ status, sent_at }: NewRow): boolean {
  return status !== 'failed' || sent_at !== null;
}

/** What a campaign has once: a number, or a recipient without one. */
function keyOf(row: NewRow): string {
  const { phone_number, name, order, date } = row;
  return JSON.stringify(isNumber(row) ? [phone_number] : [phone_number, name, order, date]);
}

/**
 * The rows behind the first one of their number, as ranges of neighbours, and what this load has added. Each
 * load looks when its rows are in the table: of several at the same moment, the last one to look sees all rows.
 * The first range has no row, so that the nodes behind always run.
 */
export default function duplicates({ $input, $, $execution }: N8n): Item<Range & Loaded>[] {
  const given = $('New rows').all<NewRow>();
  const keys = new Set(given.map(({ json }) => keyOf(json)));
  const begin = given[0]?.json.changed ?? '';
  // A row that was claimed meanwhile has the portion of its claim.
  const isNew = (row: Row) =>
    keys.has(keyOf(row)) && (row.portion === $execution.id || row.createdAt >= begin);

  const ranges: Range[] = [{ from: 0, to: 0 }];
  const loaded: Loaded = { added: 0, not_a_number: 0 };
  const seen = new Set<string>();
  const rows = $input.all<Row>().map(({ json }) => json);
  for (const row of rows.sort((a, b) => a.id - b.id)) {
    const last = ranges.at(-1);
    if (!seen.has(keyOf(row))) {
      seen.add(keyOf(row));
      if (isNew(row)) loaded[isNumber(row) ? 'added' : 'not_a_number'] += 1;
    } else if (last && last.to + 1 === row.id) {
      last.to = row.id;
    } else {
      ranges.push({ from: row.id, to: row.id });
    }
  }
  return ranges.map((range) => ({ json: { ...range, ...loaded } }));
}
