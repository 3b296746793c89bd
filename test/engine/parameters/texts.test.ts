import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { CONTINUE, CUSTOM, messagesOf, phone, TEMPLATE } from '../../kit/engine/sends';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { useGateway } from '../../kit/engine/gateway';

const { gateway, execute } = useGateway();

/** What is sent as the content of one item, or what is said instead; and the warning. */
async function contentOf(content: string, item: IDataObject, options: IDataObject = {}) {
  const parameters = { ...CUSTOM, content, options } as INodeParameters;
  const { json } = await execute(parameters, [{ ...item, phone: phone(0) }], CONTINUE);
  const body = gateway.requests.at(-1)?.body as IDataObject | undefined;
  gateway.requests.length = 0;
  return { sent: body?.content, msg: json[0]?.msg, warning: json[0]?.warning };
}

/** The parameters that are sent for one item, or what is said instead. */
async function paramsOf(parameters: IDataObject, item: IDataObject) {
  const node = { ...TEMPLATE, ...parameters } as INodeParameters;
  const { json } = await execute(node, [{ ...item, phone: phone(0) }], CONTINUE);
  const request = gateway.requests.at(-1);
  gateway.requests.length = 0;
  return { params: request && messagesOf(request)[0]?.params, msg: json[0]?.msg };
}

const json = (parametersJson: unknown) =>
  ({ parameterMode: 'json', parametersJson }) as IDataObject;

const fields = (value: IDataObject) => ({
  parameterMode: 'fields',
  parameters: { mappingMode: 'defineBelow', value },
});

const input = (...names: string[]) => ({
  parameterMode: 'input',
  inputParameters: { mappingMode: 'input', value: null, schema: names.map((id) => ({ id })) },
});

const DATE = '2026-11-27T08:00:00.000Z';

