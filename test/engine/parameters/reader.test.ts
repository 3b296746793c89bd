import { inspect } from 'node:util';
import * as fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ParameterReader } from '../../../nodes/SmsMessagingService/parameters/reader';
import { isSame, outcomeOf } from '../../search/expressions';
import { useHarness } from '../harness/gateway';

/** The reader evaluates simple expressions itself. Every value must be the one that n8n gives. */

/** Cases of each property. PARAMETER_RUNS=20000 tries more. */
const RUNS = Number(process.env.PARAMETER_RUNS ?? 100);

const { createContext } = useHarness();

/** A reader, and a spy on n8n's engine. */
function read(parameters: INodeParameters, items: IDataObject[]) {
  const context = createContext(parameters, items);
  const reader = new ParameterReader(context as never);
  const engine = jest.spyOn(context, 'getNodeParameter' as never) as unknown as jest.SpyInstance;
  return { reader, engine };
}

/** Reads a parameter for every item both ways. */
function expectAgreement(parameters: INodeParameters, name: string, items: IDataObject[]): void {
  const { reader } = read(parameters, items);
  const other = createContext(parameters, items);
  for (let index = 0; index < items.length; index++) {
    const ours = outcomeOf(() => reader.get(name, index, 'fallback'));
    const theirs = outcomeOf(() =>
      (other.getNodeParameter as (...args: unknown[]) => unknown)(name, index, 'fallback'),
    );
    if (!isSame(ours, theirs)) {
      throw new Error(`Item ${index}: read ${inspect(ours)}, but n8n gives ${inspect(theirs)}`);
    }
  }
}

const ODD_NAMES = [
  'phone',
  'a b',
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'length',
  '0',
  '1',
  '01',
  '-1',
  '',
  '$',
  '$x',
  '_',
  '手机号',
  'naïve',
  'x.constructor',
  'constructorName',
  'class',
  'toJSON',
  'then',
  '}}',
  'a"b',
  "a'b",
  'a\\b',
  'a\nb',
  '😀',
  '__isError',
  '__isObject',
  'binding',
  'caller',
];

const name = fc.oneof(fc.constantFrom(...ODD_NAMES), fc.string({ maxLength: 3 }));

const leaf: fc.Arbitrary<unknown> = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom(
    '={{ 1 + 1 }}',
    '{{ $json.phone }}',
    '=',
    '',
    ' ',
    null,
    undefined,
    true,
    false,
    0,
    -0,
    NaN,
    Infinity,
    1.5,
    13800138000,
    '\ud800',
  ),
  fc.date({ noInvalidDate: true }),
  fc.constant(Buffer.from('abc')),
  fc.constant(10n),
);

const { json } = fc.letrec<{ value: unknown; json: IDataObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('json'),
  ),
  json: fc.dictionary(name, tie('value'), { maxKeys: 5 }) as fc.Arbitrary<IDataObject>,
}));

const step = fc.oneof(
  name.map((key) => `.${key}`),
  name.map((key) => `["${key}"]`),
  name.map((key) => `['${key}']`),
  fc.nat({ max: 3 }).map((index) => `[${index}]`),
  fc.constantFrom('.length', '?.phone', '[01]', '[-1]', '.phone.trim()', ' .phone', '[`phone`]'),
);

const path = fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => steps.join(''));

