import type { Item, N8n } from '../../../builder/code/n8n';
import type { Load } from './read-the-request';

/** The rows of the request. */
export default function newRows({ $ }: N8n): Item<Load['rows'][number]>[] {
  return $('Read the request')
    .first<Load>()
    .json.rows.map((json) => ({ json }));
}