describe('a text is refused, for its item alone, where something failed before', () => {
  test.each<[string, IDataObject, string]>([
    [
      '={{ String($json.count) }}',
      {},
      '\'Content\' has "undefined" in it: {{ String($json.count) }}',
    ],
    [
      '=Dear {{ $json.c }}',
      { c: { name: 'a' } },
      "'Content' must be text, not an object: {{ $json.c }}",
    ],
    ['={{ "Dear " + $json.c }}', { c: {} }, '\'Content\' has "[object Object]" in it'],
    ['={{ "a_" + $json.x }}', {}, '\'Content\' has "undefined" in it'],
    ['={{ `${$json.x}b` }}', {}, '\'Content\' has "undefined" in it'],
    ['=to {{ $json.x }}', { x: 'null' }, '\'Content\' has "null" in it: {{ $json.x }}'],
    ['={{ $json.x }}', { x: ' NaN ' }, '\'Content\' has "NaN" in it: {{ $json.x }}'],
    ['=at {{ $json.x }}', { x: 'a [object Promise]' }, '\'Content\' has "[object Promise]" in it'],
    [
      '=on {{ DateTime.fromISO($json.day).toFormat("yyyy-MM-dd") }}',
      { day: 'soon' },
      '\'Content\' has "Invalid DateTime" in it',
    ],
    ['={{ Duration.fromISO("x").toFormat("m") }}', {}, '\'Content\' has "Invalid Duration" in it'],
    ['=on {{ Interval.fromISO("x").toFormat("d") }}', {}, 'has "Invalid Interval" in it'],
    ['=on {{ $json.day }}', { day: 'Invalid Interval' }, 'has "Invalid Interval" in it'],
    ['=on {{ new Date($json.day) }}', { day: DATE }, "'Content' must be text, not a date"],
    ['={{ DateTime.fromISO($json.day) }}', { day: DATE }, "'Content' must be text, not a date"],
    [
      '={{ $json.n * 3 }}',
      { n: 0.1 },
      "'Content' must be text, not the number 0.30000000000000004",
    ],
    ['=for {{ $json.n * 3 }}', { n: 0.1 }, "'Content' must be text, not the number 0.300000"],
    ['={{ $json.n }}', { n: 2 ** 53 }, "'Content' must be text, not the number 9007199254740992"],
    ['={{ 1e21 }}', {}, "'Content' must be text, not the number 1e+21"],
    ['=a{{ 0 / 0 }}', {}, '\'Content\' has "NaN" in it: {{ 0 / 0 }}'],
    ['={{ 1 / $json.n }}', { n: 0 }, '\'Content\' has "Infinity" in it: {{ 1 / $json.n }}'],
    ['=pay {{ (1 / $json.n).toFixed(2) }}', { n: 0 }, '\'Content\' has "Infinity" in it: {{'],
    ['={{ String(-1 / $json.n) }}', { n: 0 }, '\'Content\' has "-Infinity" in it: {{'],
    ['={{ String(1 / $json.n) + "\\\\n" }}', { n: 0 }, '\'Content\' has "Infinity\\n" in it'],
    ['={{ $json.ok }}', { ok: true }, "'Content' must be text, not the boolean true"],
    ['=a{{ $json.ok }}', { ok: false }, "'Content' must be text, not the boolean false"],
    ['=a{{ $json.l }}', { l: ['x'] }, "'Content' must be text, not an array"],
    ['={{ $json.l }}', { l: [{ toString: 'x' }] }, "'Content' must be text, not an array"],
    ['=a{{ $json.l }}', { l: [{ toString: 'x' }] }, "'Content' must be text, not an array"],
    ['={{ $json.name }}', { name: '\ufffd\ufffd' }, "'Content' has characters that were lost"],
    ['=a{{ $json.name }}', { name: '\ud83d' }, "'Content' has characters that were lost"],
    ['a\ufffd', {}, "'Content' has characters that were lost"],
    ['Dear {{ $json.name }}', {}, 'has the text "Dear {{ $json.name }}", which is not evaluated'],
    ['Dear $json.name', {}, 'has the text "Dear $json.name", which is not evaluated'],
    ['={{ $json.x }}', {}, "'Content' has no value for this item: {{ $json.x }}"],
    ['={{ $json.x }}', { x: '' }, "'Content' has no value for this item: {{ $json.x }}"],
    ['={{ $json.x }} ', { x: null }, "'Content' has no value for this item: {{ $json.x }}"],
    ['={{ $json.x || "" }}', {}, "'Content' has no value for this item"],
    [' ', {}, "'Content' is empty"],
  ])('%s of %j: %s', async (content, item, msg) => {
    expect(await contentOf(content, item)).toEqual({
      sent: undefined,
      msg: expect.stringContaining(msg),
      warning: undefined,
    });
  });
});

describe('a text is sent as it is', () => {
  test.each<[string, IDataObject, string]>([
    ['={{ $json.n }}', { n: 123456 }, '123456'],
    ['=for {{ $json.n }}', { n: 12.5 }, 'for 12.5'],
    ['={{ $json.x + 1 }}', { x: 1 }, '2'],
    ['=a{{ $json.x?.trim() ?? "" }}b', {}, 'ab'],
    ['=a{{ $json.x; }}b', { x: 'x' }, 'axb'],
    ['={{ $json.x }}', { x: ' nullable, Nanjing \u{1f600}' }, ' nullable, Nanjing \u{1f600}'],
    ['={{ $json.x.trim() }}', { x: 'Infinity Nails ' }, 'Infinity Nails'],
    ['=a\\n{{ $json.x }}', { x: 'D:\\new' }, 'a\\nD:\\new'],
  ])('%s of %j: %s', async (content, item, sent) => {
    expect(await contentOf(content, item)).toEqual({ sent, msg: 'success', warning: undefined });
  });

  test.each<[string, IDataObject, string, string]>([
    [
      '=Room {{ $json.room }}',
      {},
      'Room ',
      "'Content' has a gap where this has no value: {{ $json.room }}.",
    ],
    [
      '={{ $json.a }}{{ $json.b }}',
      { a: '', b: '1' },
      '1',
      "'Content' has a gap where this has no value: {{ $json.a }}.",
    ],
    [
      '=Failed: {{ $json.e }}',
      { e: 'Cannot read properties of undefined' },
      'Failed: Cannot read properties of undefined',
      '\'Content\' has "undefined" in it: {{ $json.e }}.',
    ],
  ])('%s of %j: %s', async (content, item, sent, warning) => {
    expect(await contentOf(content, item)).toEqual({ sent, msg: 'success', warning });
  });

  test('and each of its expressions is evaluated once, all together', async () => {
    const content = '={{ $json.l.push(1) }}, {{ $json.l.push(1) }}';
    const { sent } = await contentOf(content, { l: [] });
    expect(sent).toBe('1, 2');
  });
});

