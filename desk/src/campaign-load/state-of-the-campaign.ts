import { isOpen, type Campaign, type State } from '../common/messages/campaigns';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Choice } from './campaign-to-store';
import type { Loaded } from './duplicates';
import type { Load } from './read-the-request';

/** A change of a campaign. It happens only if the campaign is still in the state that was read. */
interface Change extends Choice {
  id: number;
  condition: 'eq' | 'isEmpty';
  from: string;
  state: State;
  missing: string;
}

/**
 * The state of the campaign when its list is loaded: it may lack columns, be a draft, or be started. What it lacks
 * counts also if another load, which has not seen these rows, has called it a draft meanwhile.
 */
export default function stateOfTheCampaign({ $ }: N8n): Item<Change>[] {
  const choice = $('Campaign to store').first<Choice>().json;
  const { start } = $('Read the request').first<Load>().json;
  const { added, missing } = $('Duplicates').first<Loaded>().json;
  const stored = $('Store the campaign').first<Campaign>().json;
  const fresh = missing.length > 0 ? 'incomplete' : start ? 'running' : 'draft';
  // What was done has more to send now.
  const started = stored.state === 'done' && added > 0 ? 'running' : stored.state;
  const state = isOpen(stored) || !started ? fresh : started;
  return [stored.state ?? '', ...(state === 'incomplete' ? ['draft'] : [])].map((from) => ({
    json: {
      ...choice,
      id: stored.id,
      condition: from ? 'eq' : 'isEmpty',
      from,
      state,
      missing: missing.join(', '),
    },
  }));
}
