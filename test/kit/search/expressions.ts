import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { ParameterReader } from '../../../nodes/SmsMessagingService/parameters/reader';
import type { Harness } from '../engine';
import { weighed } from './settings';

/**
 * Random expressions, usual and hostile ones, in each kind of parameter, on items with any values. What the
 * package reads itself must be what n8n's engine gives.
 */

/** Items per expression. */
const ITEMS = 40;

/** Items with which an expression begins, to see whether any is read without the engine. */
const FEW = 4;

/** Number of values that the items of one expression have, in changing places. */
const POOL = 23;

/** What is read, or the error, as text: an entry named `__proto__` is the prototype of a new object each time. */
function shown(read: () => unknown): string {
  try {
    return inspect(read(), { depth: null, maxArrayLength: null, maxStringLength: null });
  } catch (error) {
    return `an error: ${(error as Error).message}`;
  }
}

const USUAL = ['phone', 'code', '手机号', 'a b', '0'];

const HOSTILE = [
  ...['naïve', '1', '01', '-1', '', '$', '$x', '_', '😀'],
  ...['length', 'constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', 'toJSON'],
  ...['x.constructor', 'constructorName', 'class', 'globalThis', 'binding', 'caller', 'arguments'],
  ...['__isError', '__isObject', '__path', 'then', '}}', 'a"b', "a'b", 'a\\b', 'a\nb', '\u2028'],
];

const name = weighed(
  [6, fc.constantFrom(...USUAL)],
  [3, fc.constantFrom(...HOSTILE)],
  [1, fc.string({ maxLength: 3 })],
);

const scalar = weighed(
  [3, fc.string({ maxLength: 6 })],
  [
    4,
    fc.constantFrom<unknown>(
      ...['', ' ', '={{ 1 }}', '{{ $json.phone }}', '\ud800', '"', '\\', '\n', '}}', '😀'],
      ...[0, -0, NaN, Infinity, 1.5, 13_800_138_000, 1e21, 2 ** 53],
      ...[true, false, null, undefined],
    ),
  ],
);

/** Objects that are not plain data, or only look like it, with something under each usual name. */
const ODD: ((fields: Record<string, unknown>) => unknown)[] = [
  (fields) => Object.assign(new Date(86_400_000), fields),
  (fields) => Object.create(fields) as unknown,
  (fields) => Object.assign(Object.create(null) as object, fields),
  () => runInNewContext('({ phone: [1, { code: "c" }] })') as unknown,
  (fields) => new Proxy(fields, {}),
  (fields) => new Proxy(Object.values(fields), {}),
  ({ phone }) => Object.defineProperty({ a: 1 }, 'phone', { value: phone }),
  () => JSON.parse('{"__proto__": {"phone": true}}') as unknown,
  (fields) => Object.assign([1, 2], fields),
  (fields) => Object.assign(() => 1, fields),
];

const odd = fc
  .tuple(scalar, fc.constantFrom(...ODD))
  .map(([each, make]) => make(Object.fromEntries(USUAL.map((name) => [name, each]))));

const any = fc.anything({
  ...{ key: name, values: [scalar, odd], maxKeys: 3, withNullPrototype: true },
  ...{ withBigInt: true, withDate: true, withSparseArray: true, withTypedArray: true },
});

const value = weighed([9, scalar], [2, any], [2, odd]);

/** A path as an expression writes it, and its names. */
interface Path {
  names: string[];
  code: string;
}

const path: fc.Arbitrary<Path> = fc
  .array(fc.tuple(name, fc.constantFrom('.', '[""]', "['']", '[]')), {
    minLength: 1,
    maxLength: 3,
  })
  .map((steps) => ({
    names: steps.map(([each]) => each),
    code: steps.map(([each, form]) => stepCode(each, form)).join(''),
  }));

function stepCode(name: string, form: string): string {
  if (form === '.' && /^[\p{L}_$][\p{L}\p{Nd}_$]*$/u.test(name)) return `.${name}`;
  if (form === '[]' && /^-?\d+$/.test(name)) return `[${name}]`;
  return form === "['']" ? `['${name}']` : `["${name}"]`;
}

/** What may follow a path. */
const end = weighed(
  [12, fc.constant('')],
  [1, fc.constantFrom('.length', '?.phone', '[01]', '[-1]', '.trim()', ';')],
);

const text = weighed(
  [4, fc.constant('')],
  [
    3,
    fc.constantFrom(
      ...['+86', ' ', ', ', '短信 ', '{ "code": "', '" }', '{"a":{"b":"', '"}}', '\n', '\t'],
      ...['\\', '\\\\', '\\n', '\\{{', '\\}}', '{', '}', '}}', '{{', '{{{', '{{ }}', '{{ 1 + 1 }}'],
      ...['=', '$json', '.constructor', '. constructor', '.first()', '$if(1,2,3)', '`', '${', "'"],
      ...['\ud800', '\0', '\u2028', '//', '/*', '<!--', '__proto__', '{{ $json }}'],
    ),
  ],
  [1, fc.string({ maxLength: 4 })],
);

