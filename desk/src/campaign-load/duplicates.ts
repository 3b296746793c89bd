import { isOpen, parametersOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import { findPlaceholders } from '../nodes/placeholders';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Range } from '../common/records/row';
import type { Choice } from './campaign-to-store';

type NewRow = Pick<Recipient, 'phone_number' | 'parameters' | 'status' | 'changed'>;

/** How much a load has added, and what the campaign lacks with it. */
export interface Loaded {
  added: number;
  not_a_number: number;
  /** The parameters of the template that a recipient with a number has no column for. */
  missing: string[];
}

/** What a campaign has once: a number, or a recipient without one. */
function keyOf({ status, phone_number, parameters }: NewRow): string {
  return JSON.stringify(status === 'invalid' ? [phone_number, parameters] : [phone_number]);
}

/**
 * All rows but one of each number, as ranges of neighbours, and what this load has added. The first row stays; of
 * a campaign that nobody has started, the first of those that lack least, so that a better list completes it. Each
 * load looks when its rows are in the table: of several at the same moment, the last one to look sees all rows.
 * The first range has no row, so that the nodes behind always run.
 */
export default function duplicates({ $input, $, $execution }: N8n): Item<Range & Loaded>[] {
  const given = $('New rows').all<NewRow>();
  const keys = new Set(given.map(({ json }) => keyOf(json)));
  const begin = given[0]?.json.changed ?? '';
  // A row that was claimed meanwhile has the portion of its claim.
  const isNew = (row: Recipient) =>
    keys.has(keyOf(row)) && (row.portion === $execution.id || row.createdAt >= begin);
  const { names } = findPlaceholders($('Campaign to store').first<Choice>().json.content);
  const takesBetter = isOpen($('Store the campaign').first<Campaign>().json);

  const kept = new Map<string, Recipient>();
  const rows = $input.all<Recipient>().map(({ json }) => json);
  for (const row of rows.sort((a, b) => a.id - b.id)) {
    const known = kept.get(keyOf(row));
    if (!known || (takesBetter && lackOf(row, names) < lackOf(known, names))) {
      kept.set(keyOf(row), row);
    }
  }

  const ranges: Range[] = [{ from: 0, to: 0 }];
  const loaded: Loaded = { added: 0, not_a_number: 0, missing: [] };
  for (const row of rows) {
    const last = ranges.at(-1);
    if (kept.get(keyOf(row)) === row) {
      if (isNew(row)) loaded[row.status === 'invalid' ? 'not_a_number' : 'added'] += 1;
    } else if (last && last.to + 1 === row.id) {
      last.to = row.id;
    } else {
      ranges.push({ from: row.id, to: row.id });
    }
  }
  loaded.missing = missingIn([...kept.values()], names);
  return ranges.map((range) => ({ json: { ...range, ...loaded } }));
}

/** How much a row lacks: a column that it does not have weighs more than an empty cell. */
function lackOf(row: Recipient, names: string[]): number {
  const parameters = parametersOf(row);
  const lacks = names.map((name) =>
    Object.hasOwn(parameters, name) ? Number(parameters[name] === '') : 2,
  );
  return lacks.reduce<number>((all, each) => all + each, 0);
}

function missingIn(rows: Recipient[], names: string[]): string[] {
  const missing = new Set<string>();
  for (const row of rows) {
    if (row.status === 'invalid') continue;
    const parameters = parametersOf(row);
    for (const name of names) if (!Object.hasOwn(parameters, name)) missing.add(name);
  }
  return [...missing];
}
