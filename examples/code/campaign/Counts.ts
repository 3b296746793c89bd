import type { Item, N8n } from '../n8n';
import type { Count } from '../progress';

interface Row {
  id?: number;
  campaign: string;
  status: string;
  reason: string;
  sent_at: string | null;
}

const MINUTES = 10;

/** Rows by campaign and status, and how many were claimed in each of the last ten minutes. */
export default function countRows({ $input }: N8n): Item<Count>[] {
  const now = Date.now();
  const counts = new Map<string, Count>();
  for (const { json } of $input.all<Row>()) {
    if (!json.id) continue;
    const { campaign, status, sent_at } = json;
    const key = JSON.stringify([campaign, status]);
    const count = counts.get(key) ?? {
      campaign,
      status,
      rows: 0,
      recent: 0,
      since: null,
      reason: '',
    };
    counts.set(key, count);
    count.rows += 1;
    if (['failed', 'refused', 'unknown'].includes(status)) count.reason = json.reason;
    const time = sent_at ? new Date(sent_at).getTime() : 0;
    if (now - time >= MINUTES * 60000) continue;
    count.recent += 1;
    count.since = Math.min(count.since ?? Infinity, time);
  }
  return [...counts.values()].map((json) => ({ json }));
}