const space = fc.constantFrom('', ' ', '\n\t', '  ', '\u00a0', '\ufeff', '\u2028');

interface Expression {
  paths: Path[];
  code: string;
}

const expression: fc.Arbitrary<Expression> = fc
  .record({
    paths: fc.array(path, { minLength: 1, maxLength: 3 }),
    texts: fc.array(text, { minLength: 4, maxLength: 4 }),
    isBare: fc.boolean(),
    spaces: fc.tuple(space, space),
    end,
  })
  .map(({ paths, texts, isBare, spaces: [before, after], end }) => {
    const used = isBare ? paths.slice(0, 1) : paths;
    const parts = used.map(({ code }) => `{{${before}$json${code}${end}${after}}}`);
    const code = isBare
      ? (parts[0] as string)
      : texts.map((each, index) => each + (parts[index] ?? '')).join('');
    return { paths: used, code: `=${code}` };
  });

/** What the engine reads. */
const other = fc
  .constantFrom<unknown>('={{ $json.phone.trim() }}', '={{ { a: 1 } }}', '=', 'constant', 5, null)
  .map((code) => ({ paths: [], code }) as unknown as Expression);

/** An entry of an object: mostly an expression of paths. */
const entry = weighed([6, expression], [1, other]);

/** Each kind of parameter, made of one expression, or of several with their names. */
const KINDS: Record<string, (entries: [string, string][]) => unknown> = {
  phoneNumbers: ([first]) => first?.[1],
  templateId: ([first]) => ({ __rl: true, mode: 'id', value: first?.[1] }),
  parameters: (entries) => ({
    mappingMode: 'defineBelow',
    value: Object.fromEntries(entries),
    schema: [{ id: 'phone', type: 'number' }],
  }),
  options: (entries) => Object.fromEntries(entries),
};

const example = fc
  .record({
    kind: fc.constantFrom(...Object.keys(KINDS)),
    entries: fc.array(fc.tuple(name, entry), { minLength: 1, maxLength: 3 }),
    pool: fc.array(value, { minLength: POOL, maxLength: POOL, size: 'max' }),
  })
  .map(({ kind, entries, pool }) => ({
    kind,
    parameter: KINDS[kind]?.(entries.map(([key, { code }]) => [key, code])),
    items: Array.from({ length: ITEMS }, (_, index) =>
      entries
        .flatMap(([, { paths }]) => paths)
        .reduce<IDataObject>((item, { names }, place) => {
          // Some values are in the way of a longer path.
          const [first = '', ...rest] = index % 3 === 0 ? names.slice(0, 1) : names;
          const each = pool[(index * (place + 1)) % POOL] as IDataObject;
          // Not assigned: under `__proto__` it would be a prototype.
          return { ...item, [first]: rest.reduceRight((inner, name) => ({ [name]: inner }), each) };
        }, {}),
    ),
  }));

/** A reader, and how often it has asked n8n's engine. */
function observed(context: ReturnType<Harness['createContext']>) {
  let count = 0;
  const getNodeParameter = (...args: [string, number, unknown, { rawExpressions?: boolean }?]) => {
    if (!args[3]?.rawExpressions) count += 1;
    return (context.getNodeParameter as (...args: unknown[]) => unknown)(...args);
  };
  const observing = Object.create(context, { getNodeParameter: { value: getNodeParameter } });
  return { reader: new ParameterReader(observing as never), asked: () => count };
}

/**
 * Compares random readings, until this many were made without the engine.
 *
 * @returns how many of the compared readings were made without the engine
 * @throws when a reading differs from n8n's
 */
export function compareReadings(
  createContext: Harness['createContext'],
  { comparisons, seed }: { comparisons: number; seed: number },
): number {
  let direct = 0;
  for (let round = 0; direct < comparisons; round++) {
    fc.assert(
      fc.property(example, ({ kind, parameter, items }) => {
        const parameters = { [kind]: parameter } as never;
        const { reader, asked } = observed(createContext(parameters, items));
        const engine = createContext(parameters, items).getNodeParameter as (
          ...args: unknown[]
        ) => unknown;
        const first = direct;
        for (const index of items.keys()) {
          // The engine reads this parameter.
          if (index === FEW && direct === first) return;
          const before = asked();
          const ours = shown(() => reader.get(kind, index, 'fallback'));
          if (asked() === before) direct += 1;
          // What the engine has given is compared, too, but only for a few items.
          else if (index >= FEW) continue;
          const theirs = shown(() => engine(kind, index, 'fallback'));
          if (ours !== theirs) {
            throw new Error(
              `${inspect(parameter)}, item ${index}: read ${ours}, but n8n gives ${theirs}`,
            );
          }
        }
      }),
      { numRuns: 20, seed: seed + round },
    );
  }
  return direct;
}
