import { isOpen, type Campaign } from '../common/messages/campaigns';
import { findPlaceholders } from '../nodes/placeholders';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Choice } from './campaign-to-store';
import { listOf, requestIn } from './list';

/** So many rows are one statement. */
const PART = 5_000;

/**
 * The rows of the request. A data table takes each as an item, PostgreSQL so many as a text.
 *
 * @throws Error if a button has ended the campaign since its name was looked up: nothing would remove its rows
 */
export default function newRows({ $, $execution }: N8n): Item[] {
  const stored = $('Store the campaign').first<Campaign>().json;
  if (stored.state === 'stopped') {
    throw new Error(
      `The campaign "${stored.campaign}" was thrown away or stopped meanwhile. Load the list again.`,
    );
  }
  const start = $('Recipients arrive').isExecuted
    ? $('Recipients arrive').first()
    : $('Called by the form').first();
  const { rows } = listOf(requestIn(start.json), $execution.id);
  if ($('Add the rows').params.operation === 'insert') return rows.map((json) => ({ json }));
  const { names } = findPlaceholders($('Campaign to store').first<Choice>().json.content);
  const takesBetter = isOpen(stored);
  const parts: Item[] = [];
  for (let from = 0; from < rows.length; from += PART) {
    const part = rows.slice(from, from + PART);
    parts.push({ json: { rows: JSON.stringify(part), names, takesBetter } });
  }
  return parts;
}
