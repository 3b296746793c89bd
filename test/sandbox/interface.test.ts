import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Schema } from './interface';
import { InterfacePage } from './interface';
import { resolve, withoutMarks } from './readings';

/**
 * docs/interface.md says in words what the specification shows, and openapi.yaml says it to machines.
 * Without its marked parts, openapi.yaml must say the same as the page: no less, and no more.
 */

const YAML = readFileSync(join(__dirname, 'openapi.yaml'), 'utf8');
const PAGE = readFileSync(join(__dirname, '../../docs/interface.md'), 'utf8');

interface Document {
  paths: Record<string, { post: Schema; 'x-inferred'?: boolean }>;
  components: Record<string, Record<string, Schema>>;
}

const documentOf = (yaml: string) => parse(yaml) as Document;

/** Path → what openapi.yaml without its marked parts says of the operation, all references resolved. */
function shownBy(document: Document): Record<string, unknown> {
  const shown = withoutMarks(document);
  return Object.fromEntries(
    Object.entries(shown.paths).map(([path, { post, ...rest }]) => {
      const operation = plain(without(post, 'operationId', 'tags'), shown) as Schema;
      // What a path has beside its POST would be there too, and the page does not have it.
      return [path, { ...rest, ...operation }];
    }),
  );
}

/** A part with its references resolved, its lists sorted, and without the texts for readers. */
function plain(part: unknown, document: Document): unknown {
  if (Array.isArray(part)) return part.map((entry) => plain(entry, document));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, ...own } = part as Schema;
  if (typeof $ref === 'string') return plain({ ...own, ...targetOf($ref, document) }, document);
  return Object.fromEntries(
    Object.entries(own)
      .filter(([key, value]) => !(['description', 'summary'].includes(key) && isText(value)))
      .map(([key, value]) => [key, inOrder(key, plain(value, document))]),
  );
}

function targetOf(reference: string, document: Document): Schema {
  const target = resolve(document, reference) as Schema | undefined;
  if (!target) throw new Error(`${reference} carries the mark, but what refers to it does not`);
  return target;
}

function inOrder(key: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  if (key === 'required') return (value as string[]).sort();
  if (key !== 'parameters') return value as unknown;
  return (value as { name: string }[]).sort((a, b) => a.name.localeCompare(b.name));
}

function without<T>(entries: Record<string, T>, ...keys: string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !keys.includes(key)));
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** The components that the unmarked part has: as `section/name`. */
function unmarkedComponents(document: Document): string[] {
  const components = without(withoutMarks(document).components, 'securitySchemes');
  return Object.entries(components).flatMap(([section, parts]) =>
    Object.keys(parts).map((name) => `${section}/${name}`),
  );
}

/** The components that the paths of the unmarked part refer to, and what these refer to. */
function usedComponents(document: Document): string[] {
  const shown = withoutMarks(document);
  const used = new Set<string>();
  const follow = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      follow(targetOf(`#/components/${name}`, shown));
    }
  };
  follow(shown.paths);
  return [...used];
}

describe('openapi.yaml without its marked parts', () => {
  const document = documentOf(YAML);
  const page = new InterfacePage(PAGE);
  const shown = shownBy(document);

  it('has the operations of docs/interface.md', () => {
    expect(Object.keys(shown)).toHaveLength(13);
    expect(Object.keys(shown).sort()).toEqual(Object.keys(page.operations()).sort());
  });

  it.each(Object.entries(page.operations()))(
    'says of %s what docs/interface.md says, and no more',
    (path, operation) => {
      expect(shown[path]).toEqual(operation);
    },
  );

  it('has no part that only operations with the mark use', () => {
    expect(unmarkedComponents(document).sort()).toEqual(usedComponents(document).sort());
  });

  it('lacks the operations that docs/interface.md knows by name only', () => {
    const marked = Object.keys(document.paths).filter((path) => !(path in shown));
    expect(marked.sort()).toEqual(page.inferredPaths().sort());
  });

  it('leaves Pull replies no HTTP status but 200, with and without the marks', () => {
    expect(PAGE).toMatch(/^`POST \/sendsms\/mo\/pull`.* The HTTP status is always 200\.$/m);
    const { responses } = document.paths['/sendsms/mo/pull']?.post ?? {};
    expect(Object.keys(responses as Schema)).toEqual(['200']);
  });
});

