import { inspect, isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
  NOT_PLAIN,
  parseItemExpression,
  readItemExpression,
} from '../../nodes/SmsMessagingService/parameters/itemPath';
import { ParameterReader } from '../../nodes/SmsMessagingService/parameters/reader';
import type { Harness } from '../engine/harness';

/**
 * Random expressions, usual and hostile ones, on items with any values. What the package reads itself
 * must be what n8n's engine gives.
 */

/** Items per expression. The reader asks the engine only for a few of them. */
const ITEMS = 500;

/** Number of values that the items of one expression have, in changing places. */
const POOL = 61;

const PARAMETER = 'phoneNumbers';

export type Outcome = { value: unknown } | { error: string };

/** The result of a reading, or the message of its error. */
export function outcomeOf(get: () => unknown): Outcome {
  try {
    return { value: get() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/**
 * Whether two readings are the same. A field named `__proto__` makes its value the prototype of n8n's
 * result, which is a new object at every reading. Only the texts of such objects can be compared.
 */
export function isSame(one: Outcome, other: Outcome): boolean {
  const text = (outcome: Outcome) =>
    inspect(outcome, { depth: null, maxArrayLength: null, maxStringLength: null });
  return isDeepStrictEqual(one, other) || text(one) === text(other);
}

const NAMES = [
  'phone',
  'params',
  'a b',
  'code',
  '手机号',
  '0',
  'length',
  'constructor',
  '__proto__',
];

const name = fc.oneof(
  { arbitrary: fc.constantFrom(...NAMES), weight: 6 },
  { arbitrary: fc.string({ maxLength: 3 }), weight: 1 },
);

class Foreign {
  constructor(readonly inner: unknown) {}
}

/** Values that are not plain data, or only look like it. */
const odd = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .constantFrom<() => unknown>(
      () => new Date(86_400_000),
      () => 10n,
      () => Buffer.from('abc'),
      () => new Foreign(value),
      () => Object.create({ inherited: value }) as unknown,
      () => Object.assign(Object.create(null) as object, { bare: value }),
      () => runInNewContext('({ a: [1, { b: "c" }] })') as unknown,
      () => new Proxy({ proxied: value }, {}),
      () => new Proxy([value], {}),
      () => ({ toJSON: 'no function', value }),
      () => ({ [Symbol('s')]: value, a: 1 }),
      () => Object.defineProperty({ a: 1 }, 'hidden', { value }),
      () => ({
        get computed() {
          return value;
        },
      }),
      () => JSON.parse('{"__proto__": {"polluted": true}}') as unknown,
      () => ({ __isError: true, message: 'x' }),
      () => ({ constructor: 'x', then: value }),
      () => [1, , 3],
      () => Object.assign([1, 2], { extra: value }),
      () => [undefined],
      () => ({ nothing: undefined }),
      () => nested(25),
      () => nested(15),
    )
    .map((make) => make());

function nested(depth: number): unknown {
  return depth === 0 ? 'deep' : depth % 2 === 0 ? [nested(depth - 1)] : { in: nested(depth - 1) };
}

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: fc.string({ maxLength: 6 }), weight: 3 },
  {
    arbitrary: fc.constantFrom<unknown>(
      ...['', ' ', '={{ 1 }}', '{{ $json.phone }}', '\ud800', '"', '\\', '\n', '}}', '😀'],
      ...[0, -0, NaN, Infinity, 1.5, 13_800_138_000, 1e21, 2 ** 53],
      ...[true, false, null, undefined],
    ),
    weight: 4,
  },
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    { arbitrary: scalar, weight: 6 },
    { arbitrary: fc.dictionary(name, tie('value'), { maxKeys: 3 }), weight: 2 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }), weight: 2 },
    { arbitrary: scalar.chain(odd), weight: 1 },
  ),
}));

const isIdentifier = (text: string) => /^[\p{L}_$][\p{L}\p{Nd}_$]*$/u.test(text);

