import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ItemReader, ParameterReader } from '../../../nodes/SmsMessagingService/parameters/reader';
import { useHarness } from '../../kit/engine/gateway';

const { createContext } = useHarness();

/** The keys of all items, or the message of the error of an item. */
function keysOf(idempotencyKey: unknown, items: IDataObject[]): unknown[] {
  const context = createContext({ options: { idempotencyKey } } as INodeParameters, items);
  const reader = new ParameterReader(context as never);
  return items.map((_, itemIndex) => {
    try {
      return new ItemReader(reader, itemIndex).key('options.idempotencyKey', 'Idempotency Key');
    } catch (error) {
      return (error as Error).message;
    }
  });
}

const hole = (code: string, mayFail = false) =>
  `'Idempotency Key' has no value for this item${mayFail ? ', or its code fails' : ''}: {{${code}}}`;

describe('a key with text around its parts', () => {
  const GOOD = { orderId: 'A-1', n: 0, ok: false, list: ['a', 'b'] };

  /** Items without a value in `orderId`. */
  const EMPTY = [{}, ...[undefined, null, '', ' \t'].map((orderId) => ({ orderId }))];

  test.each([
    ['=shipped-{{ $json.orderId }}', 'shipped-A-1', ' $json.orderId '],
    ['={{ $json.orderId }} ', 'A-1 ', ' $json.orderId '],
    ['=a{{ $json["orderId"] }}b{{ 1 }}', 'aA-1b1', ' $json["orderId"] '],
    ['=x{{ $json.orderId?.trim() }}', 'xA-1', ' $json.orderId?.trim() '],
    ['=}}{{ $json.orderId }}{ }}', '}}A-1{ }}', ' $json.orderId '],
    // As n8n writes a backslash before an expression.
    ['=a\\\\{{ $json.orderId }}', 'a\\A-1', ' $json.orderId '],
    ['=shipped-{{ $json.orderId', 'shipped-A-1', ' $json.orderId'],
  ])('is refused where a part has no value: %s', (expression, key, code) => {
    const [first, ...others] = keysOf(expression, [GOOD, ...EMPTY] as IDataObject[]);
    expect(first).toBe(key);
    for (const other of others) expect(other).toEqual(hole(code, code.includes('trim')));
  });

  test('takes 0, false and a date for values, and no list', () => {
    const [key] = keysOf('={{ $json.n }}-{{ $json.ok }}-{{ DateTime.fromISO("2026-08-01") }}', [
      GOOD,
    ]);
    expect(key).toMatch(/^0-false-2026-08-01T/);
    expect(keysOf('=x-{{ $json.list }}', [GOOD])).toEqual([
      "'Idempotency Key' must be text, not an array: {{ $json.list }}",
    ]);
    expect(keysOf('=x-{{ DateTime.fromISO($json.n).toISO() }}', [GOOD])).toEqual([
      hole(' DateTime.fromISO($json.n).toISO() ', true),
    ]);
  });
});

describe('a key without text around it', () => {
  test('is refused without a value', () => {
    const items = [undefined, null, '', ' '].map((key) => ({ key })) as IDataObject[];
    for (const code of [' $json.key ', ' $json.key ?? "" '])
      expect(new Set(keysOf(`={{${code}}}`, items))).toEqual(
        new Set([hole(code, code.includes('??'))]),
      );
    const words = ['undefined', 'null', 'Invalid DateTime', '[object Object]'];
    expect(
      keysOf(
        '={{ $json.key }}',
        words.map((key) => ({ key })),
      ),
    ).toEqual(words.map((word) => `'Idempotency Key' has "${word}" in it: {{ $json.key }}`));
  });

  test('is a text or a number', () => {
    const items = [{ key: 'a' }, { key: 7 }, { key: {} }, { key: [] }, { key: false }];
    expect(keysOf('={{ $json.key }}', items)).toEqual([
      ...['a', '7'],
      ...['an object', 'an array', 'the boolean false'].map(
        (value) => `'Idempotency Key' must be text, not ${value}: {{ $json.key }}`,
      ),
    ]);
  });

  test.each(['{{ $json.i }}', 'order-{{ $json.i }}', '$json.i', '=$json.i'])(
    'that was never evaluated is refused: %s',
    (text) => {
      const shown = text.replace('=', '');
      expect(keysOf(text, [{ i: 1 }])).toEqual([
        `'Idempotency Key' has the text "${shown}", which is not evaluated`,
      ]);
    },
  );

  test('may be a constant, empty, or a text with braces that an expression gives', () => {
    expect(keysOf('order-1', [{}, {}])).toEqual(['order-1', 'order-1']);
    expect(keysOf('', [{}])).toEqual([undefined]);
    // Whoever enters blanks wants a key.
    expect(keysOf(' ', [{}])).toEqual(["'Idempotency Key' is empty"]);
    expect(keysOf('={{ $json.key }}', [{ key: '{{' }])).toEqual(['{{']);
  });
});
