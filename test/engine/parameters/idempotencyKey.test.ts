import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { ItemReader, ParameterReader } from '../../../nodes/SmsMessagingService/parameters/reader';
import { useHarness } from '../../kit/engine/gateway';

const { createContext } = useHarness();

/** What makes a key. What is no text in any field: texts.test.ts, and test/search/texts.test.ts. */

/** The key of an item, or the message of the error. */
function keyOf(idempotencyKey: unknown, item: IDataObject): unknown {
  const context = createContext({ options: { idempotencyKey } } as INodeParameters, [item]);
  const reader = new ItemReader(new ParameterReader(context as never), 0);
  try {
    return reader.text('options.idempotencyKey', 'Idempotency Key', 'key');
  } catch (error) {
    return (error as Error).message;
  }
}

const ITEM = { orderId: 'A-1', n: 0, ok: false, list: ['a'], braces: '{{', word: 'null' };

test.each<[unknown, key: string | undefined, ofAnEmptyItem: string | undefined]>([
  ['=shipped-{{ $json.orderId }}', 'shipped-A-1', 'no value for this item: {{ $json.orderId }}'],
  ['=a{{ $json["orderId"] }}b{{ 1 }}', 'aA-1b1', 'no value for this item: {{ $json["orderId"] }}'],
  ['=x{{ $json.orderId?.trim() }}', 'xA-1', 'no value for this item, or its code fails: {{'],
  ['={{ $json.orderId }} ', 'A-1 ', 'no value for this item: {{ $json.orderId }}'],
  ['={{ $json.orderId }}', 'A-1', 'no value for this item: {{ $json.orderId }}'],
  // In no other field may a code be empty on purpose, and in no other one may booleans and dates stand.
  ['={{ $json.orderId ?? "" }}', 'A-1', 'no value for this item, or its code fails: {{'],
  ['=x{{ $json.orderId ?? "" }}', 'xA-1', 'no value for this item, or its code fails: {{'],
  ['={{ $json.n }}-{{ $json.ok }}', '0-false', 'no value for this item'],
  ['={{ $json.n }}{{ new Date(0).getTime() }}', '00', 'no value for this item'],
  ['={{ $json.braces }}', '{{', 'no value for this item'],
  ['=x-{{ new Date(1) }}', 'x-1970-01-01T00:00:00.001Z', 'x-1970-01-01T00:00:00.001Z'],
  ['order-1', 'order-1', 'order-1'],
  ['', '', ''],
])('%s is %s; of an item without the value: %s', (raw, key, otherwise) => {
  expect(keyOf(raw, ITEM)).toBe(key);
  for (const orderId of [undefined, null, '', ' \t']) {
    const other = keyOf(raw, { orderId } as IDataObject);
    expect(other).toEqual(otherwise && expect.stringContaining(otherwise));
  }
});

test.each([
  [' ', "'Idempotency Key' is empty"],
  ['={{ $json.ok }}', 'must be text, not the boolean false: {{ $json.ok }}'],
  ['=x-{{ $json.list }}', 'must be text, not an array: {{ $json.list }}'],
  ['={{ $json.word }}', 'has "null" in it: {{ $json.word }}'],
  ['=x-{{ DateTime.fromISO($json.n).toISO() }}', 'no value for this item, or its code fails'],
  ['order-{{ $json.n }}', 'has the text "order-{{ $json.n }}", which is not evaluated'],
  ['=$json.n', 'has the text "$json.n", which is not evaluated'],
])('%s is refused: %s', (raw, message) => {
  expect(keyOf(raw, ITEM)).toContain(message);
});
