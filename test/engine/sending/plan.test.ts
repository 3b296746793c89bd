import type { IDataObject } from 'n8n-workflow';
import { Breather } from '../../../nodes/SmsMessagingService/n8n/breather';
import { ParameterReader } from '../../../nodes/SmsMessagingService/parameters/reader';
import type { ItemReader } from '../../../nodes/SmsMessagingService/parameters/reader';
import { DEFAULT_OPTIONS } from '../../../nodes/SmsMessagingService/sending/options';
import { collect, Plan } from '../../../nodes/SmsMessagingService/sending/plan';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { byId } from '../../kit/engine/locators';
import {
  asJson,
  CONTINUE,
  CUSTOM,
  people,
  phone,
  useSendingGateway,
  TEMPLATE,
  withOptions,
} from '../../kit/engine/sends';

/** Which items are sent together, in one batch: one request. */

const { gateway, execute, allow, createContext } = useSendingGateway();

DeduplicationStore.install();

describe('batching', () => {
  // Guess: batch-size
  test('Batch Size and Max Concurrency are options', async () => {
    await execute({ ...TEMPLATE, options: { batchSize: 7, maxConcurrency: 1 } }, people(20));
    expect(gateway.requests).toHaveLength(3);
    expect(gateway.maxInFlight).toBe(1);
  });

  // Guess: rate
  test('at most four requests are under way at a time by default', async () => {
    gateway.fault({ kind: 'slow', delayMs: 300, times: Infinity });
    await execute({ ...TEMPLATE, options: { batchSize: 1 } }, people(8));
    expect(gateway.maxInFlight).toBe(4);
  });

  test.each([
    ['another template', { template: 302, code: '2' }, ['template_id']],
    ['another signature', { signature: 202 }, ['sms_sign_id']],
    ['other user data', { userData: 'b' }, ['user_data']],
    ['other extra fields', { extra: { user_data: 'c' } }, ['user_data']],
    ['another path', { path: '/v2/send' }, ['path']],
  ])('an item with %s is in another batch, and no duplicate', async (_, other, differing) => {
    allow(2);
    gateway.fault({ kind: 'status', status: 404, path: '/v2/send' });
    const item = {
      ...{ phone: phone(1), template: 301, signature: 201, userData: 'a', code: '1' },
      ...{ extra: {}, path: '/sendsms/template/send' },
    };
    await execute(
      {
        ...TEMPLATE,
        templateId: byId('={{ $json.template }}'),
        signatureId: byId('={{ $json.signature }}'),
        options: {
          maxConcurrency: 1,
          duplicateNumbers: 'merge',
          userData: '={{ $json.userData }}',
          extraFieldsJson: '={{ $json.extra }}',
          endpointPath: '={{ $json.path }}',
        },
      },
      [item, { ...item, ...other }, { ...item, phone: phone(2) }, item],
      CONTINUE,
    );
    const requests = gateway.requests.map(
      ({ path, rawBody }) => ({ path, ...JSON.parse(rawBody) }) as IDataObject,
    );
    expect(requests.map(({ messages }) => (messages as unknown[]).length)).toEqual([2, 1]);
    const [shared = {}, own = {}] = requests;
    const names = ['template_id', 'sms_sign_id', 'user_data', 'path'];
    expect(names.filter((name) => shared[name] !== own[name])).toEqual(differing);
  });
});

test('planning lets the event loop run, also while no batch is full', async () => {
  const pause = jest.spyOn(Breather.prototype, 'pause');
  let now = 0;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
  const parameters = new ParameterReader(createContext(CUSTOM, people(100)) as never);
  // Each item takes a millisecond, and has a text of its own.
  const read = ({ itemIndex }: ItemReader) => {
    now += 1;
    return { shared: { path: '/send', extra: {}, fields: { itemIndex } }, message: () => '' };
  };
  const batches = await collect(new Plan(DEFAULT_OPTIONS, parameters, read).requests(100));
  clock.mockRestore();
  expect(batches).toHaveLength(100);
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(100 / 20);
});

// Guess: review-status, template-signature
test('a template that is disabled, with the signature of another one, is sent: the service decides', async () => {
  await execute({ ...TEMPLATE, templateId: byId(304), signatureId: byId(202) }, people(1));
  expect(gateway.requests[0]?.body).toMatchObject({ template_id: 304, sms_sign_id: 202 });
});

describe('a phone number more than once in one run', () => {
  const items = [
    { phone: phone(1), code: 'same' },
    { phone: `+86 ${phone(1)}`, code: 'same' },
    { phone: phone(1), code: 'other' },
    { phone: [phone(2), phone(1), phone(2)], code: 'same' },
  ];

  /** Phone number → how many messages it has received. */
  const received = () => Object.fromEntries(gateway.deliveries());

  // Guess: same-number
  test('gets the message of each item by default, and of an item one', async () => {
    allow(4);
    const { json } = await execute(withOptions({}), items);
    expect(json.map(({ status }) => status)).toEqual(Array(4).fill('accepted'));
    expect(received()).toEqual({ [phone(1)]: 4, [phone(2)]: 1 });
  });

  test('with merge duplicates gets equal messages once, and every item says so', async () => {
    allow(2);
    const { json } = await execute(withOptions({ duplicateNumbers: 'merge' }), items);
    expect(received()).toEqual({ [phone(1)]: 2, [phone(2)]: 1 });
    const same = { status: 'accepted', batch_id: json[0]?.batch_id };
    const parts = [{ phone_numbers: [phone(2)] }, { phone_numbers: [phone(1)], merged: true }];
    expect(json).toMatchObject([
      { ...same, phone_numbers: [phone(1)], batch_count: 3 },
      { ...same, merged: true },
      same,
      { status: 'accepted', phone_numbers: [phone(2), phone(1)], parts },
    ]);
    expect(json[0]).not.toHaveProperty('merged', true);
  });

  test('with merge duplicates the order of extra fields and of parameters makes no difference', async () => {
    const options = { duplicateNumbers: 'merge', extraFieldsJson: '={{ $json.extra }}' };
    const merging = { ...withOptions(options), ...asJson('={{ $json.parameters }}') };
    const { json } = await execute(
      merging,
      [
        { extra: { user_data: 'u', phone_data: 'p' }, parameters: { code: '1', minutes: '5' } },
        { extra: { phone_data: 'p', user_data: 'u' }, parameters: { minutes: '5', code: '1' } },
      ].map((item) => ({ ...item, phone: phone(1) })),
    );
    expect(json).toMatchObject([{ status: 'accepted' }, { status: 'accepted', merged: true }]);
    expect(received()).toEqual({ [phone(1)]: 1 });
  });
});
