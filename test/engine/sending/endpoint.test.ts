import type { INodeParameters } from 'n8n-workflow';
import {
  CONTINUE,
  CUSTOM,
  messagesOf,
  people,
  useSendingGateway,
  TEMPLATE,
} from '../harness/sends';

/** Endpoint Path and Extra Fields of sends. What they share with all operations is in resources/. */

const { gateway, execute, allow } = useSendingGateway();

const withOptions = (options: INodeParameters) => ({
  ...TEMPLATE,
  options: { maxConcurrency: 1, ...options },
});

/** The phone numbers of each request. */
const recipients = () =>
  gateway.requests.map(({ rawBody }) =>
    messagesOf({ body: JSON.parse(rawBody) }).map(({ phone_number }) => phone_number),
  );

test.each([
  ['paths', { endpointPath: '={{ $json.odd ? "/v2/send" : "/sendsms/template/send" }}' }],
  ['extra fields', { extraFieldsJson: '={{ { user_data: $json.odd ? "odd" : "even" } }}' }],
])('messages with different %s never share a request', async (_, options) => {
  const items = people(6).map((person, index) => ({ ...person, odd: index % 2 === 1 }));
  gateway.fault({ kind: 'status', status: 404, path: '/v2/send' });
  await execute(withOptions(options), items, CONTINUE);
  const [even, odd] = [0, 1].map((rest) =>
    items.filter((__, index) => index % 2 === rest).map(({ phone }) => phone),
  );
  expect(recipients()).toEqual(expect.arrayContaining([even, odd]));
  for (const together of recipients()) {
    expect(together.every((phone) => even?.includes(phone))).toBe(
      together.some((phone) => even?.includes(phone)),
    );
  }
});

test('a message with other extra fields is no duplicate', async () => {
  allow(2);
  const items = ['a', 'b', 'a'].map((data) => ({ ...people(1)[0], data }));
  const options = {
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
