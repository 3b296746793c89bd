import * as fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { readIdempotencyKey } from '../../../nodes/SmsMessagingService/parameters/idempotencyKey';
import { ParameterReader } from '../../../nodes/SmsMessagingService/parameters/reader';
import { useHarness } from '../harness/gateway';

/** Cases of each property. PARAMETER_RUNS=20000 tries more. */
const RUNS = Number(process.env.PARAMETER_RUNS ?? 100);

const { createContext } = useHarness();

const contextOf = (idempotencyKey: unknown, items: IDataObject[]) =>
  createContext({ options: { idempotencyKey } } as INodeParameters, items);

/** The keys of all items, or the message of the error of an item. */
function keysOf(idempotencyKey: unknown, items: IDataObject[]): unknown[] {
  const reader = new ParameterReader(contextOf(idempotencyKey, items) as never);
  return items.map((_, itemIndex) => {
    try {
      return readIdempotencyKey(reader, itemIndex);
    } catch (error) {
      return (error as Error).message;
    }
  });
}

const hole = (code: string) => `'Idempotency Key' has a part without value: {{${code}}}`;

describe('a key with text around its parts', () => {
  const ITEMS = [
    { orderId: 'A-1', n: 0, ok: false, list: ['a', 'b'] },
    {},
    { orderId: '', n: null },
    { orderId: ' \t', n: '\u200b' },
    { orderId: {}, n: [] },
    { orderId: [null, undefined], n: [''] },
    { orderId: 'null', n: NaN },
  ];
  const none = ITEMS.length - 1;

  test.each([
    ['=shipped-{{ $json.orderId }}', 'shipped-A-1', ' $json.orderId '],
    ['={{ $json.orderId }} ', 'A-1 ', ' $json.orderId '],
    ['={{$json.orderId}}-{{ $json.n }}', 'A-1-0', '$json.orderId'],
    ['={{ $json.n }}{{ $json.orderId }}', '0A-1', ' $json.n '],
    ['=a{{ $json["orderId"] }}b{{ 1 }}', 'aA-1b1', ' $json["orderId"] '],
    ['=shipped-{{ $json.orderId ?? "" }}', 'shipped-A-1', ' $json.orderId ?? "" '],
    ['=shipped-{{ $json.orderId?.trim() }}', 'shipped-A-1', ' $json.orderId?.trim() '],
    ['=x{{ String($json.orderId) }}', 'xA-1', ' String($json.orderId) '],
    ['={{ $json.n || 7 }}-{{ $json.orderId || null }}', '7-A-1', ' $json.orderId || null '],
    ['=\\\\{{ $json.orderId }}', '\\A-1', ' $json.orderId '],
    ['=shipped-{{ $json.orderId', 'shipped-A-1', ' $json.orderId'],
    ['=}}{{ $json.orderId }}{ }}', '}}A-1{ }}', ' $json.orderId '],
  ])('is refused where a part has no value: %s', (expression, key, code) => {
    const [first, ...others] = keysOf(expression, ITEMS);
    expect(first).toBe(key);
    expect(others.slice(0, none)).toHaveLength(none);
    for (const [index, other] of others.entries()) {
      // A method of what is no text fails in n8n already.
      const isMethod = code.includes('trim') && [3, 4].includes(index);
      if (!isMethod && index !== 5)
        expect(other).toMatch(/has a part without value: |no value( for this item)?$/);
      if (index === 0 && String(other).includes('part')) expect(other).toContain(`{{${code}}}`);
    }
  });

  test('names the expression, also for a single item', () => {
    expect(keysOf('=shipped-{{ $json.orderId }}', [{}])).toEqual([hole(' $json.orderId ')]);
  });

  test('takes 0 and false for values, and a list with an entry', () => {
    expect(keysOf('=a-{{ $json.n }}-{{ $json.ok }}-{{ $json.list }}', ITEMS.slice(0, 1))).toEqual([
      'a-0-false-a,b',
    ]);
  });

  test('takes a date for a value', () => {
    const [key] = keysOf('=a-{{ DateTime.fromISO("2026-08-01") }}-{{ $json.n }}', ITEMS);
    expect(key).toMatch(/^a-2026-08-01T.*-0$/);
  });

  test('is read from the item, and a single other part costs no second evaluation', () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ id: `${index}` }));
    const evaluations = (expression: string) => {
      const context = contextOf(expression, items);
      const spy = jest.spyOn(context, 'evaluateExpression' as never);
      const reader = new ParameterReader(context as never);
      for (const index of items.keys()) readIdempotencyKey(reader, index);
      return spy.mock.calls.length;
    };
    expect(evaluations('=a-{{ $json.id }}-{{ $json["id"] }}')).toBe(0);
    expect(evaluations('=a-{{ $json.id.trim() }}')).toBe(0);
    expect(evaluations('=a-{{ $json.id.trim() }}-{{ $json.id }}')).toBe(100);
  });
});

