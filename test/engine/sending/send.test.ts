import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId } from '../../kit/engine/locators';
import {
  CONTINUE,
  CUSTOM,
  descriptionOf,
  isFor,
  people,
  phone,
  useSendingGateway,
  TEMPLATE,
  withOptions,
} from '../../kit/engine/sends';

const { gateway, execute } = useSendingGateway();

describe('input that cannot be sent', () => {
  // What else a number, a text, a parameter or an ID can be is in parameters/.
  test.each<[string, INodeParameters, IDataObject, RegExp]>([
    ['a short number', TEMPLATE, { phone: '1380013' }, /"1380013", which is not a mobile number/],
    ['no recipient', TEMPLATE, { phone: ' , ' }, /'Phone Numbers' is empty/],
    ['no template', { ...TEMPLATE, templateId: 'abc' }, {}, /'Template' must be a whole number/],
    // Guess: text
    ['a blank text', CUSTOM, { content: ' ' }, /'Content' has no value for this item/],
  ])('%s: an error before any request', async (_, parameters, fields, text) => {
    const { error } = await execute(parameters, [{ phone: phone(1), code: '1', ...fields }]);
    expect(error?.message).toMatch(text);
    expect(descriptionOf(error)).toMatch(/\S/);
    expect(gateway.requests).toHaveLength(0);
  });
});

/** The items, with no phone number in those of these indices. */
const bad = (count: number, ...indices: number[]) =>
  people(count).map((person, index) =>
    indices.includes(index) ? { ...person, phone: `bad-${index}` } : person,
  );

describe('On Error "Stop Workflow": the whole run is planned first', () => {
  test('one bad item of three: nothing is sent, and the error names it', async () => {
    const { error } = await execute(withOptions({ batchSize: 1 }), bad(3, 2));
    expect(error?.message).toBe(
      '1 of 3 items cannot be sent, so nothing was sent. Item 2: \'Phone Numbers\' has "bad-2", which is not a mobile number',
    );
    expect(descriptionOf(error)).toMatch(/^A number has 11 digits.*\+86.* 'Continue' settings\.$/);
    // n8n would write it beside the message, which has it.
    expect(error?.context?.itemIndex).toBeUndefined();
    expect(gateway.requests).toEqual([]);
  });

  test('the error counts bad items, and who could be sent to has the way out', async () => {
    const { error } = await execute(TEMPLATE, bad(20, 1, 3, 5));
    expect(error?.message).toMatch(/^3 of 20 items .* Item 1: /);
    expect(descriptionOf(error)).toContain('To send the others');
    const none = await execute(TEMPLATE, bad(2, 0, 1));
    expect(descriptionOf(none.error)).not.toContain('To send the others');
    const halves = people(2).map((each) => ({ ...each, phone: `${each.phone}, x` }));
    expect(descriptionOf((await execute(TEMPLATE, halves)).error)).toContain('To send the others');
  });
});

test('the open numbers are those that got nothing: a later send to them completes the item', async () => {
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

test.each([
  [
    { ...TEMPLATE, templateId: byId(999) },
    'Check that template 999 is enabled and has passed its review',
  ],
  [{ ...CUSTOM, content: 'x', signatureId: byId('') }, "Check 'Signature'"],
])('a refused send says what to check: %#', async (parameters, check) => {
  const { error } = await execute(parameters, people(1));
  expect(error?.message).toMatch(/^The service rejected the request: .* \(code 20\d\d\)$/);
  expect(descriptionOf(error)).toMatch(new RegExp(`^Nothing was sent\\. ${check}`));
});