test('a check says what the send will say', async () => {
  const items = [{ room: 1 }, {}, { room: {} }].map((item, index) => ({
    ...item,
    phone: phone(index),
  }));
  const parameters = { ...CUSTOM, content: '=Room {{ $json.room }}' } as INodeParameters;
  const check = await execute({ ...parameters, options: { checkOnly: true } }, items, CONTINUE);
  const send = await execute(parameters, items, CONTINUE);
  expect(check.json.map(({ status }) => status)).toEqual(['checked', 'checked', 'rejected']);
  expect(send.json.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'rejected']);
  expect(check.json[2]?.msg).toBe(send.json[2]?.msg);
  expect(check.json[1]?.warning).toContain(send.json[1]?.warning);
  expect(send.hints).toEqual([
    "Of 3 items: 1 not sent. Item 2: 'Content' must be text, not an object: {{ $json.room }}",
    "1 item with a warning, first item 1: 'Content' has a gap where this has no value: {{ $json.room }}.",
  ]);
  expect(check.json[0]?.warning).toContain("'Content' has the number 1: leading zeros");
});

test('an item that is not sent, because an earlier one has its key, has no warning', async () => {
  DeduplicationStore.install().clear();
  const items = [{ room: '1' }, {}].map((item, index) => ({ ...item, phone: phone(index) }));
  const read = async (options: IDataObject) => {
    const parameters = { ...CUSTOM, content: '=Room {{ $json.room }}', options };
    const { json } = await execute(parameters as INodeParameters, items, CONTINUE);
    return json.map(({ status, warning }) => [status, warning]);
  };
  expect(await read({ idempotencyKey: 'k', checkOnly: true })).toEqual([
    ['checked', undefined],
    ['checked', undefined],
  ]);
  expect(await read({ idempotencyKey: 'k' })).toEqual([
    ['accepted', undefined],
    ['skipped', undefined],
  ]);
});

// The harness checks the words of each error that ends a run.
test.each(['={{ 0.1 * 3 }}', '={{ true }}', '={{ $now }}', '={{ NaN }}', '={{ [] }}', '={{ {} }}'])(
  'the error of a run says what to do: %s',
  async (content) => {
    const { error } = await execute({ ...CUSTOM, content } as INodeParameters, [
      { phone: phone(0) },
    ]);
    expect(error?.message).toContain("'Content'");
  },
);

