import type { Campaign } from '../common/messages/campaigns';
import { openingOf } from '../common/messages/hours';
import type { Item, N8n } from '../../../builder/code/n8n';
import { Rules, type Rule } from '../common/messages/rules';

/** After a pause, a small portion shows whether the service accepts messages again. */
const AFTER_PAUSE = 10;

/** The oldest running campaign that does not pause, if messages may go now and nothing is under way. */
export default function chooseTheCampaign({ $, $now }: N8n): Item<Campaign & { size: number }>[] {
  if ($('Rows under way').first<{ id?: number }>().json.id) return [];
  if (openingOf(new Rules($('Rules').all<Partial<Rule>>()).of('marketing'), $now)) return [];
  const { portion_size } = $('Settings').first<{ portion_size: number }>().json;
  const [oldest] = $('Campaigns')
    .all<Campaign>()
    .map(({ json }) => json)
    .filter(({ state, until }) => state === 'running' && !(Date.parse(until ?? '') > Date.now()))
    .sort((a, b) => a.id - b.id);
  return oldest ? [{ json: { ...oldest, size: oldest.tries ? AFTER_PAUSE : portion_size } }] : [];
}
