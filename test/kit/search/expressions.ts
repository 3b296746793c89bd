import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { IDataObject, Workflow } from 'n8n-workflow';
import { ItemReader, ParameterReader } from '../../../nodes/SmsMessagingService/parameters/reader';
import type { Harness } from '../engine';
import { weighed } from './settings';

/*
 * Random fields on items with any values, each read by the package and by n8n's engine. What the package reads is
 * what n8n gives, or it refuses the field.
 */

/** Items per expression. */
const ITEMS = 40;

/** Items with which an expression begins, to see whether any is read without the engine. */
const FEW = 4;

/** Number of values that the items of one expression have, in changing places. */
const POOL = 23;

type Context = ReturnType<Harness['createContext']>;

/** A context, with the part of n8n's engine that evaluates for it. */
async function evaluating<T>(context: Context, read: (context: Context) => T): Promise<T> {
  const { expression } = (context as unknown as { workflow: Workflow }).workflow;
  // An n8n without the engine `vm` evaluates in the process.
  if (!('withIsolate' in expression)) return read(context);
  return await expression.withIsolate(async () => Promise.resolve(read(context)));
}

/** What is read, or the error, as text: an entry named `__proto__` is the prototype of a new object each time. */
function shown(read: () => unknown): string {
  try {
    return inspect(copied(read()), { depth: null, maxArrayLength: null, maxStringLength: null });
  } catch (error) {
    return `an error: ${(error as Error).message}`;
  }
}

/** Lists and objects without what only JavaScript sees: prototypes, and that they are proxies. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, copied);
  const isPlain = Object.prototype.toString.call(value) === '[object Object]';
  if (!isPlain || value instanceof Date) return value;
  const entries = Object.entries(value as object).map(([name, part]) => [name, copied(part)]);
  return Object.fromEntries(entries) as object;
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

const example = fc
  .record({
    expressions: fc.array(expression, { minLength: 1, maxLength: 1 }),
    pool: fc.array(value, { minLength: POOL, maxLength: POOL, size: 'max' }),
  })
  .map(({ expressions, pool }) => ({
    raw: expressions[0]?.code as string,
    items: Array.from({ length: ITEMS }, (_, index) =>
      expressions
        .flatMap(({ paths }) => paths)
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
function observed(context: Context) {
  let count = 0;
  const evaluateExpression = (...args: [string, number]) => {
    count += 1;
    return context.evaluateExpression(...args);
  };
  const observing = Object.create(context, { evaluateExpression: { value: evaluateExpression } });
  return { reader: new ParameterReader(observing as never), asked: () => count };
}

/** @throws when a value differs from n8n's */
function requireSame(raw: string, index: number, ours: string, theirs: string): void {
  if (ours === theirs) return;
  throw new Error(`${inspect(raw)}, item ${index}: read ${ours}, but n8n gives ${theirs}`);
}

/**
 * Compares values that are read from paths, until this many were read without the engine.
 *
 * @returns how many of the compared values were read without the engine
 * @throws when a value differs from n8n's
 */
export async function compareReadings(
  createContext: Harness['createContext'],
  { comparisons, seed }: { comparisons: number; seed: number },
): Promise<number> {
  let direct = 0;
  const compare = (context: Context, raw: string, items: IDataObject[]) => {
    const { reader, asked } = observed(context);
    const first = direct;
    for (const index of items.keys()) {
      // The engine reads this field.
      if (index === FEW && direct === first) return;
      const before = asked();
      const item = new ItemReader(reader, index);
      const as = { label: 'Numbers', read: (value: unknown) => value };
      const read = () => item.value('phoneNumbers', as);
      const ours = shown(read);
      if (asked() === before) direct += 1;
      // What the engine has given is compared, too, but only for a few items.
      else if (index >= FEW) continue;
      if (ours.startsWith('an error')) continue;
      const evaluate = () => context.evaluateExpression(raw.slice(1).trim(), index);
      // Beside text the package reads text. n8n drops a text that ends in `\\{{`, so it gives the value then.
      const isText = asked() > before && ours.startsWith("'");
      requireSame(raw, index, ours, shown(isText ? () => String(evaluate()) : evaluate));
    }
  };
  for (let round = 0; direct < comparisons; round++) {
    await fc.assert(
      fc.asyncProperty(example, async ({ raw, items }) => {
        const context = createContext({ phoneNumbers: raw }, items);
        await evaluating(context, () => compare(context, raw, items));
      }),
      { numRuns: 20, seed: seed + round },
    );
  }
  return direct;
}

// --- Codes of any form, with text beside them ---

