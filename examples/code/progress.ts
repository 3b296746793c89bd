import { safe, type Markup } from './html';
import type { Item, N8n } from './n8n';
import { number } from './numbers';

const STATUSES = [
  'pending',
  'sending',
  'accepted',
  'delivered',
  'failed',
  'refused',
  'unknown',
  'opted_out',
];

/** When a campaign goes on, in ISO 8601, and why it pauses. */
export interface Pause {
  until?: string | null;
  cause?: string | null;
}

/** The rows of a campaign that have a status. `recent`: how many were claimed in the last ten minutes. */
export interface Count extends Pause {
  campaign?: string;
  status: string;
  rows: number;
  recent: number;
  since: number | null;
  reason: string | null;
}

interface Surroundings {
  $now: N8n['$now'];
  /** Why nothing may have been sent for a while. */
  causes: string;
  note?: string;
}

interface Campaign {
  counts: Record<string, number>;
  recent: number;
  since: number;
  reasons: Record<string, string>;
  pause: Pause;
}

function campaignsOf(counted: Count[]): Map<string, Campaign> {
  const campaigns = new Map<string, Campaign>();
  for (const { campaign, status, rows, recent, since, reason, ...pause } of counted) {
    // A duplicate is no recipient.
    if (!campaign || status === 'duplicate') continue;
    const entry = campaigns.get(campaign) ?? {
      counts: {},
      recent: 0,
      since: Infinity,
      reasons: {},
      pause,
    };
    campaigns.set(campaign, entry);
    entry.counts[status] = (entry.counts[status] ?? 0) + rows;
    entry.recent += recent;
    entry.since = Math.min(entry.since, since ?? Infinity);
    if (reason) entry.reasons[status] = reason;
  }
  return campaigns;
}

function duration(minutes: number): string {
  if (minutes < 1) return 'less than a minute';
  if (minutes < 90) return `about ${Math.ceil(minutes)} minutes`;
  if (minutes < 48 * 60) return `about ${Math.round(minutes / 60)} hours`;
  return `about ${Math.round(minutes / 60 / 24)} days`;
}

function pace({ counts, recent, since, pause }: Campaign, { $now, causes }: Surroundings): string {
  const pending = counts.pending ?? 0;
  if (pending === 0) return 'Nothing is left to send.';
  const left = Date.parse(pause.until ?? '') - Date.now();
  if (left > 0) {
    const until = $now.plus(left).toFormat('HH:mm:ss');
    return `It pauses until ${until}: the last portion had no accepted message (${pause.cause}). Then ten rows are tried.`;
  }
  if (recent === 0) return `Nothing was sent in the last ten minutes: ${causes}.`;
  // At least one interval of the schedule, or the first portion would seem endlessly fast.
  const perMinute = recent / Math.max((Date.now() - since) / 60000, 1 / 6);
  const speed = number(Math.round(perMinute));
  return `${speed} rows a minute. At this pace the rest takes ${duration(pending / perMinute)} of the allowed hours.`;
}

function section(name: string, campaign: Campaign, surroundings: Surroundings): Markup {
  const { counts, reasons } = campaign;
  const total = Object.values(counts).reduce((sum, rows) => sum + rows, 0);
  const lines = STATUSES.map((status) => {
    const rows = counts[status] ?? 0;
    const share = ((100 * rows) / total).toFixed(1);
    const reason = reasons[status] && safe`<small>${reasons[status]}</small>`;
    return safe`<tr class="${status}"><th>${status.replace('_', ' ')}${reason}</th><td>${number(rows)}</td><td>${share} %</td>
      <td class="bar"><i style="width:${share}%"></i></td></tr>`;
  });
  return safe`<section><h2>${name}</h2><p>${number(total)} rows. ${pace(campaign, surroundings)}</p>
    <table>${lines}</table></section>`;
}

/** The progress page: no script, everything from the table escaped. */
export function progressPage(counts: Count[], surroundings: Surroundings): Item[] {
  const { $now, note = '' } = surroundings;
  const sections = [...campaignsOf(counts)].map(([name, campaign]) =>
    section(name, campaign, surroundings),
  );
  const page = safe`<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>SMS campaign</title><style>
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:0 auto;padding:1.5rem 1rem}
table{width:100%;border-collapse:collapse}th{text-align:left;font-weight:600}td{text-align:right;padding-left:1rem;white-space:nowrap}
th,td{border-top:1px solid color-mix(in srgb,currentColor 18%,transparent);padding-block:.4rem}.bar{width:32%}
.bar i{display:block;height:.7rem;border-radius:3px;background:#6b7280}.delivered i{background:#15935a}.failed i,.refused i{background:#d0403c}
.unknown i{background:#c98a10}.accepted i,.sending i{background:#2f74d0}small{display:block;font-weight:400;opacity:.75;overflow-wrap:anywhere}
footer{margin-top:2rem;opacity:.75;font-size:.9rem}@media(max-width:30rem){.bar{display:none}}
</style></head><body><h1>SMS campaign</h1>${sections.length > 0 ? sections : safe`<p>No rows yet.</p>`}
<footer>${$now.toFormat('yyyy-MM-dd HH:mm:ss')}, ${$now.zoneName}. Reload the page for new figures. The text under a status is the latest reason. ${note}</footer></body></html>`;
  return [{ json: { page: page.text } }];
}