/** A path as an expression writes it, and its names. */
const path = fc
  .array(fc.tuple(name, fc.constantFrom('"', "'", '.')), { minLength: 1, maxLength: 3 })
  .map((steps) => ({
    names: steps.map(([each]) => each),
    code: steps
      .map(([each, quote]) =>
        quote === '.' && isIdentifier(each)
          ? `.${each}`
          : quote === '.' && /^\d$/.test(each)
            ? `[${each}]`
            : `[${quote === '.' ? '"' : quote}${each}${quote === '.' ? '"' : quote}]`,
      )
      .join(''),
  }));

const text = fc.oneof(
  { arbitrary: fc.constant(''), weight: 4 },
  {
    arbitrary: fc.constantFrom(
      ...['+86', ' ', ', ', '短信 ', '{ "code": "', '" }', '{"a":{"b":"', '"}}', '\n', '\t'],
      ...['\\', '\\\\', '\\n', '\\{{', '\\}}', '{', '}', '}}', '{{', '{{{', '{{ }}', '{{ 1 + 1 }}'],
      ...['=', '$json', '.constructor', '. constructor', '.first()', '$if(1,2,3)', '`', '${', "'"],
      ...['\ud800', '\0', '\u2028', '//', '/*', '<!--', '__proto__', '{{ $json }}'],
    ),
    weight: 4,
  },
  { arbitrary: fc.string({ maxLength: 4 }), weight: 1 },
);

const space = fc.constantFrom('', ' ', '\n\t', '  ');

interface Case {
  expression: string;
  items: IDataObject[];
}

const example: fc.Arbitrary<Case> = fc
  .record({
    paths: fc.array(path, { minLength: 1, maxLength: 3 }),
    texts: fc.array(text, { minLength: 4, maxLength: 4 }),
    isBare: fc.boolean(),
    spaces: fc.tuple(space, space),
    pool: fc.array(value, { minLength: POOL, maxLength: POOL, size: 'max' }),
  })
  .map(({ paths, texts, isBare, spaces: [before, after], pool }) => {
    const used = isBare ? paths.slice(0, 1) : paths;
    const parts = used.map(({ code }) => `{{${before}$json${code}${after}}}`);
    const expression = isBare
      ? (parts[0] as string)
      : texts.map((each, index) => each + (parts[index] ?? '')).join('');
    const items = Array.from({ length: ITEMS }, (_, index) => {
      const item: IDataObject = {};
      used.forEach(({ names }, place) => put(item, names, pool[(index * (place + 1)) % POOL]));
      return item;
    });
    return { expression: `=${expression}`, items };
  });

/** Puts a value at a path, unless another value is in the way. */
function put(item: IDataObject, names: string[], value: unknown): void {
  let place: Record<string, unknown> = item;
  names.forEach((each, index) => {
    if (Array.isArray(place) && each === 'length') return;
    const isLast = index === names.length - 1;
    const inner = isLast ? value : Object.hasOwn(place, each) ? place[each] : {};
    Object.defineProperty(place, each, {
      value: inner,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    if (typeof inner === 'object' && inner !== null) place = inner as Record<string, unknown>;
  });
}

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
 * Compares random readings, until this many were read without the engine.
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
      fc.property(example, ({ expression, items }) => {
        const parsed = parseItemExpression(expression);
        const parameters = { [PARAMETER]: expression };
        const { reader, asked } = observed(createContext(parameters, items));
        const engine = createContext(parameters, items);
        items.forEach((json, index) => {
          const isDirect = parsed && readItemExpression(json, parsed) !== NOT_PLAIN;
          // The reader asks the engine, too. Only some of these are compared.
          if (!isDirect && index % 50 > 0) return;
          const askedBefore = asked();
          const ours = outcomeOf(() => reader.get(PARAMETER, index, 'fallback'));
          const theirs = outcomeOf(() =>
            (engine.getNodeParameter as (...args: unknown[]) => unknown)(
              PARAMETER,
              index,
              'fallback',
            ),
          );
          if (!isSame(ours, theirs)) {
            throw new Error(
              `${expression}, item ${index}: read ${inspect(ours)}, but n8n gives ${inspect(theirs)}`,
            );
          }
          if (asked() === askedBefore) direct += 1;
        });
      }),
      { numRuns: 20, seed: seed + round },
    );
  }
  return direct;
}
