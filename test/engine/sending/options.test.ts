import type { IDataObject } from 'n8n-workflow';
import {
  CONTINUE,
  CUSTOM,
  descriptionOf,
  people,
  useSendingGateway,
  TEMPLATE,
  withOptions,
} from '../../kit/engine/sends';

/** Values of options. That each kind of value is understood or refused by name is in choices.test.ts. */

const { gateway, execute } = useSendingGateway();

test.each<[string, IDataObject[string], string]>([
  [
    'duplicateNumbers',
    'Merge',
    '\'Duplicate Numbers\' must be "allow" or "merge", not the text "Merge"',
  ],
  [
    'maxMessages',
    0,
    "'Max Messages per Run' must be a whole number of 1 or more, not the number 0",
  ],
  ['maxRetries', -1, "'Max Retries' must be a whole number of 0 or more, not the number -1"],
  [
    'timeout',
    30,
    "'Timeout' must be a whole number of milliseconds from 1000 to 2147483647, not the number 30",
  ],
])('an option that cannot be used stops the run: %s %j', async (name, value, message) => {
  const { error } = await execute(
    withOptions({ [name]: '={{ $json.value }}' }),
    people(1, { value }),
  );
  expect(error?.message).toBe(`${message}: {{ $json.value }}`);
  expect(descriptionOf(error)).toMatch(/(Choose|Set) '|a field/);
  expect(gateway.requests).toHaveLength(0);
});

test.each([
  ['Phone Number Format', 'phoneNumberFormat', 'any', 'mainlandMobile'],
  ['Max Messages per Run', 'maxMessages', 5, 9],
  ['Timeout', 'timeout', 9_000, 8_000],
])('%s is the same for all items, or nothing is sent', async (label, name, value, other) => {
  const parameters = withOptions({ [name]: '={{ $json.value }}' });
  const send = async (...values: unknown[]) =>
    await execute(
      parameters,
      values.map((each, nth) => ({ ...people(3)[nth], value: each })) as never,
    );
  expect((await send(value, value, other)).error?.message).toBe(
    `'${label}' must not depend on an item`,
  );
  expect(gateway.requests).toHaveLength(0);
  expect((await send(value, value)).error).toBeUndefined();
});

test.each([
  ['sendTemplate', 'messages', null],
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
