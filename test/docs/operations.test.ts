import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { repetitionOf } from '../../nodes/SmsMessagingService/operations/operation';
import { REPETITION } from '../../nodes/SmsMessagingService/operations/repetition';
import { RESOURCES } from '../../nodes/SmsMessagingService/resources/index';
import { credential, fieldsOf, flatten, trigger } from '../kit/engine/descriptions';
import { contractOperations } from '../sandbox/contract';
import { LIMITS } from './pages/limits';

/** docs/reference/operations.md is written by hand: it has what the nodes have, and nothing else. */

const ROOT = path.resolve(__dirname, '../..');
const page = readFileSync(path.join(ROOT, 'docs/reference/operations.md'), 'utf8');
const lines = page.split('\n');

/** The lines under a heading, up to the next one. */
const under = (heading: string) =>
  page.split(`\n${heading}\n`)[1]?.split(/\n#/)[0]?.split('\n') ?? [];

/** Label, parameter without its collection, and what the field is about. */
interface Told {
  label: string;
  name: string;
  text: string;
}

const FIELD = /^- \*\*(.+?)(?: \((?:required|not in tools|tools only)\))*\*\* \(`([\w.]+)`/;

const told = lines.flatMap((text): Told[] => {
  const [, label = '', parameter = ''] = FIELD.exec(text) ?? [];
  return label ? [{ label, name: parameter.split('.').at(-1) ?? '', text }] : [];
});

const NO_ROW = ['notice', 'hidden', 'collection'];

const entered = (fields: INodeProperties[]) =>
  flatten(fields).filter(({ type }) => !NO_ROW.includes(type));

const OPERATIONS = RESOURCES.flatMap(({ option, operations }) =>
  operations.map((operation) => ({ ...operation, resource: option })),
);

const FIELDS = [
  ...OPERATIONS.flatMap(({ resource, option }) =>
    fieldsOf({ resource: String(resource.value), operation: String(option.value) }),
  ),
  ...trigger.description.properties,
  ...credential.properties,
];

// The page says once how a record is chosen.
const aboutOf = ({ description = '' }: INodeProperties) =>
  description.replace('. Choose it from the list, or enter its ID', '').replaceAll('\n', ' ');

test('every field has a line with its description and its default, and every line is about a field', () => {
  const isSame = (field: INodeProperties, { label, name, text }: Told) =>
    field.displayName === label &&
    field.name === name &&
    text.includes(aboutOf(field)) &&
    (!['number', 'boolean'].includes(field.type) || text.includes(`\`${String(field.default)}\``));
  const fields = entered(FIELDS);
  const missing = fields.filter((field) => !told.some((line) => isSame(field, line)));
  expect(missing.map(({ displayName, description }) => [displayName, description])).toEqual([]);
  expect(told.filter((line) => !fields.some((field) => isSame(field, line)))).toEqual([]);
});

test.each(OPERATIONS)('$resource.name: $option.name', ({ resource, option, ...operation }) => {
  const { endpoint } = operation;
  const section = under(`### ${resource.name}: ${option.name}`);
  const repetition = repetitionOf({ option, ...operation } as (typeof OPERATIONS)[number]);
  const says = [option.description, endpoint.path, REPETITION[repetition]];
  const expected = ['reads', 'usesUp'].includes(repetition) ? says.slice(0, 2) : says;
  for (const text of expected) expect(section[1]).toContain(text);
  expect(section[1]?.includes('(inferred)')).toBe(endpoint.source === 'inferred');
  // Each place in the request is a field that the contract has.
  const [contract] = contractOperations().filter((each) => each.path === endpoint.path);
  const known = JSON.stringify(contract?.request);
  const places = section.flatMap((line) =>
    [...line.matchAll(/→ `([\w.[\]]+)`/g)].map(([, place = '']) => place.split('.').at(-1)),
  );
  expect(places.filter((name) => !known.includes(`"${name}"`))).toEqual([]);
});

test('every field of an output has a line with its meaning, and every such line is about one', () => {
  const folder = path.join(ROOT, 'nodes/SmsMessagingService/__schema__');
  const schemas = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('\n');
  const outputs = lines.flatMap((line) => {
    const [, name = '', about = ''] = /^- `([\w.]+)` \([\w ]+\): (.+)$/.exec(line) ?? [];
    return name ? [{ name: name.split('.').at(-1) ?? '', about }] : [];
  });
  const wrong = outputs.filter(
    ({ name, about }) =>
      !schemas.includes(`"${name}": {`) ||
      !schemas.includes(`"description": ${JSON.stringify(about)}`),
  );
  expect(wrong).toEqual([]);
  const names = [...schemas.matchAll(/"(?!items)(\w+)": \{\n *"type"/g)].map(([, name]) => name);
  const unsaid = new Set(names.filter((name) => !page.includes(`${name}\``)));
  expect([...unsaid]).toEqual([]);
});

test('the limits are those of the nodes', () => {
  const [, part = ''] = page.split('\n### Limits of sends\n');
  const found = [...part.matchAll(/^- (.+): \*\*(.+)\*\*$/gm)].map(([, ...line]) => line);
  expect(found).toEqual(
    LIMITS.map(([start, limit]) => [expect.stringContaining(start) as string, limit]),
  );
});
