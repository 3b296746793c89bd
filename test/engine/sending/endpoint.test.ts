import {
  CONTINUE,
  CUSTOM,
  people,
  TEMPLATE,
  useSendingGateway,
  withOptions,
} from '../harness/sends';

/** Endpoint Path and Extra Fields of sends. What they share with all operations is in resources/. */

const { gateway, execute, allow } = useSendingGateway();

test('a message with other extra fields is no duplicate', async () => {
  allow(2);
  const items = ['a', 'b', 'a'].map((data) => ({ ...people(1)[0], data }));
  const options = {
    maxConcurrency: 1,
    duplicateNumbers: 'merge',
    extraFieldsJson: '={{ { user_data: $json.data } }}',
  };
  await execute(withOptions(options), items);
  expect(gateway.requests.map(({ body }) => body)).toMatchObject([
    { user_data: 'a' },
    { user_data: 'b' },
  ]);
});

describe.each([
  ['sendTemplate', TEMPLATE],
  ['sendCustom', { ...CUSTOM, content: 'Hi' }],
])('%s', (_, parameters) => {
  test.each([
    ['messages', null],
    ['phone_numbers', ['13900139000']],
  ])(
    'extra fields with %s as %j: the item is rejected, and the others are sent',
    async (name, value) => {
      const [first, second] = people(2);
      const { json } = await execute(
        { ...parameters, options: { extraFieldsJson: '={{ $json.extra }}' } },
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
    },
  );
});