describe('template parameters are the same texts in each mode', () => {
  const modes: [string, IDataObject][] = [
    ['One Field for Each', fields({ code: '={{ $json.code }}', minutes: '5' })],
    ['From Input Fields', input('code', 'minutes')],
    ['As JSON', json('={"code": "{{ $json.code }}", "minutes": "5"}')],
    ['As JSON, an object', json('={{ { code: $json.code, minutes: "5" } }}')],
    ['As JSON, an object of an item', json('={{ $json }}')],
    ['As JSON, an entered object', json({ code: '={{ $json.code }}', minutes: '5' })],
  ];

  test.each(modes)('%s', async (_, parameters) => {
    const of = async (code: unknown) =>
      await paramsOf(parameters, { code, minutes: '5' } as IDataObject);
    for (const code of [
      123456,
      '0042',
      12.5,
      'D:\\new',
      'x", "code": "000000',
      'a"b\n\tc',
      'a\u2028b',
    ]) {
      const { params, msg } = await of(code);
      // The whole item has the phone number, too.
      expect({ params, msg }).toMatchObject({ params: { code: String(code), minutes: '5' } });
    }
    for (const code of [
      undefined,
      null,
      '',
      true,
      { a: 1 },
      ['a'],
      0.1 * 3,
      '\ufffd',
      'undefined',
    ]) {
      expect(await of(code)).toMatchObject({
        params: undefined,
        msg: expect.stringMatching(/code|JSON/),
      });
    }
  });

  test.each<[unknown, IDataObject, IDataObject | string]>([
    // In JSON, a number is the text that stands there.
    ['{"code": 1.50, "minutes": 5}', {}, { code: '1.50', minutes: '5' }],
    ['={"code": {{ $json.code }}, "minutes": "5"}', { code: 42 }, { code: '42', minutes: '5' }],
    ['{"code": 1e3}', {}, "'code' must be text, not the number 1e3"],
    ['{"code": 46325770266034860}', {}, "'code' must be text, not the number 46325770266034860"],
    ['{"code": true}', {}, "'code' must be text, not the boolean true"],
    ['{"code": null}', {}, "'code' has no value"],
    ['{"code": "{{ $json.code }}"}', {}, 'which is not evaluated'],
    // A part outside quotes is as n8n gives it, but no broken one.
    ['={"code": {{ JSON.stringify(String($json.x)) }}}', {}, '(JSON)\' has "undefined" in it: {{'],
    ['={"code": {{ $json.code }}}', { code: '"[object Object]"' }, 'has "[object Object]" in it'],
    ['{"code": "1", "code": "2"}', {}, 'has a name twice'],
    ['={"code": "1", "{{ $json.nothing }}": "2"}', {}, 'has a name that is empty'],
    ['={{ $json.p }}', { p: { code: '1', '': '2' } }, 'has a name that is empty'],
    ['={{ Object.assign({}, $json.p) }}', { p: { '': '2' } }, 'has a name that is empty'],
    // A code with a backslash may escape or not, but nothing leaves its quotes.
    [
      '={"code": "{{ $json.code.replace(/\\s/g, "") }}"}',
      { code: 'x", "minutes": "0' },
      'has a part that JSON cannot hold: {{ $json.code.replace(/\\s/g, "") }}',
    ],
    ['={"code": "{{ $json.code.replace(/\\s/g, "") }}"}', { code: 'a b' }, { code: 'ab' }],
    // A code that escapes is as n8n gives it.
    ['={"code": {{ JSON.stringify($json.code) }}}', { code: 'a"b' }, { code: 'a"b' }],
    [
      '={"code": "{{ JSON.stringify($json.code).slice(1, -1) }}"}',
      { code: 'a"\n' },
      { code: 'a"\n' },
    ],
    ['={"code": "{{ $json.code.replace(/"/g, \'\\\\"\') }}"}', { code: 'a"b' }, { code: 'a"b' }],
    ['={{ JSON.stringify({ code: $json.code }) }}', { code: 'a"b' }, { code: 'a"b' }],
    ['={"a\\"b": "{{ $json.code }}"}', { code: '"' }, { 'a"b': '"' }],
    ['={"code": "for {{ $json.code }}"}', {}, { code: 'for ' }],
    ['={"code": "{{ $json.code }}"}', {}, "'code' has no value for this item: {{ $json.code }}"],
  ])('in JSON: %j of %j', async (parametersJson, item, expected) => {
    const { params, msg } = await paramsOf(json(parametersJson), item);
    if (typeof expected === 'string') expect(msg).toContain(expected);
    else expect(params).toEqual(expected);
  });
});

test('a failed item changes nothing of its input but error and details', async () => {
  const item = { phone: 'x', message: 'Hello', status: 'new', warning: 'w', error: '', msg: 'm' };
  const { output } = await execute(
    { ...CUSTOM, content: '={{ $json.message }}' } as INodeParameters,
    [item],
    { node: { onError: 'continueErrorOutput' } },
  );
  const { error, details, ...rest } = output?.[1]?.[0]?.json ?? {};
  const { error: own, ...others } = item;
  expect([own, error]).toEqual(['', expect.stringContaining('not a mobile number')]);
  expect(details).toMatchObject({ status: 'rejected' });
  expect(rest).toEqual(others);
});
