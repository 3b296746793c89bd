import { isOpen, parametersOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import type { N8n } from '../../../builder/code/n8n';
import { rangesOf, type Range } from '../common/records/row';
import { findPlaceholders } from '../nodes/placeholders';
import type { Choice } from './campaign-to-store';
import { keyOf } from './list';

/** How much a load has added, and what the campaign lacks with it. */
export interface Loaded {
  added: number;
  not_a_number: number;
  /** How many rows are in the campaign once more. */
  twice: number;
  /** The parameters of the template that a recipient with a number has no column for. */
  missing: string[];
}

/**
 * All rows but one of each number, as ranges of neighbours, and what this load has added. PostgreSQL has left them
 * out and says that by itself. Of several loads of a data table at the same moment, the last one to look sees all
 * rows. The first range has no row, so that the nodes behind always run.
 */
export default function duplicates({ $input, $, $execution }: N8n): (Range & Loaded)[] {
  const rows = $input.all<Recipient & Partial<Loaded>>().map(({ json }) => json);
  const { names } = findPlaceholders($('Campaign to store').first<Choice>().json.content);
  const none = { from: 0, to: 0, added: 0, not_a_number: 0, twice: 0, missing: [] };
  if (!rows[0]?.id) return [{ ...none, ...rows[0] }];
  const stored = $('Store the campaign').first<Campaign>().json;
  const kept = keptOf(rows, isOpen(stored) ? names : []);
  const people = [...kept.values()].filter(({ status }) => status !== 'invalid').map(parametersOf);
  const missing = names.filter((name) => people.some((each) => !Object.hasOwn(each, name)));
  const gone = rows.filter((row) => kept.get(keyOf(row)) !== row).map(({ id }) => id);
  const added = [...kept.values()].filter(({ portion }) => portion === $execution.id);
  const numbers = added.filter(({ status }) => status !== 'invalid').length;
  const loaded: Loaded = {
    ...{ added: numbers, not_a_number: added.length - numbers },
    ...{ twice: gone.length, missing },
  };
  const ranges = rangesOf(gone, new Map(gone.map((id) => [id, {}])), 1);
  return [{ from: 0, to: 0 }, ...ranges].map((range) => ({ ...range, ...loaded }));
}

/** The first row of each number: of those that lack least of the names, so that a better list completes a draft. */
function keptOf(rows: Recipient[], names: string[]): Map<string, Recipient> {
  const kept = new Map<string, Recipient>();
  for (const row of rows.sort((a, b) => a.id - b.id)) {
    const known = kept.get(keyOf(row));
    if (!known || lackOf(row, names) < lackOf(known, names)) kept.set(keyOf(row), row);
  }
  return kept;
}

/** How much a row lacks: a column that it does not have weighs more than an empty cell. */
function lackOf(row: Recipient, names: string[]): number {
  const parameters = parametersOf(row);
  const lacks = names.map((name) =>
    Object.hasOwn(parameters, name) ? Number(parameters[name] === '') : 2,
  );
  return lacks.reduce<number>((all, each) => all + each, 0);
}
