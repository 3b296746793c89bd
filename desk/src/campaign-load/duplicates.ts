import type { Recipient } from '../common/messages/campaigns';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Range } from '../common/records/row';

type NewRow = Pick<Recipient, 'phone_number' | 'parameters' | 'status' | 'changed'>;

/** How much a load has added. */
export interface Loaded {
  added: number;
  not_a_number: number;
}

/** What a campaign has once: a number, or a recipient without one. */
function keyOf({ status, phone_number, parameters }: NewRow): string {
  return JSON.stringify(status === 'invalid' ? [phone_number, parameters] : [phone_number]);
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
  const isNew = (row: Recipient) =>
    keys.has(keyOf(row)) && (row.portion === $execution.id || row.createdAt >= begin);

  const ranges: Range[] = [{ from: 0, to: 0 }];
  const loaded: Loaded = { added: 0, not_a_number: 0 };
  const seen = new Set<string>();
  const rows = $input.all<Recipient>().map(({ json }) => json);
  for (const row of rows.sort((a, b) => a.id - b.id)) {
    const last = ranges.at(-1);
    if (!seen.has(keyOf(row))) {
      seen.add(keyOf(row));
      if (isNew(row)) loaded[row.status === 'invalid' ? 'not_a_number' : 'added'] += 1;
    } else if (last && last.to + 1 === row.id) {
      last.to = row.id;
    } else {
      ranges.push({ from: row.id, to: row.id });
    }
  }
  return ranges.map((range) => ({ json: { ...range, ...loaded } }));
}
