import type { Campaign, Recipient } from '../common/messages/campaigns';
import { openingOf } from '../common/messages/hours';
import type { N8n } from '../../../builder/code/n8n';
import { Rules, type Rule } from '../common/messages/rules';

const timeOf = (at: string | null) => Date.parse(at ?? '') || 0;

/**
 * The running campaigns that do not pause, if messages may go now and a portion more may be under way: the one whose
 * latest turn is longest ago comes first. After a pause, the next portion goes when the one before has ended.
 */
export default function whoseTurn({ $, $now }: N8n): (Campaign & { under_way: boolean })[] {
  const { portions_at_once } = $('Settings').first<{ portions_at_once: number }>().json;
  const rows = $('Rows under way')
    .all<Partial<Recipient>>()
    .map(({ json }) => json)
    .filter(({ portion }) => portion);
  if (new Set(rows.map(({ portion }) => portion)).size >= portions_at_once) return [];
  if (openingOf(new Rules($('Rules').all<Partial<Rule>>()).of('marketing'), $now)) return [];
  const busy = new Set(rows.map(({ campaign }) => campaign));
  return $('Campaigns')
    .all<Campaign>()
    .map(({ json }) => ({ ...json, under_way: busy.has(json.campaign) }))
    .filter(({ state, until }) => state === 'running' && !(timeOf(until) > Date.now()))
    .filter(({ tries, under_way }) => !(tries && under_way))
    .sort((a, b) => timeOf(a.served_at) - timeOf(b.served_at) || a.id - b.id);
}
