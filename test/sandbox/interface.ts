/**
 * docs/build/interface.md: the parts between `<!-- openapi.yaml: … -->` and `<!-- end -->` are generated from
 * openapi.yaml, the rest is written by hand.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkTo, table } from '../docs/pages/markdown';
import type { ContractOperation, Schema } from './contract';
import { contractOperations, contractSchemas, resolve } from './contract';

const FILE = join(__dirname, '../../docs/build/interface.md');

const NOT_SHOWN = 'docs/reference/not-shown.md';

/** What is not shown, in small letters → the ID of its row. */
const GUESSES = new Map(
  [
    ...readFileSync(join(__dirname, '../..', NOT_SHOWN), 'utf8').matchAll(
      /^\| <a id="([\w-]+)"><\/a>\S+ \| (.*?) \|/gm,
    ),
  ].map(([, id = '', gap = '']) => [gap.toLowerCase(), id]),
);

const OPERATIONS = contractOperations();

/** Name in the first line of a generated part → its text, made from the words after the name. */
const PARTS: Record<string, (about: string) => string> = {
  headers: () =>
    table(
      ['Header', 'Value'],
      (OPERATIONS[0]?.headers ?? []).map(({ name, description }) => [`\`${name}\``, description]),
    ),
  fields: (name) => fieldList(contractSchemas()[name] ?? {}),
  records: () =>
    Object.values(contractSchemas())
      .filter(({ title }) => title !== undefined)
      .map(recordSection)
      .join('\n\n'),
  operations: (part) =>
    OPERATIONS.filter((operation) => operation.part === part && !operation.inferred)
      .map(operationSection)
      .join('\n\n'),
  inferred: () =>
    table(
      ['Operation', 'Path here', 'Request here', 'Answer here'],
      OPERATIONS.filter(({ inferred }) => inferred).map(({ heading, path, request, answer }) => [
        heading,
        `\`${path}\``,
        requestOf(heading, request),
        isListed(answer) ? namesOf(answer) : typeOf(answer),
      ]),
    ),
};

/** Returns the page with its parts generated from openapi.yaml. */
export function interfacePage(): string {
  return readFileSync(FILE, 'utf8').replace(
    /(<!-- openapi\.yaml: (\w+) ?(.*) -->\n)[^]*?(?=\n<!-- end -->)/g,
    (_part, start: string, name: string, about: string) => {
      const text = PARTS[name]?.(about) ?? '';
      if (text === '') throw new Error(`openapi.yaml has no ${name} ${about}`);
      return `${start}\n${text}\n`;
    },
  );
}

function recordSection(record: Schema): string {
  return section(
    record.title ?? '',
    record.description,
    fieldList(record),
    gaps(record['x-not-shown']),
  );
}

function operationSection(operation: ContractOperation): string {
  const { heading, path, description, request, answer, notShown } = operation;
  return section(
    heading,
    [`\`POST ${path}\`.`, description].filter(Boolean).join(' '),
    Object.keys(request.properties ?? {}).length > 0 && `Request:\n\n${fieldList(request, true)}`,
    isListed(answer) ? `Answer:\n\n${fieldList(answer)}` : `Answer: ${typeOf(answer)}.`,
    gaps(notShown),
  );
}

function section(heading: string, ...paragraphs: (string | false | undefined)[]): string {
  return [`### ${heading}`, ...paragraphs.filter(Boolean)].join('\n\n');
}

/** The IDs of the rows of docs/reference/not-shown.md, where each gap stands in the same words. */
function gaps(notShown: string[] = []): string {
  const ids = notShown.map((gap) => {
    const id = GUESSES.get(gap.toLowerCase());
    if (id === undefined) throw new Error(`${NOT_SHOWN} has no row "${gap}"`);
    return `\`${id}\``;
  });
  return ids.length > 0 ? `**Not shown:** ${ids.join(', ')}.` : '';
}

