import type { Item, N8n } from '../n8n';
import { progressPage, type Count, type Pause } from '../progress';

interface Row {
  id?: number;
  campaign: string;
  status: string;
  reason: string;
  sent_at: string | null;
}

const MINUTES = 10;

/** Rows by campaign and status, and how many were claimed in each of the last ten minutes. */
function countRows(rows: Row[], pauses: Map<string, Pause>): Count[] {
  const now = Date.now();
  const counts = new Map<string, Count>();
  for (const { id, campaign, status, sent_at, reason } of rows) {
    if (!id) continue;
    const key = JSON.stringify([campaign, status]);
    const count = counts.get(key) ?? {
      ...{ campaign, status, rows: 0, recent: 0, since: null, reason: '' },
      ...pauses.get(campaign),
    };
    counts.set(key, count);
    count.rows += 1;
    if (['failed', 'refused', 'unknown'].includes(status)) count.reason ||= reason;
    const time = sent_at ? new Date(sent_at).getTime() : 0;
    // What is pending again was not sent.
    if (status === 'pending' || now - time >= MINUTES * 60000) continue;
    count.recent += 1;
    count.since = Math.min(count.since ?? Infinity, time);
  }
  return [...counts.values()];
}

/** The progress of the campaigns in the data table, newest rows first. */
export default function page({ $input, $, $now }: N8n): Item[] {
  const rows = $('Rows of all campaigns').all<Row>();
  const pauses = $input.all<Pause & { campaign: string }>();
  const counts = countRows(
    rows.map(({ json }) => json),
    new Map(pauses.map(({ json: { campaign, until, cause } }) => [campaign, { until, cause }])),
  );
  return progressPage(counts, {
    $now,
    causes:
      'loaded within the last minute, outside the allowed hours, paused, below the balance, or unpublished',
    note: 'The newest 50,000 rows are counted.',
  });
}
