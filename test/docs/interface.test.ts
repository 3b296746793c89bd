import { readFileSync } from 'node:fs';
import path from 'node:path';
import { contractOperations, contractSchemas, type Schema } from '../sandbox/contract';

/** docs/build/interface.md is written by hand: it has what the contract has. */

const ROOT = path.resolve(__dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, 'docs', file), 'utf8');

const page = read('build/interface.md');

const under = (heading: string) => page.split(`\n### ${heading}\n`)[1]?.split(/\n#/)[0] ?? '';

/** The names of fields in a schema and in what it holds, apart from those of a record, which has its own section. */
function namesIn({ properties = {}, items }: Schema): string[] {
  const inside = Object.entries(properties).flatMap(([name, field]) => [name, ...namesIn(field)]);
  return [...inside, ...(items ? namesIn(items) : [])];
}

const missing = (text: string, schema: Schema) =>
  namesIn(schema).filter((name) => !new RegExp(`[\`.]${name}\``).test(text));

const DOCUMENTED = contractOperations().filter(({ inferred }) => !inferred);
const INFERRED = contractOperations().filter(({ inferred }) => inferred);

test.each(DOCUMENTED)('$heading', ({ heading, path: at, request, answer }) => {
  const section = under(heading);
  expect(section).toContain(`\n\`POST ${at}\`.`);
  expect([...missing(section, request), ...missing(section, answer)]).toEqual([]);
});

test.each(INFERRED)('$heading, by name only', ({ heading, path: at, request }) => {
  const [line = ''] = new RegExp(`^- ${heading}, .*$`, 'm').exec(page) ?? [];
  expect(line).toContain(`\`POST ${at}\`. Request: `);
  // "and the fields of" another one
  const [, other] = /fields of ([\w ]+)\. Answer/.exec(line) ?? [];
  const [rest = ''] = other ? (new RegExp(`^- ${other}, .*$`, 'm').exec(page) ?? []) : [];
  expect(missing(line + rest, request)).toEqual([]);
});

test('every record has a section with its fields', () => {
  const records = Object.values(contractSchemas()).filter(({ title }) => title);
  expect(records).toHaveLength(7);
  for (const record of records) {
    expect([record.title, ...missing(under(record.title ?? ''), record)]).toEqual([record.title]);
  }
});

test('what is not shown has a row in not-shown.md', () => {
  const rows = read('reference/not-shown.md');
  const gaps = [...page.matchAll(/^\*\*Not shown:\*\* (.*)\.$/gm)].flatMap(([, list = '']) =>
    [...list.matchAll(/`([\w-]+)`/g)].map(([, id = '']) => id),
  );
  expect(gaps.length).toBeGreaterThan(30);
  expect(gaps.filter((id) => !rows.includes(`<a id="${id}">`))).toEqual([]);
});
