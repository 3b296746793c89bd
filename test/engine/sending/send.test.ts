import { byId } from '../harness/locators';
import {
  CONTINUE,
  CUSTOM,
  descriptionOf,
  people,
  phone,
  useSendingGateway,
  TEMPLATE,
} from '../harness/sends';

const { gateway, execute } = useSendingGateway();

describe('input that cannot be sent', () => {
  const cases: [string, object, object, RegExp][] = [
    [
      'letters in a number',
      TEMPLATE,
      { phone: '1380013800x', code: '1' },
      /"1380013800x", which is not/,
    ],
    ['a short number', TEMPLATE, { phone: '1380013', code: '1' }, /not a mobile number/],
    [
      'an object for a number',
      TEMPLATE,
      { phone: [{ mobile: phone(1) }], code: '1' },
      /"\{"mobile":"13810000001"\}", which is not/,
    ],
    ['no recipient', TEMPLATE, { phone: ' , ', code: '1' }, /'Phone Numbers' is empty/],
    ['a missing recipient', TEMPLATE, { code: '1' }, /'Phone Numbers' is empty/],
    [
      'a parameter that is a number',
      TEMPLATE,
      { phone: phone(1), code: 4821 },
      /'code' must be text, not the number 4821/,
    ],
    [
      'a parameter that is missing',
      TEMPLATE,
      { phone: phone(1), code: null },
      /'code' has no value/,
    ],
    [
      'parameters that are not JSON',
      { ...TEMPLATE, parametersJson: '{code: 1' },
      { phone: phone(1) },
      /not valid JSON/,
    ],
    [
      'parameters that are a list',
      { ...TEMPLATE, parametersJson: '[1]' },
      { phone: phone(1) },
      /must be a JSON object/,
    ],
    [
      'a template that is no number',
      { ...TEMPLATE, templateId: 'abc' },
      { phone: phone(1), code: '1' },
      /'Template' must be a whole number/,
    ],
    [
      'no signature',
      { ...TEMPLATE, signatureId: byId('={{ $json.none }}') },
      { phone: phone(1), code: '1' },
      /'Signature' is empty/,
    ],
    // Guess: text
    ['no text', CUSTOM, { phone: phone(1), content: '' }, /'Content' is empty/],
    ['a blank text', CUSTOM, { phone: phone(1), content: ' ' }, /'Content' is empty/],
    [
      'a batch size of 0',
      { ...TEMPLATE, options: { batchSize: 0 } },
      { phone: phone(1), code: '1' },
      /must be a whole number/,
    ],
  ];

  test.each(cases)('%s: an error before any request', async (_, parameters, item, text) => {
    const { error } = await execute(parameters as never, [item as never]);
    expect(error?.message).toMatch(text);
    expect(descriptionOf(error)).toMatch(/\S/);
    expect(gateway.requests).toHaveLength(0);
  });

  test('fails only its own item: the others are sent', async () => {
    const items = [
      { phone: phone(0), code: '1' },
      { phone: 'nonsense', code: '1' },
      { phone: phone(2), code: 3 },
      { phone: [phone(3), 'x'], code: '1' },
      { phone: phone(4), code: '1' },
      { phone: '', code: '1' },
    ];
    const { output } = await execute(TEMPLATE, items as never, {
      node: { onError: 'continueErrorOutput' },
    });
    expect(output?.[0]?.map(({ json }) => json)).toMatchObject([
      { status: 'accepted', phone_numbers: [phone(0)] },
      { status: 'accepted', phone_numbers: [phone(4)] },
    ]);
    expect(output?.[1]?.map(({ json }) => json)).toMatchObject([
      { details: { status: 'rejected', phone_numbers: ['nonsense'] } },
      {
        details: { status: 'rejected', msg: expect.stringContaining("'code'"), phone_numbers: [] },
      },
      {
        details: { parts: [{ status: 'accepted' }, { status: 'rejected', phone_numbers: ['x'] }] },
      },
      { details: { status: 'rejected', phone_numbers: [] } },
    ]);
    expect(output?.[1]?.map(({ pairedItem }) => pairedItem)).toEqual(
      [1, 2, 3, 5].map((item) => ({ item })),
    );
    expect([...gateway.deliveries().keys()]).toEqual([phone(0), phone(3), phone(4)]);
  });

  test('is an error that says what a phone number looks like', async () => {
    const { error } = await execute(TEMPLATE, [{ phone: '1380013800x', code: '1' }]);
    expect(descriptionOf(error)).toMatch(/11 digits.*\+86/);
  });
});

test('a long text without phone numbers is shortened in the error, and is whole in the output', async () => {
  const text = 'no number '.repeat(20).trim();
  const { json } = await execute(TEMPLATE, [{ phone: text, code: '1' }], CONTINUE);
  expect(json).toMatchObject([
    {
      msg: `'Phone Numbers' has "${text.slice(0, 60)}…", which is not a mobile number`,
      phone_numbers: [text],
    },
  ]);
  const any = { ...TEMPLATE, options: { phoneNumberFormat: 'any' } };
  const { error } = await execute(any, [{ phone: '1'.repeat(60), code: '1' }]);
  expect(error?.message).toBe(
    `'Phone Numbers' has "${'1'.repeat(60)}", which is not a phone number`,
  );
});

// Guess: empty-parameter
test.each(['', ' ', '\n'])('a template parameter that is %p counts as missing', async (code) => {
  const items = [{ phone: phone(0), code }, ...people(2).slice(1)];
  const { json } = await execute(TEMPLATE, items, CONTINUE);
  expect(json).toMatchObject([
    { status: 'rejected', msg: "The template parameter 'code' has no value" },
    { status: 'accepted' },
  ]);
});