const ATOMS = [
  ...['$json.a', '$json["b"]', '$json.o.x', '$json.o?.x', '$json.l[0]', '$json.none', '$json.o'],
  ...["$('Start').item.json.a", '$input.item.json.b', '$itemIndex', '$json', 'v', 'this'],
  ...['"x"', "'y'", '`z`', "''", '1', '0.1 * 3', 'true', 'null', '[1, 2]', '{ a: 1 }', "/'/", '$'],
];

type Form = (one: string, two: string) => string;

const ENDS = [
  ...['.trim()', '.first()', '?.first()', '.toUpperCase()', '.length', '?.length', '.isEmpty()'],
  ...['.toFixed(2)', '.toString()', '?.x?.y', '[0]', '.replace(/\\s/g, "")', '.last()', ';', '()'],
].map(
  (end): Form =>
    (one) =>
      one + end,
);

/** Code of one or two others. */
const FORMS: Form[] = [
  ...ENDS,
  (one) => `String(${one})`,
  (one) => `(${one})`,
  (one) => `[${one}].join("-")`,
  (one) => `(() => ${one})()`,
  (one) => `\`\${${one}} w\``,
  (one) => `/* c */ ${one} // end`,
  (one) => `{ k: ${one} }.k`,
  (one) => `new Date(${one})`,
  (one) => `...${one}`,
  (one) => `${one} as text`,
  (one, two) => `${one} || ${two}`,
  (one, two) => `${one} ?? ${two}`,
  (one, two) => `${one} ? ${two} : ''`,
  (one, two) => `${one}, ${two}`,
  (one, two) => `${one}; ${two}`,
  (one, two) => `${one} + ${two}`,
  (one, two) => `$if(${one}, ${two}, 'n')`,
  (one, two) => `/'/.test(${one}) ? ${two} : 'n'`,
  (one, two) => `${one}) + (${two}`,
  (one, two) => `[${one}, ${two}][1]`,
];

const anyCode: fc.Arbitrary<string> = fc.letrec<{ code: string }>((tie) => ({
  code: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...ATOMS),
    fc
      .tuple(fc.constantFrom(...FORMS), tie('code'), tie('code'))
      .map(([form, one, two]) => form(one, two)),
  ),
})).code;

/** A code with a sign too much, too few, or another one, as somebody types it. */
const mutated = fc
  .tuple(anyCode, fc.nat(), fc.constantFrom(0, 1), fc.constantFrom(...'(){}[]\'"`\\;,.$ ?:x'))
  .map(([code, at, removed, sign]) => {
    const place = at % (code.length + 1);
    return code.slice(0, place) + sign + code.slice(place + removed);
  });

const field = fc
  .tuple(
    fc.array(weighed([3, anyCode], [1, mutated]), { minLength: 1, maxLength: 3 }),
    fc.array(text, { minLength: 4, maxLength: 4 }),
    fc.boolean(),
    space,
  )
  .map(([codes, texts, isBare, around]) => {
    const used = isBare ? codes.slice(0, 1) : codes;
    const [first = '', ...rest] = isBare ? ['', ''] : texts;
    return `=${first}${used.map((code, nth) => `{{${around}${code}${around}}}${rest[nth] ?? ''}`).join('')}`;
  });

const fields = fc.record({
  raw: field,
  items: fc.array(
    fc.record({
      a: value,
      b: scalar,
      o: weighed([2, fc.record({ x: scalar })], [1, value]),
      l: value,
    }),
    { minLength: 3, maxLength: 3 },
  ),
});

/**
 * Compares the texts of random fields.
 *
 * @returns how many fields were compared, and how many of their texts were sent, or refused
 * @throws when a text is not what n8n reads
 */
export async function compareFields(
  createContext: Harness['createContext'],
  { numRuns, seed }: { numRuns: number; seed: number },
): Promise<{ sent: number; refused: number }> {
  const counts = { sent: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fields, async ({ raw, items }) => {
      const context = createContext({ content: raw }, items as IDataObject[]);
      await evaluating(context, () => {
        const reader = new ParameterReader(context as never);
        for (const index of items.keys()) {
          let ours: string;
          try {
            ours = new ItemReader(reader, index).text('content', 'Content', 'required');
          } catch {
            counts.refused += 1;
            continue;
          }
          counts.sent += 1;
          const theirs = shown(() => String(context.evaluateExpression(raw.slice(1), index)));
          requireSame(raw, index, inspect(ours, { maxStringLength: null }), theirs);
        }
      });
    }),
    { numRuns, seed },
  );
  return counts;
}
