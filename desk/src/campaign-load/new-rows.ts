import type { Campaign } from '../common/messages/campaigns';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Load } from './read-the-request';

/**
 * The rows of the request.
 *
 * @throws Error if a button has ended the campaign since its name was looked up: nothing would remove its rows
 */
export default function newRows({ $ }: N8n): Item<Load['rows'][number]>[] {
  const { campaign, rows } = $('Read the request').first<Load>().json;
  if ($('Store the campaign').first<Campaign>().json.state === 'stopped') {
    throw new Error(
      `The campaign "${campaign}" was thrown away or stopped meanwhile. Load the list again.`,
    );
  }
  return rows.map((json) => ({ json }));
}
