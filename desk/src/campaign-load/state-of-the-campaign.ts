import { isOpen, type Campaign } from '../common/messages/campaigns';
import type { N8n } from '../../../builder/code/n8n';
import type { Choice } from './campaign-to-store';
import type { Load } from './read-the-request';

/**
 * The state of the campaign when its list is loaded: it may lack columns, be a draft, or be started. What it lacks
 * counts also if another load, which has not seen these rows, has called it a draft meanwhile. A change happens only if
 * the campaign is still in the state that was read.
 */
export default function stateOfTheCampaign({ $ }: N8n): object[] {
  const choice = $('Campaign to store').first<Choice>().json;
  const { start, file } = $('Read the request').first<Load>().json;
  const { missing } = $('All rows').first<{ missing: string[] }>().json;
  const stored = $('Store the campaign').first<Campaign>().json;
  const fresh = missing.length > 0 ? 'incomplete' : start ? 'running' : 'draft';
  // It may have more to send now, also if nothing was added: a repeated insert finds what the first has added.
  const started = stored.state === 'done' ? 'running' : stored.state;
  const state = isOpen(stored) || !started ? fresh : started;
  // A send may have called it done before these rows were in.
  const others = { incomplete: ['draft'], running: ['done'] }[state as string] ?? [];
  const lacks = missing.join(', ');
  const problem =
    start && state === 'incomplete'
      ? `The list is loaded, but not started: the template needs ${lacks}. Post the recipients again, each with it.`
      : '';
  return [stored.state ?? '', ...others].map((from) => ({
    ...{ ...choice, id: stored.id, file: file || stored.file },
    condition: from ? '=' : 'empty',
    ...{ from, state, missing: lacks, problem },
  }));
}
