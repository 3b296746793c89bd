import { isOpen, parametersOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import { received, segmentsOf } from '../common/messages/received';
import { findPlaceholders } from '../nodes/placeholders';
import type { Fields, N8n } from '../../../builder/code/n8n';
import type { Choice } from './campaign-to-store';
import { listOf, requestIn } from './list';

/** So many rows are one statement. */
const PART = 5_000;

/** The rows of the request, with what the page of the draft says of their texts: so many as a text. */
export default function newRows({ $, $execution }: N8n): Fields[] {
  const stored = $('Store the campaign').first<Campaign>().json;
  const start = $('Recipients arrive').isExecuted
    ? $('Recipients arrive').first()
    : $('Called by the form').first();
  const choice = $('Campaign to store').first<Choice>().json;
  const { names } = findPlaceholders(choice.content);
  const rows = listOf(requestIn(start.json), $execution.id).rows.map((row) => ({
    ...row,
    ...weightOf(row, choice, names),
  }));
  const takesBetter = isOpen(stored);
  const parts: Fields[] = [];
  for (let from = 0; from < rows.length; from += PART) {
    const part = rows.slice(from, from + PART);
    parts.push({ rows: JSON.stringify(part), names, takesBetter });
  }
  return parts;
}

/** What a recipient gets: its segments, and which of the names are empty. */
function weightOf(
  row: Pick<Recipient, 'parameters'>,
  { content, signature }: Choice,
  names: string[],
) {
  const parameters = parametersOf(row);
  const blank = names.filter((name) => parameters[name] === '');
  const segments = segmentsOf(received(content, parameters, signature));
  return { segments, blank: blank.join('\n') };
}
