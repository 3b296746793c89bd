import { safe } from '../html';
import { langOf, sayIn, type Request } from '../lang';
import { pageOf, panel, reloadOf } from '../look';
import type { Item, N8n } from '../n8n';
import { number } from '../numbers';
import { count, progress, PROGRESS_ZH, rowsOf, type Counts } from '../progress';

const RELOAD_SECONDS = 10;

const ZH = {
  ...PROGRESS_ZH,
  Campaigns: '群发',
  'No rows yet.': '还没有数据。',
  '{rows} rows were claimed in the last ten minutes.': '最近十分钟领取了 {rows} 行。',
} as const;

/** The rows of a campaign that have a status. `recent`: how many were claimed in the last ten minutes. */
interface Counted {
  campaign?: string;
  status: string;
  rows: number;
  recent: number;
  reason: string | null;
}

/** The progress of the campaigns in the outbox table. */
export default function page({ $input, $, $now }: N8n): Item[] {
  const request = $('Progress wanted').first<Request>().json;
  const lang = langOf(request);
  const say = sayIn(lang, ZH);
  const campaigns = new Map<string, { counts: Counts; recent: number }>();
  for (const { json } of $input.all<Counted>()) {
    if (!json.campaign) continue;
    const entry = campaigns.get(json.campaign) ?? { counts: new Map(), recent: 0 };
    campaigns.set(json.campaign, entry);
    count(entry.counts, json.status, Number(json.rows), json.reason);
    entry.recent += Number(json.recent);
  }
  const panels = [...campaigns].map(([name, { counts, recent }]) => {
    const pace = say('{rows} rows were claimed in the last ten minutes.', { rows: number(recent) });
    return panel(name, safe`<p>${pace}</p>${progress(counts, say)}`);
  });
  const isOpen = [...campaigns.values()].some(({ counts }) => rowsOf(counts, 'pending') > 0);
  const frame = {
    here: 'sms-campaign',
    title: say('Campaigns'),
    lang,
    now: $now,
    reload: isOpen ? reloadOf(request, RELOAD_SECONDS) : undefined,
  } as const;
  const content = panels.length > 0 ? panels : safe`<p>${say('No rows yet.')}</p>`;
  return [{ json: { page: pageOf(frame, content) } }];
}
