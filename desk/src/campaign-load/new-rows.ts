import { parametersOf, type Recipient } from '../common/messages/campaigns';
import { received, segmentsOf } from '../common/messages/received';
import { findPlaceholders } from '../nodes/placeholders';
import type { Fields, N8n } from '../../../builder/code/n8n';
import { listOf, requestIn } from './list';
import type { Request } from './read-the-request';

/** What a list is loaded with. */
type Choice = Record<'template_id' | 'template' | 'content' | 'signature_id' | 'signature', string>;

/** So many rows are one statement. */
const PART = 5_000;

/** The list, and its rows with what the page of the draft says of their texts: so many as a text. */
export default function newRows({ $ }: N8n): Fields[] {
  const start = $('Recipients arrive').isExecuted
    ? $('Recipients arrive').first()
    : $('Called by the form').first();
  const request = requestIn(start.json);
  const choice = $('What it is sent with').first<Choice>().json;
  const { names } = findPlaceholders(choice.content);
  const { numbers, rows } = listOf(request);
  const recipients = request.recipients as (object | null)[];
  const list = {
    ...{ ...$('Read the request').first<Request>().json, ...choice, names, numbers },
    recipients: recipients.length,
    // Those that each recipient has.
    columns: recipients
      .map((each) => Object.keys(each ?? {}))
      .reduce((all, own) => all.filter((name) => own.includes(name))),
  };
  const parts: Fields[] = [];
  for (let from = 0; from < rows.length; from += PART) {
    const part = rows
      .slice(from, from + PART)
      .map((row) => ({ ...row, ...weightOf(row, choice, names) }));
    const isLast = from + PART >= rows.length;
    parts.push({ list: { ...list, isLast }, rows: JSON.stringify(part) });
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
