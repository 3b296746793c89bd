import { DeduplicationStore } from '../harness/deduplicationStore';
import {
  CONTINUE,
  descriptionOf,
  isFor,
  people,
  phone,
  RETRY,
  useSendingGateway,
  TEMPLATE,
  withOptions,
} from '../harness/sends';

/** On Error "Stop Workflow": the whole run is planned first, and nothing is sent if an item is bad. */

const { gateway, execute } = useSendingGateway();

const bad = (count: number, ...indices: number[]) =>
  people(count).map((person, index) =>
    indices.includes(index) ? { ...person, phone: `bad-${index}` } : person,
  );

test('one bad item of three: nothing is sent, and the error names it', async () => {
  const { error } = await execute(withOptions({ batchSize: 1 }), bad(3, 2));
  expect(error?.message).toBe(
    '1 of 3 items cannot be sent, so nothing was sent. Item 2: \'Phone Numbers\' has "bad-2", which is not a mobile number',
  );
  expect(descriptionOf(error)).toMatch(/^A number has 11 digits .* 'Continue' settings\.$/);
  expect(error?.context?.itemIndex).toBe(2);
  expect(gateway.requests).toEqual([]);
});

test('every bad item is named, up to fifty', async () => {
  const { error } = await execute(TEMPLATE, bad(20, 1, 3, 5));
  expect(error?.message).toMatch(/^3 of 20 items .* Item 1: /);
  expect(descriptionOf(error)).toContain('The items that cannot be sent are 1, 3, 5.');
  const indices = Array.from({ length: 60 }, (_, index) => index);
  const many = await execute(TEMPLATE, bad(70, ...indices));
  expect(descriptionOf(many.error)).toMatch(/ are 0, 1, .*, 49 and 10 more\./);
});

test('whatever makes an item bad: a parameter, a key, one number of several', async () => {
  const options = { idempotencyKey: '={{ $json.key }}' };
  const store = await DeduplicationStore.install();
  store.clear();
  const [one, two] = people(2, { key: 'a' });
  for (const item of [
    { ...two, code: '', key: 'b' },
    { ...two, key: '' },
    { ...two, key: 'b', phone: [phone(1), 'x'] },
  ]) {
    const { error } = await execute(withOptions(options), [one ?? {}, item]);
    expect(error?.message).toMatch(/^1 of 2 items cannot be sent, so nothing was sent\. Item 1: /);
  }
  expect(gateway.requests).toEqual([]);
  expect(store.values()).toEqual([]);
});

test('no try of Retry On Fail sends anything, and the mended run sends each message once', async () => {
  await execute(withOptions({ batchSize: 1 }), bad(4, 3), { node: { ...RETRY, maxTries: 3 } });
  expect(gateway.requests).toEqual([]);
  await execute(withOptions({ batchSize: 1 }), people(4));
  expect([...gateway.deliveries().values()]).toEqual([1, 1, 1, 1]);
});

test('what the service refuses stops the run only afterwards: the error has the batches that were accepted', async () => {
  gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(2) });
  const { error } = await execute(withOptions({ batchSize: 1, maxConcurrency: 1 }), people(3));
  const [first, second] = [...gateway.state.messages.values()].map(([entry]) => entry?.batch_id);
  expect(descriptionOf(error)).toContain(
    `The other 2 were accepted (batch_id ${first}, ${second}).`,
  );
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
  'with "%s" the others are sent',
  async (onError) => {
    const { output } = await execute(TEMPLATE, bad(3, 2), { node: { onError } });
    expect(output?.flat()).toHaveLength(3);
    expect(gateway.deliveries().size).toBe(2);
  },
);

test('a loop over the error branch sends to the open numbers only', async () => {
  const numbers = [0, 1, 2, 3].map(phone);
  const options = { batchSize: 2, maxConcurrency: 1, maxRetries: 0 };
  gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', match: isFor(2) });
  const item = { phone: [...numbers, 'nobody'], code: '1' };
  const first = await execute(withOptions(options), [item], {
    node: { onError: 'continueErrorOutput' },
  });
  const [failed] = first.output?.[1] ?? [];
  expect(failed?.json.details).toMatchObject({ open_numbers: [phone(2), phone(3)] });
  // What n8n hands to the next node: the input item's json with the details.
  const { json } = await execute(
    { ...withOptions(options), phoneNumbers: '={{ $json.details?.open_numbers ?? $json.phone }}' },
    [failed?.json ?? {}],
    CONTINUE,
  );
  expect(json).toMatchObject([{ status: 'accepted', phone_numbers: [phone(2), phone(3)] }]);
  expect([...gateway.deliveries().values()]).toEqual([1, 1, 1, 1]);
});

test('an item that may have been sent has no open numbers', async () => {
  gateway.fault({ kind: 'resetAfterAccept' });
  const { json } = await execute(TEMPLATE, people(1), CONTINUE);
  expect(json).toMatchObject([{ status: 'unknown', open_numbers: [] }]);
});
