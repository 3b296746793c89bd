import { DeduplicationStore } from '../harness/deduplicationStore';
import { CONTINUE, phone, savedContext, useSendingGateway, withOptions } from '../harness/sends';

const { gateway, execute, allow } = useSendingGateway();

beforeAll(async () => {
  await DeduplicationStore.install();
});

describe('a phone number more than once in one run', () => {
  const items = [
    { phone: phone(1), code: 'same' },
    { phone: `+86 ${phone(1)}`, code: 'same' },
    { phone: phone(1), code: 'other' },
    { phone: [phone(2), phone(1), phone(2)], code: 'same' },
  ];

  // Guess: same-number
  test('gets every message by default', async () => {
    allow(4);
    const { json } = await execute(withOptions({}), items);
    expect(json.map(({ status }) => status)).toEqual(Array(4).fill('accepted'));
    expect(gateway.deliveries()).toEqual(
      new Map([
        [phone(1), 4],
        [phone(2), 2],
      ]),
    );
  });

  test('with merge duplicates gets equal messages once, and every item says so', async () => {
    allow(2);
    const { json } = await execute(withOptions({ duplicateNumbers: 'merge' }), items);
    expect(gateway.deliveries()).toEqual(
      new Map([
        [phone(1), 2],
        [phone(2), 1],
      ]),
    );
    const batch = json[0]?.batch_id;
    expect(json).toEqual([
      expect.objectContaining({ status: 'accepted', phone_numbers: [phone(1)], batch_count: 3 }),
      expect.objectContaining({ status: 'accepted', batch_id: batch, merged: true }),
      expect.objectContaining({ status: 'accepted', batch_id: batch }),
      expect.objectContaining({
        status: 'accepted',
        phone_numbers: [phone(2), phone(1)],
        parts: [
          expect.objectContaining({ phone_numbers: [phone(2)] }),
          expect.objectContaining({ phone_numbers: [phone(1)], merged: true }),
        ],
      }),
    ]);
    expect(json[0]).not.toHaveProperty('merged', true);
  });

  test('with merge duplicates the order of the parameters makes no difference', async () => {
    const { json } = await execute(
      {
        ...withOptions({ duplicateNumbers: 'merge' }),
        parametersJson: '={{ $json.parameters }}',
      },
      [
        { phone: phone(1), parameters: { code: '1', minutes: '5' } },
        { phone: phone(1), parameters: { minutes: '5', code: '1' } },
      ],
    );
    expect(json).toMatchObject([{ status: 'accepted' }, { status: 'accepted', merged: true }]);
    expect(gateway.deliveries()).toEqual(new Map([[phone(1), 1]]));
  });

  test('with merge duplicates all items have the outcome of the one message, also in a retry', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000 });
    const contextData = {};
    const parameters = withOptions({ duplicateNumbers: 'merge' });
    const same = items.slice(0, 2);
    const first = await execute(parameters, same, {
      contextData,
      ...CONTINUE,
    });
    expect(first.json).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    const second = await execute(parameters, same, { contextData: savedContext(contextData) });
    expect(second.json).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
  });

  test('with merge duplicates items with different idempotency keys are not merged', async () => {
    allow(2);
    const { json } = await execute(
      withOptions({ duplicateNumbers: 'merge', idempotencyKey: '={{ $itemIndex }}' }),
      items.slice(0, 2),
    );
    expect(json).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
    expect(gateway.deliveries().get(phone(1))).toBe(2);
  });

  test('with merge duplicates an item that names a number twice is skipped by its key in a later execution', async () => {
    const parameters = withOptions({ duplicateNumbers: 'merge', idempotencyKey: 'order-1' });
    const twice = [{ phone: [phone(1), phone(1)], code: 'same' }];
    await execute(parameters, twice);
    const { json } = await execute(parameters, twice);
    expect(json).toMatchObject([{ status: 'skipped' }]);
    expect(gateway.deliveries().get(phone(1))).toBe(1);
  });
});