describe('the comparison finds', () => {
  const agree = (yaml: string, markdown: string) => {
    const document = documentOf(yaml);
    const page = new InterfacePage(markdown);
    try {
      expect(shownBy(document)).toEqual(page.operations());
      expect(unmarkedComponents(document).sort()).toEqual(usedComponents(document).sort());
    } catch {
      return false;
    }
    return true;
  };

  /** A text with one change. @throws Error when the text does not have what is to be changed */
  const changed = (text: string, from: string | RegExp, to: string) => {
    const result = text.replace(from, to);
    if (result === text) throw new Error(`Nothing to change: ${String(from)}`);
    return result;
  };

  it('nothing, as long as nothing is changed', () => {
    expect(agree(YAML, PAGE)).toBe(true);
  });

  it.each<[string, string | RegExp, string]>([
    ['a field that is gone', /( {8}split_count:\n) {10}type: integer\n/, ''],
    ['a field of another name', '        query_url:', '        query_urls:'],
    ['a further field', '        query_url:', '        query_id:\n          type: integer\n$&'],
    ['a type', /(mobile:\n {10}type: )integer/, '$1string'],
    [
      'a required list without the mark',
      /- x-inferred: true\n {10}(required: \[sign_id\])/,
      '- $1',
    ],
    ['a required field that is not', 'required: [code, msg, balance]', 'required: [code, msg]'],
    ['a count that is not required', /(ReplyQuery:\n.*\n.*\n) {6}required: \[count\]\n/, '$1'],
    ['a field without the mark', /(phone_data:\n {10}type: string\n) {10}x-inferred: true\n/, '$1'],
    ['an operation without the mark', /(cert\/create:\n) {4}x-inferred: true\n/, '$1'],
    ['an answer without the mark', / {10}x-inferred: true\n( {10}\$ref: .*responses)/, '$1'],
    ['a schema without the mark', /(SignaturePage:\n.*\n) {6}x-inferred: true\n/, '$1'],
    ['a mark on a schema that is shown', '    Balance:', '$&\n      x-inferred: true'],
    ['a mark on a field that is shown', /domain:\n/, '$&          x-inferred: true\n'],
    ['a constraint without the mark', 'ext_no:\n', '$&          minLength: 1\n'],
    ['a closed object', /( {4}LeadQuery:\n.*\n)/, '$1      additionalProperties: false\n'],
    ['an open object', '      maxProperties: 0\n', ''],
    ['a path of another name', '  /sendsms/balance:', '  /sendsms/balances:'],
    ['another method', /(balance:\n)( {4}post:\n)/, '$1    get: {}\n$2'],
    ['a header that is gone', "        - $ref: '#/components/parameters/ContentType'\n", ''],
    ['a header that is not required', /(X-Nonce\n.*\n) {6}required: true\n/, '$1'],
    [
      'the unit of X-Timestamp without the mark',
      /- x-inferred: true\n {12}(pattern: .*10)/,
      '- $1',
    ],
    ['a header that must be there', /(name: authorization\n)/, '$1      required: true\n'],
    ['a body that need not be there', /(sign\/create:[^]*?) {8}required: true\n/, '$1'],
    [
      'a body that must be there',
      /(cert\/delete:[^]*?requestBody:\n)/,
      '$1        required: true\n',
    ],
    ['a looser created_at', /(created_at:\n.*\n) {10}pattern: .*\n/, '$1'],
    ['a list in another wrapping', 'schemas/TemplateList', 'schemas/TemplatePage'],
  ])('in openapi.yaml: %s', (_name, from, to) => {
    expect(agree(changed(YAML, from, to), PAGE)).toBe(false);
  });

  it.each<[string, string | RegExp, string]>([
    ['a field that is gone', '`query_phone2`, ', ''],
    ['a further field', '`query_phone2`, ', '$&`query_phone3`, '],
    ['a type', '`sms_sign_id` (integer)', '`sms_sign_id`'],
    ['a required field', '`template_id` (integer)', '`template_id` (integer, required)'],
    ['a field of a record', /^\| `audit_status` .*\n/m, ''],
    ['the type of a record’s field', /(\| `split_count` *\| )integer/, '$1string'],
    ['a header', /^\| `X-Nonce` .*\n/m, ''],
    ['a path', '`POST /openapi/lead/info`', '`POST /openapi/lead/list`'],
    ['an operation that is shown no more', '`POST /sendsms/balance`', ''],
  ])('in docs/interface.md: %s', (_name, from, to) => {
    expect(agree(YAML, changed(PAGE, from, to))).toBe(false);
  });
});
