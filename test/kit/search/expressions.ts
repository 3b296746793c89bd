import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { IDataObject, Workflow } from 'n8n-workflow';
import { ItemReader, ParameterReader } from '../../../nodes/SmsMessagingService/parameters/reader';
import { createHarness } from '../engine';
import type { Harness } from '../engine';
import { weighed } from './settings';
import type { Search } from './settings';

/*
 * Random fields on items with any values, each read by the package and by n8n's engine. What the package reads is
 * what n8n gives, or it refuses the field.
 */

/** Items of a field that is read without the engine, and of another one. */
const ITEMS = 40;
const FEW = 4;

/** Number of values that the items of one field have, in changing places. */
const POOL = 23;

type Context = ReturnType<Harness['createContext']>;

/** A context, with the part of n8n's engine that evaluates for it. */
async function evaluating<T>(context: Context, read: (context: Context) => T): Promise<T> {
  const { expression } = (context as unknown as { workflow: Workflow }).workflow;
  // An n8n without the engine `vm` evaluates in the process.
  if (!('withIsolate' in expression)) return read(context);
  return await expression.withIsolate(async () => Promise.resolve(read(context)));
}

const AN_ERROR = 'an error';

/** What is read, or the error, as text: an entry named `__proto__` is the prototype of a new object each time. */
function shown(read: () => unknown): string {
  try {
    return inspect(copied(read()), { depth: null, maxArrayLength: null, maxStringLength: null });
  } catch (error) {
    return `${AN_ERROR}: ${(error as Error).message}`;
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

/** @throws when a value that was read differs from n8n's */
function requireSame(raw: string, index: number, ours: string, given: () => unknown): void {
  const theirs = shown(given);
  if (ours.startsWith(AN_ERROR) || ours === theirs) return;
  throw new Error(`${inspect(raw)}, item ${index}: read ${ours}, but n8n gives ${theirs}`);
}

const AS_IT_IS = { label: 'Numbers', read: (value: unknown) => value };

// --- Codes of any form, with text beside them ---

const ATOMS = [
  ...['$json.a', '$json["b"]', '$json.o.x', '$json.o?.x', '$json.l[0]', '$json.none', '$json.o'],
  ...["$('Start').item.json.a", '$input.item.json.b', '$itemIndex', '$json', 'v', 'this'],
  ...['"x"', "'y'", '`z`', "''", '1', '0.1 * 3', 'true', 'null', '[1, 2]', '{ a: 1 }', "/'/", '$'],
];

/** Code of one or two others, X and Y. */
const FORMS = [
  ...[
    'X.trim()',
    'X.first()',
    'X?.first()',
    'X.toUpperCase()',
    'X.length',
    'X?.length',
    'X.last()',
  ],
  ...['X.isEmpty()', 'X.toFixed(2)', 'X.toString()', 'X?.x?.y', 'X[0]', 'X;', 'X()', '(X)', '...X'],
  ...[
    'X.replace(/\\s/g, "")',
    'String(X)',
    '[X].join("-")',
    '(() => X)()',
    '`${X} w`',
    'X as text',
  ],
  ...['/* c */ X // end', '{ k: X }.k', 'new Date(X)', 'X || Y', 'X ?? Y', "X ? Y : ''", 'X, Y'],
  ...['X; Y', 'X + Y', "$if(X, Y, 'n')", "/'/.test(X) ? Y : 'n'", 'X) + (Y', '[X, Y][1]'],
];

const anyCode: fc.Arbitrary<string> = fc.letrec<{ code: string }>((tie) => ({
  code: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...ATOMS),
    fc
      .tuple(fc.constantFrom(...FORMS), tie('code'), tie('code'))
      .map(([form, one, two]) => form.replace(/[XY]/g, (sign) => (sign === 'X' ? one : two))),
  ),
})).code;

/** A code with a sign too much, too few, or another one, as somebody types it. */
const mutated = fc
  .tuple(anyCode, fc.nat(), fc.constantFrom(0, 1), fc.constantFrom(...'(){}[]\'"`\\;,.$ ?:x'))
  .map(([code, at, removed, sign]) => {
    const place = at % (code.length + 1);
    return code.slice(0, place) + sign + code.slice(place + removed);
  });

/** A code, and the names of the path that it reads. */
interface Code {
  code: string;
  names: string[];
}

const code: fc.Arbitrary<Code> = weighed(
  [4, fc.tuple(path, end).map(([each, end]) => ({ ...each, code: `$json${each.code}${end}` }))],
  [3, anyCode.map((code) => ({ code, names: [] }))],
  [1, mutated.map((code) => ({ code, names: [] }))],
);

/** A field, and items that have something for each of its codes. */
const field = fc
  .record({
    codes: fc.array(code, { minLength: 1, maxLength: 3 }),
    texts: fc.array(text, { minLength: 4, maxLength: 4 }),
    isBare: fc.boolean(),
    around: space,
    pool: fc.array(value, { minLength: POOL, maxLength: POOL, size: 'max' }),
    own: fc.record({
      a: value,
      b: scalar,
      o: weighed([2, fc.record({ x: scalar })], [1, value]),
      l: value,
    }),
  })
  .map(({ codes, texts, isBare, around, pool, own }) => {
    const used = isBare ? codes.slice(0, 1) : codes;
    const [first = '', ...rest] = isBare ? [] : texts;
    const parts = used.map(({ code }, nth) => `{{${around}${code}${around}}}${rest[nth] ?? ''}`);
    const items = Array.from({ length: ITEMS }, (_, index) =>
      used.reduce<IDataObject>((item, { names }, place) => {
        // Some values are in the way of a longer path.
        const [name, ...inside] = index % 3 === 0 ? names.slice(0, 1) : names;
        if (name === undefined) return item;
        const each = pool[(index * (place + 1)) % POOL] as IDataObject;
        // Not assigned: under `__proto__` it would be a prototype.
        return { ...item, [name]: inside.reduceRight((inner, name) => ({ [name]: inner }), each) };
      }, own as IDataObject),
    );
    return { raw: `=${first}${parts.join('')}`, items };
  });

/**
 * Compares random fields, as a value and as a text.
 *
 * @returns how many values were read without the engine, and how many texts were sent and not refused
 * @throws when something is not what n8n reads
 */
export async function compareFields(search: Search): Promise<{ direct: number; sent: number }> {
  const { createContext } = await createHarness({ baseUrl: 'http://localhost', apiKey: 'k' });
  const counts = { direct: 0, sent: 0 };
  const property = fc.asyncProperty(field, async ({ raw, items }) => {
    const context = createContext({ phoneNumbers: raw, content: raw }, items);
    const given = (code: string, index: number) => context.evaluateExpression(code, index);
    await evaluating(context, () => {
      const { reader, asked } = observed(context);
      for (const index of items.keys()) {
        const item = new ItemReader(reader, index);
        const before = asked();
        const value = shown(() => item.value('phoneNumbers', AS_IT_IS));
        const isDirect = asked() === before;
        // Beside text the package reads text. n8n drops a text that ends in `\{{`, so it gives the value then.
        const isText = !isDirect && value.startsWith("'");
        const theirs = () => given(raw.slice(1).trim(), index);
        requireSame(raw, index, value, isText ? () => String(theirs()) : theirs);
        const sent = shown(() => item.text('content', 'Content', 'required'));
        requireSame(raw, index, sent, () => String(given(raw.slice(1), index)));
        counts.direct += Number(isDirect);
        counts.sent += Number(!sent.startsWith(AN_ERROR));
        if (!isDirect && index >= FEW) return;
      }
    });
  });
  await fc.assert(property, search);
  return counts;
}