/** Returns a list of all fields. For a request, it says which are required; an answer has all of its fields. */
function fieldList(schema: Schema, isRequest = false): string {
  return fieldsIn(schema)
    .map(({ name, type, required, meaning }) => {
      const about = isRequest && isTold(name, meaning) ? '' : meaning;
      const start = [`- ${name} ${type}`, isRequest && required].filter(Boolean).join(', ');
      return about ? `${start}: ${about}` : start;
    })
    .join('\n');
}

/** Whether a record has a field of this name and meaning: the record's list says it. */
function isTold(name: string, meaning: string): boolean {
  return Object.values(contractSchemas())
    .filter(({ title }) => title !== undefined)
    .some((record) =>
      fieldsIn(record).some((each) => each.name === name && each.meaning === meaning),
    );
}

interface Field {
  name: string;
  type: string;
  required: string;
  meaning: string;
}

/** Returns the fields of an object and of the objects in it, such as `messages[].phone_number`. */
function fieldsIn(schema: Schema, parent = '', inferredParent = false): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inferred = inferredParent || isInferred(schema) || isInferred(field);
    const required = schema.required?.includes(name) ?? false;
    const place = `${parent}${name}`;
    const row = {
      name: `\`${place}\`${inferred ? HERE : ''}`,
      type: typeOf(field) + limitsOf(field),
      required: required ? `required${isInferred(schema, 'required') ? HERE : ''}` : '',
      meaning: field.description ?? targetOf(field).description ?? '',
    };
    const inside = field.items?.$ref === undefined ? field.items : undefined;
    return [
      row,
      ...fieldsIn(field, `${place}.`, inferred),
      ...fieldsIn(inside ?? {}, `${place}[].`, inferred),
    ];
  });
}

const HERE = ' _(here)_';

/** Whether a schema, or a keyword of it, is not in the specification. */
function isInferred({ 'x-inferred': inferred }: Schema, keyword?: string): boolean {
  return inferred === true || (keyword !== undefined && inferred?.includes(keyword) === true);
}

/** Whether the fields of an answer are listed with it, because it is not a record or page. */
function isListed(answer: Schema): boolean {
  return answer.properties !== undefined && answer.$ref === undefined;
}

function targetOf({ $ref }: Schema): Schema {
  return $ref === undefined ? {} : (resolve($ref) as Schema);
}

/** Returns the type of a value in words, in the plural for several. */
function typeOf(schema: Schema, s = ''): string {
  const { $ref, items, additionalProperties, maxProperties, type = '' } = schema;
  if ($ref !== undefined) return typeOfTarget(targetOf(schema), s);
  if (items) return `array${s} of ${typeOf(items, 's')}`;
  if (additionalProperties) return `object${s} of ${typeOf(additionalProperties, 's')}`;
  return maxProperties === 0 ? 'an empty object' : type + s;
}

function typeOfTarget(target: Schema, s: string): string {
  const records = target.properties?.list?.items;
  if (records) return `[page${s}](#page-of-a-list) of ${typeOf(records, 's')}`;
  if (target.title === undefined) return typeOf(target, s);
  const text = `${target.title.toLowerCase()}${s}`.replace(/ys$/, 'ies');
  return linkTo(target.title, { text });
}

function limitsOf(field: Schema): string {
  const limited = { ...targetOf(field), ...field };
  if (limited.minimum === undefined) return '';
  return `, at least ${limited.minimum}${isInferred(limited, 'minimum') ? HERE : ''}`;
}

/** The fields of an inferred request; those of an edit are those of the creation before it, and an ID. */
function requestOf(heading: string, request: Schema): string {
  const creation = OPERATIONS.find(
    (each) =>
      each.heading !== heading &&
      each.request.properties !== undefined &&
      namesOf(request) === `\`id\`, ${namesOf(each.request)}`,
  );
  return creation ? `\`id\`, and the fields of ${creation.heading}` : namesOf(request);
}

function namesOf({ properties = {} }: Schema): string {
  return Object.keys(properties)
    .map((name) => `\`${name}\``)
    .join(', ');
}
