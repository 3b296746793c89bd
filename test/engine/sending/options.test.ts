import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import {
  CONTINUE,
  CUSTOM,
  descriptionOf,
  people,
  useSendingGateway,
  TEMPLATE,
  withOptions,
} from '../../kit/engine/sends';

const { gateway, execute } = useSendingGateway();

DeduplicationStore.install();

/** A send whose options come from one expression. */
const fromExpression = (options: string) => ({ ...TEMPLATE, options }) as INodeParameters;

describe('options that one expression gives', () => {
  test.each(['={{ { checkOnly: true } }}', '={{ $json.options }}', '={ "checkOnly": true }'])(
    'hold for the run: a check as %s',
    async (options) => {
      const items = people(3).map((person, index) => ({
        ...person,
        options: { checkOnly: index === 1 },
      }));
      const { json } = await execute(fromExpression(options), items);
      expect(json.map(({ status }) => status)).toEqual(Array(3).fill('checked'));
      expect(gateway.deliveries().size).toBe(0);
    },
  );

  test('hold for each item: keys and data', async () => {
    const options =
      '={{ { idempotencyKey: $json.key, userData: $json.key, ...($json.phoneData && { phoneData: 7 }) } }}';
    const items = [
      { ...people(1)[0], key: 'a', phoneData: true },
      { ...people(2)[1], key: 'a' },
      { ...people(3)[2], key: null },
      { ...people(4)[3] },
    ];
    const { json } = await execute(fromExpression(options), items, CONTINUE);
    expect(json.map(({ status }) => status)).toEqual([
      'accepted',
      'skipped',
      'rejected',
      'rejected',
    ]);
    expect(gateway.requests[0]?.body).toMatchObject({
      user_data: 'a',
      messages: [{ phone_data: '7' }],
    });
  });

  test.each(['={{ $json.none }}', '={{ null }}', '={{ [1] }}', '=checkOnly'])(
    'stop the run where they are no object: %s',
    async (options) => {
      const { error } = await execute(fromExpression(options), people(1));
      expect(error?.message).toMatch(
        /^'Options' (must be a JSON object, not |is not valid JSON|has no value)/,
      );
      expect(descriptionOf(error)).toMatch(/\S/);
      expect(gateway.requests).toHaveLength(0);
    },
  );
});

/** An option, its value, and the error. */
type Row = [string, IDataObject[string], string];

test.each<Row>([
  [
    'duplicateNumbers',
    'Merge',
    '\'Duplicate Numbers\' must be "allow" or "merge", not the text "Merge"',
  ],
  ['duplicateNumbers', '', "'Duplicate Numbers' is empty"],
  ['phoneNumberFormat', null, "'Phone Number Format' is empty"],
  ...[null, undefined, ''].flatMap((value): Row[] => [
    ['maxMessages', value, "'Max Messages per Run' is empty"],
    ['checkOnly', value, "'Check Only' of item 0 is empty"],
  ]),
  ...[0, -1, 1.5].map((value): Row => [
    'maxMessages',
    value,
    `'Max Messages per Run' must be a whole number of 1 or more, not the number ${value}`,
  ]),
  ['checkOnly', 'yes', '\'Check Only\' of item 0 must be true or false, not the text "yes"'],
  ['checkOnly', 0, "'Check Only' of item 0 must be true or false, not the number 0"],
  ['checkOnly', 1, "'Check Only' of item 0 must be true or false, not the number 1"],
  ['batchSize', 0, "'Batch Size' must be a whole number of 1 or more, not the number 0"],
  ['maxRetries', -1, "'Max Retries' must be a whole number of 0 or more, not the number -1"],
  [
    'timeout',
    '2147483648',
    '\'Timeout\' must be a whole number from 1 to 2147483647, not the text "2147483648"',
  ],
])('an option that cannot be used stops the run: %s %j', async (name, value, message) => {
  const { error } = await execute(
    withOptions({ [name]: '={{ $json.value }}' }),
    people(1, { value }),
  );
  expect(error?.message).toBe(message);
  expect(descriptionOf(error)).toMatch(/(Choose|Set) '/);
  expect(gateway.requests).toHaveLength(0);
});

test.each([
  ['User Data', 'userData'],
  ['Phone Data', 'phoneData'],
])('%s from an expression that gives no value rejects its item', async (displayName, name) => {
  const items = [undefined, null, 'NaN'].map((data, index) => ({ ...people(3)[index], data }));
  const { json } = await execute(
    withOptions({ [name]: '={{ $json.data === "NaN" ? NaN : $json.data }}' }),
    items as never,
    CONTINUE,
  );
  const rejected = (problem: string) => ({
    status: 'rejected',
    msg: expect.stringContaining(`'${displayName}' ${problem}`),
  });
  const missing = rejected('has no value for this item');
  expect(json).toMatchObject([missing, missing, rejected('has "NaN" in it')]);
  expect(gateway.requests).toHaveLength(0);
});

test.each([
  ['sendTemplate', 'messages', null],
  ['sendTemplate', 'phone_numbers', ['13900139000']],
  ['sendCustom', 'messages', null],
  ['sendCustom', 'phone_numbers', ['13900139000']],
])('%s: extra fields with %s as %j reject their item only', async (operation, name, value) => {
  const [first, second] = people(2);
  const { json } = await execute(
    {
      ...(operation === 'sendCustom' ? { ...CUSTOM, content: 'Hi' } : TEMPLATE),
      options: { extraFieldsJson: '={{ $json.extra }}' },
    },
    [
      { ...first, extra: { [name]: value } },
      { ...second, extra: {} },
    ],
    CONTINUE,
  );
  expect(json).toMatchObject([
    { status: 'rejected', msg: `'Extra Fields (JSON)' must not have ${name}` },
    { status: 'accepted' },
  ]);
  expect(gateway.requests).toHaveLength(1);
  expect([...gateway.deliveries().keys()]).toEqual([second?.phone]);
});
