import { parametersOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import { received, segmentsOf } from '../common/messages/received';
import { findPlaceholders } from '../nodes/placeholders';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Choice } from './campaign-to-store';
import type { Load } from './read-the-request';

/**
 * The rows of the request, with what the page of the draft says of their texts.
 *
 * @throws Error if a button has ended the campaign since its name was looked up: nothing would remove its rows
 */
export default function newRows({ $ }: N8n): Item<NewRow>[] {
  const { campaign, rows } = $('Read the request').first<Load>().json;
  if ($('Store the campaign').first<Campaign>().json.state === 'stopped') {
    throw new Error(
      `The campaign "${campaign}" was thrown away or stopped meanwhile. Load the list again.`,
    );
  }
  const choice = $('Campaign to store').first<Choice>().json;
  return rows.map((row) => ({ json: { ...row, ...weightOf(row, choice) } }));
}

type NewRow = Load['rows'][number] & Pick<Recipient, 'segments' | 'blank'>;

/** What a recipient gets: its segments, and the parameters that are empty. */
function weightOf(row: Pick<Recipient, 'parameters'>, { content, signature }: Choice) {
  const parameters = parametersOf(row);
  const blank = findPlaceholders(content).names.filter((name) => parameters[name] === '');
  const segments = segmentsOf(received(content, parameters, signature));
  return { segments, blank: blank.join('\n') };
}