describe('a key without text around it', () => {
  test.each([
    [
      '={{ $json.key }}',
      [undefined, null, '', ' ', {}, [], NaN],
      /no value|must be text|no value$/,
    ],
    [
      '={{ [$json.key, ""].join("-") }}',
      [undefined, null, ''],
      /"-", of which a part has no value/,
    ],
    ['={{ `order-${$json.key}` }}', [undefined, null, NaN], /of which a part has no value/],
  ])('is refused without a value: %s', (expression, values, message) => {
    const keys = keysOf(expression, values.map((key) => ({ key })) as IDataObject[]);
    for (const key of keys) expect(key).toMatch(message);
  });

  test.each(['{{ $json.i }}', 'order-{{ $json.i }}', '{{'])(
    'that was never evaluated is refused: %s',
    (text) => {
      const [key] = keysOf(text, [{ i: 1 }]);
      expect(key).toBe(`'Idempotency Key' is the text "${text}", which is not evaluated`);
    },
  );

  test('may be a constant, or empty', () => {
    expect(keysOf('order-1', [{}, {}])).toEqual(['order-1', 'order-1']);
    expect(keysOf('', [{}])).toEqual([undefined]);
    expect(keysOf(' ', [{}])).toEqual([undefined]);
  });
});

describe('for any items', () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      undefined,
      null,
      '',
      ' ',
      'a',
      '-',
      0,
      NaN,
      false,
      {},
      [],
      [null],
      '}}',
    ),
    fc.string({ maxLength: 3 }),
    fc.integer(),
  );
  const item = fc.record({ a: value, b: value }, { requiredKeys: [] }) as fc.Arbitrary<IDataObject>;
  const code = fc.constantFrom(
    '$json.a',
    ' $json["b"] ',
    ' $json.a ?? "" ',
    ' $json.b || undefined ',
    ' [$json.a, $json.b] ',
    ' `${$json.a}` ',
  );
  const text = fc.constantFrom('', '-', 'shipped-', ' ', 'undefine', '}}', '\\\\', 'a');
  const expression = fc
    .tuple(text, fc.array(fc.tuple(code, text), { minLength: 1, maxLength: 3 }))
    .map(
      ([first, rest]) => `=${first}${rest.map(([each, after]) => `{{${each}}}${after}`).join('')}`,
    );

  test("a key is n8n's own text, and each of its parts tells something", () => {
    fc.assert(
      fc.property(expression, fc.array(item, { minLength: 1, maxLength: 3 }), (raw, items) => {
        const context = contextOf(raw, items) as unknown as {
          getNodeParameter: (...args: unknown[]) => unknown;
          evaluateExpression: (code: string, itemIndex: number) => unknown;
        };
        const codes = [...raw.matchAll(/\{\{(.*?)\}\}(?!\})/gs)].map(([each]) => each);
        for (const [itemIndex, key] of keysOf(raw, items).entries()) {
          const isRefused = /^'Idempotency Key' /.test(String(key));
          const texts = codes.map((each) =>
            String(context.evaluateExpression(`x${each}`, itemIndex)).slice(1),
          );
          const hasHole = texts.some((each) => /^[\p{P}\p{Z}\p{C}]*$/u.test(each));
          if (hasHole) expect(isRefused).toBe(true);
          if (isRefused) continue;
          const own = context.getNodeParameter('options.idempotencyKey', itemIndex);
          expect(key).toBe(String(own));
        }
      }),
      { numRuns: RUNS },
    );
  });
});