const expression = fc.oneof(
  { weight: 6, arbitrary: path.map((steps) => `={{ $json${steps} }}`) },
  { weight: 1, arbitrary: path.map((steps) => `={{$json${steps}}}`) },
  { weight: 1, arbitrary: path.map((steps) => `={{\n\t$json${steps}\n}}`) },
  { weight: 1, arbitrary: path.map((steps) => `=+86{{ $json${steps} }}`) },
  { weight: 1, arbitrary: path.map((steps) => `={{ $json${steps} }} `) },
  { weight: 1, arbitrary: path.map((steps) => `={{ $json${steps} }}{{ $json${steps} }}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('={{ $json }}', '={{ $itemIndex }}', '=', '={{ }}', 'plain', '=a'),
  },
);

/** Items with any names. The paths find some of them. */
const items = fc.array(json, { minLength: 1, maxLength: 3 });

describe('a field', () => {
  test('has the value that the engine gives, for any expression and items', () => {
    fc.assert(
      fc.property(expression, items, (phoneNumbers, jsons) => {
        expectAgreement({ phoneNumbers }, 'phoneNumbers', jsons);
      }),
      { numRuns: RUNS },
    );
  });

  test('has the value that the engine gives, at names that exist', () => {
    const present = fc
      .tuple(fc.array(name, { minLength: 1, maxLength: 3 }), leaf, fc.boolean())
      .map(([names, value, isList]) => ({
        path: names.map((key) => `["${key}"]`).join(''),
        item: names.reduceRight<unknown>(
          (inner, key) => Object.fromEntries([[key, inner]]),
          isList ? [value, value] : value,
        ) as IDataObject,
      }));
    fc.assert(
      fc.property(fc.array(present, { minLength: 1, maxLength: 3 }), (cases) => {
        const phoneNumbers = `={{ $json${cases[0]?.path ?? ''} }}`;
        expectAgreement(
          { phoneNumbers },
          'phoneNumbers',
          cases.map(({ item }) => item),
        );
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a collection, a resource mapper and a resource locator', () => {
  const part = fc.oneof(
    { weight: 4, arbitrary: expression },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(
        '={{ $parameter["&a"] }}',
        '={{ DateTime.fromISO("2020-01-01") }}',
        '={{ { a: 1 } }}',
        5,
        null,
        true,
        '',
      ),
    },
  );
  const value = fc.dictionary(name, part, { maxKeys: 4 }) as fc.Arbitrary<IDataObject>;

  test.each([
    ['options', (inner: IDataObject) => ({ options: inner }), 'options'],
    ['one option', (inner: IDataObject) => ({ options: inner }), 'options.phone'],
    [
      'a mapper',
      (inner: IDataObject) => ({ parameters: { mappingMode: 'defineBelow', value: inner } }),
      'parameters',
    ],
    [
      "a mapper's value",
      (inner: IDataObject) => ({
        parameters: {
          mappingMode: 'defineBelow',
          value: inner,
          schema: [{ id: 'phone', type: 'number', displayName: 'phone' }],
        },
      }),
      'parameters.value',
    ],
    [
      'a locator',
      (inner: IDataObject) => ({ templateId: { __rl: true, mode: 'id', value: inner.phone } }),
      'templateId',
    ],
  ] as const)('%s has the value that the engine gives', (_, build, parameter) => {
    fc.assert(
      fc.property(value, items, (inner, jsons) => {
        const parameters = { resource: 'message', operation: 'sendTemplate', ...build(inner) };
        expectAgreement(parameters as INodeParameters, parameter, jsons);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('the engine evaluates', () => {
  const people = Array.from({ length: 100 }, (_, index) => ({
    phone: `138${10_000_000 + index}`,
    customer: { mobile: 'm', tags: ['a', 'b'] },
    'a b': index,
  }));
  const readAll = (parameters: INodeParameters, parameter: string) => {
    const { reader, engine } = read(parameters, people);
    for (let index = 0; index < people.length; index++) reader.get(parameter, index);
    const evaluations = engine.mock.calls.filter(
      ([, , , options]: [string, number, unknown, { rawExpressions?: boolean }?]) =>
        !options?.rawExpressions,
    );
    return evaluations.length;
  };

  test('a constant once', () => {
    expect(readAll({ phoneNumbers: '13800138000' }, 'phoneNumbers')).toBe(1);
    expect(readAll({ options: { timeout: 5, phoneData: '={{ 1 }}' } }, 'options.timeout')).toBe(1);
  });

  test.each([
    '={{ $json.phone }}',
    '={{$json.phone}}',
    '={{ $json["phone"] }}',
    "={{ $json['a b'] }}",
    '={{ $json.customer["mobile"] }}',
    '={{ $json.customer.tags }}',
    '={{ $json.customer.tags[1] }}',
    '={{ $json.missing }}',
    '={{ $json.customer }}',
    '=+86{{ $json.phone }}',
    '=Hello {{ $json["a b"] }} (order {{ $json.phone }}), call us.',
    '={{ $json.phone }}, {{ $json["a b"] }}',
    '={ "code": "{{ $json.phone }}", "to": { "a": "{{ $json.customer.mobile }}"}}',
    '=Line 1\nLine 2: {{ $json.phone }}\\n',
  ])('a simple path for 8 of 100 items, to compare: %s', (phoneNumbers) => {
    expect(readAll({ phoneNumbers }, 'phoneNumbers')).toBe(8);
  });

  test.each([
    '={{ $json.phone.trim() }}',
    '={{ $itemIndex }}',
    '=Hello {{ $json.customer }}',
    '=\\\\{{ $json.phone }}',
    '={{ $json.phone }}{{ $json.phone.trim() }}',
    '=no path',
  ])('any other expression for every item: %s', (phoneNumbers) => {
    expect(readAll({ phoneNumbers }, 'phoneNumbers')).toBe(100);
  });

  test('a simple path for fewer and fewer items, and for every item after a difference', () => {
    const { reader, engine } = read({ phoneNumbers: '={{ $json.phone }}' }, people);
    engine.mockImplementation((...args: unknown[]) => {
      const [, itemIndex, , options] = args as [
        string,
        number,
        unknown,
        { rawExpressions?: true }?,
      ];
      if (options?.rawExpressions) return '={{ $json.phone }}';
      return itemIndex < 15 || itemIndex === 99 ? people[itemIndex]?.phone : 'other';
    });
    const values = people.map((_, index) => reader.get('phoneNumbers', index));
    expect(values.slice(0, 15)).toEqual(people.slice(0, 15).map(({ phone }) => phone));
    expect(values.slice(15, 99)).toEqual(Array(84).fill('other'));
  });

  test('the fields of a mapper one by one when they are simple paths, and for every item otherwise', () => {
    const mapper = (fields: IDataObject) =>
      ({ parameters: { mappingMode: 'defineBelow', value: fields } }) as never;
    const paths = { a: '={{ $json.phone }}', b: '={{ $json["a b"] }}', c: 'constant' };
    expect(readAll(mapper(paths), 'parameters')).toBe(16);
    expect(readAll(mapper({ ...paths, d: '={{ $itemIndex }}' }), 'parameters')).toBe(116);
  });
});
