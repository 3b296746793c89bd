import type { N8n } from '../../../builder/code/n8n';
import type { Recipient } from '../common/messages/campaigns';
import { rowsOf } from '../common/records/days';
import { groupBy } from '../common/records/groups';
import { rowOf, type Range, type Report } from '../common/records/row';

interface Outcome {
  status: 'delivered' | 'failed';
  batch_id: string;
  reason: string;
}

const FINAL = ['delivered', 'failed', 'opted_out'];

function outcomeOf({ status, status_desc, batch_id }: Report): Outcome {
  const isDelivered = status === 'DELIVRD';
  return {
    status: isDelivered ? 'delivered' : 'failed',
    batch_id: batch_id ?? '',
    reason: isDelivered ? '' : String(status_desc || status).slice(0, 200),
  };
}

/**
 * The rows that have an outcome. A report counts only if its number is the row's: it may be about a table
 * that was deleted since. The first report of a row counts.
 */
function settle(rows: Recipient[], reports: Report[]): Map<number, Outcome> {
  const byRow = groupBy(reports, rowOf);
  const settled = new Map<number, Outcome>();
  for (const { id, phone_number, status, sent_at } of rows) {
    // A refused row may have been sent all the same, also if it is pending again. Without a time it was not.
    if (FINAL.includes(status) || !sent_at) continue;
    const report = byRow.get(id)?.find((each) => each.phone_number === phone_number && each.status);
    if (report) settled.set(id, outcomeOf(report));
  }
  return settled;
}

/** What the reports say about the rows, as ranges. */
export default function settledRows({ $input, $ }: N8n): (Range & Outcome)[] {
  const rows = rowsOf<Recipient>($input.all()).sort((a, b) => a.id - b.id);
  const reports = $('Records from the inbox').all<Report>();
  const settled = settle(
    rows,
    reports.map(({ json }) => json),
  );

  // The update leaves final rows alone, so a range may reach over them. No range reaches over rows that were not
  // read, nor over one that another range has.
  const ranges: (Range & Outcome)[] = [];
  let open: (Range & Outcome) | undefined;
  let before: number | undefined;
  for (const { id, status } of rows) {
    if (id - 1 !== before) open = undefined;
    before = id;
    const outcome = settled.get(id);
    const isSame = (['status', 'batch_id', 'reason'] as const).every(
      (each) => outcome?.[each] === open?.[each],
    );
    if (outcome && open && isSame) open.to = id;
    else if (outcome) ranges.push((open = { from: id, to: id, ...outcome }));
    else if (!FINAL.includes(status)) open = undefined;
  }
  return ranges;
}
