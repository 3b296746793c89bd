import type { INodeProperties } from 'n8n-workflow';
import { fieldsOf } from '../../engine/harness/descriptions';
import { OUTPUT_FIELDS } from '../../engine/harness/outputFields';
import { action, ENTRIES, FIELDS, MODES, OPERATIONS, RESOURCES, trigger } from '../descriptions';
import { read } from '../files';
import { contractOperations } from '../../sandbox/contract';
import type { Schema } from '../../sandbox/contract';

/** docs/operations.md says the most important things first and each thing once, and leaves nothing out. */

const PAGE = read('docs/operations.md');

/** As it is read: without Markdown's signs. */
const plain = (text: string) => text.replaceAll(/[`*\\]/g, '');
const PLAIN = plain(PAGE);

type Row = Partial<Record<string, string>>;

/** The rows of all tables: heading of the column → cell. */
const ROWS: Row[] = [...PAGE.matchAll(/(?:^\|.*\n)+/gm)].flatMap(([table]) => {
  const [head = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
  return rows.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index]])));
});

/** Sentences that do not stand where they are in the editor are on the page one by one. */
const sentencesOf = (text = '') =>
  text.split(/(?<=\.) (?=[A-Z])/).map((sentence) => sentence.replace(/\.$/, ''));

const exampleOf = ({ placeholder }: { placeholder?: string }) =>
  placeholder?.replace(/^e\.g\. /, '');

test('every text of the editor is on the page', () => {
  const texts = [
    ...[action, trigger].flatMap(({ description: { displayName, description } }) => [
      displayName,
      description,
    ]),
    ...FIELDS.flatMap((field) => [
      ...sentencesOf(field.displayName),
      ...sentencesOf(field.description),
      ...sentencesOf(field.hint),
      exampleOf(field),
    ]),
    ...ENTRIES.flatMap((entry) => [entry.name, ...sentencesOf(entry.description), entry.action]),
    ...MODES.flatMap((mode) => [mode.displayName, exampleOf(mode)]),
  ].filter((text) => text !== undefined);
  expect(texts.length).toBeGreaterThan(500);
  const missing = new Set(texts.filter((text) => !PLAIN.includes(plain(text))));
  expect([...missing]).toEqual([]);
});

/** The last part of a name in code: `options.timeout` → timeout. */
const lastName = (cell = '') => cell.replace(/.*\.|`/g, '');

test('every field is in a table, by label and parameter', () => {
  const shown = ROWS.map(({ Field: label = '', Parameter: parameter }) =>
    String([label.replace(/ \(.*(required|tools).*\)$/, ''), lastName(parameter)]),
  );
  const isShown = ({ type, name }: INodeProperties) =>
    !['hidden', 'notice', 'collection'].includes(type) && !['resource', 'operation'].includes(name);
  const missing = FIELDS.filter(isShown)
    .map(({ displayName, name }) => String([displayName, name]))
    .filter((text) => !shown.includes(text));
  expect(missing).toEqual([]);
});

test('every field of an output is in a table, with its meaning', () => {
  const shown = ROWS.map((row) => String([lastName(row.Output), row['What it is']]));
  const wanted = Object.values(OUTPUT_FIELDS).flatMap(Object.entries).map(String);
  expect(wanted.filter((text) => !shown.includes(text))).toEqual([]);
});

test('every operation has a heading, and a row in the table of all', () => {
  const operations = OPERATIONS.map((operation) => {
    const heading = `### ${RESOURCES.get(operation.resource)}: ${operation.option.name}`;
    const isInferred = fieldsOf(action, operation).some(({ displayName }) =>
      displayName.includes('are inferred'),
    );
    return { heading, isInferred };
  });
  const headings = operations.map(({ heading }) => heading);
  expect(PAGE.match(/^### .*: .*$/gm)?.sort()).toEqual(headings.sort());
  const links = ROWS.flatMap((row) => row.Interface ?? []);
  expect(links).toHaveLength(operations.length);
  expect(links).toContain('[Get the balance](interface.md#get-the-balance)');
  const { length } = operations.filter(({ isInferred }) => isInferred);
  expect(links.filter((link) => link.startsWith('[inferred]'))).toHaveLength(length);
  expect(PAGE.match(/^Action: .* \(inferred\)\.$/gm)).toHaveLength(length);
});

test('the fields of the API are those of the contract', () => {
  const wanted = contractOperations().flatMap(({ request }) => placesIn(request));
  const shown = ROWS.flatMap((row) => row['API field']?.match(/(?<=`)[\w.[\]]+(?=`)/g) ?? []);
  // The node counts the pages itself.
  const others = wanted.filter((name) => !['page', 'page_size'].includes(name));
  expect([...new Set(shown)].sort()).toEqual([...new Set(others)].sort());
});

/** The fields that a body can have, such as `messages[].phone_number`. */
function placesIn({ properties = {} }: Schema, parent = ''): string[] {
  return Object.entries(properties).flatMap(([name, { items = {} }]) => {
    const inner = placesIn(items, `${parent}${name}[].`);
    return inner.length > 0 ? inner : [`${parent}${name}`];
  });
}
