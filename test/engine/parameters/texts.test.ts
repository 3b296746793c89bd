import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { showsNothing } from '../../../nodes/SmsMessagingService/parameters/texts';
import { byId } from '../../kit/engine/locators';
import { asJson, CONTINUE, CUSTOM, messagesOf, phone, TEMPLATE } from '../../kit/engine/sends';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { useGateway } from '../../kit/engine/gateway';

const { gateway, execute } = useGateway();

/*
 * What is said of texts, and what test/search/texts.test.ts cannot make: it judges random texts in each field and in
 * each form of the parameters by the table of the design, and expressions.test.ts there compares codes with n8n.
 */

/** What is sent as the content of one item, or what is said instead, with advice; and the warning. */
async function contentOf(content: string, item: IDataObject) {
  const parameters = { ...CUSTOM, content } as INodeParameters;
  const { json } = await execute(parameters, [{ ...item, phone: phone(0) }], CONTINUE);
  const body = gateway.requests.at(-1)?.body as IDataObject | undefined;
  const { msg, advice, warning } = json[0] ?? {};
  return { sent: body?.content, msg, advice, warning };
}

/** The parameters that are sent for one item, or what is said instead. */
async function paramsOf(parametersJson: string, item: IDataObject) {
  const node = { ...TEMPLATE, ...asJson(parametersJson) };
  const { json } = await execute(node, [{ ...item, phone: phone(0) }], CONTINUE);
  const request = gateway.requests.at(-1);
  gateway.requests.length = 0;
  return { params: request && messagesOf(request)[0]?.params, msg: json[0]?.msg };
}

const MISSING = "'Content' has no value for this item";
const NOT_TEXT = "'Content' must be text, not";

/** A field, an item, and what is said instead of sending it. */
const REFUSED: [content: string, item: IDataObject, msg: string][] = [
  // What n8n cannot evaluate.
  ['=Hi {{ $json.first name }}!', {}, 'evaluated: invalid syntax: {{ $json.first name }}'],
  ['=Hi {{ }}!', {}, 'invalid syntax'],
  ["=Hi {{ $('X').item.json.to }}", {}, "node doesn't exist: {{ $('X').item.json.to }}"],
  // No value.
  ['={{ $json.x }}', {}, `${MISSING}: {{ $json.x }}`],
  // Whole, it is refused even if it is meant.
  ['={{ $json.x || "" }}', {}, `${MISSING}, or its code fails`],
  ['={{ $json.x || "" }}{{ $json.y ?? \'\' }}', {}, MISSING],
  // A code that fails gives nothing.
  ['=Total {{ $json.total.toFixed(2) }}', { total: '19.9' }, `${MISSING}, or its code fails`],
  [' ', {}, "'Content' is empty"],
  // No text.
  ['=Dear {{ $json.c }}', { c: { name: 'a' } }, `${NOT_TEXT} an object: {{ $json.c }}`],
  ['=a{{ $json.l }}', { l: ['x'] }, `${NOT_TEXT} an array`],
  ['={{ $json.l }}', { l: [{ toString: 'x' }] }, `${NOT_TEXT} an array`],
  ['={{ DateTime.fromISO($json.day) }}', { day: '2026-11-27' }, `${NOT_TEXT} a date`],
  ['={{ $json.ok }}', { ok: true }, `${NOT_TEXT} the boolean true`],
  ['=for {{ $json.n * 3 }}', { n: 0.1 }, `${NOT_TEXT} the number 0.30000000000000004`],
  ['=a{{ 0 / 0 }}', {}, `'Content' has "NaN" in it: {{ 0 / 0 }}`],
  ['=a{{ 5n }}', {}, `${NOT_TEXT} the bigint 5`],
  // The words of a code that has failed.
  ['={{ String($json.count) }}', {}, 'has "undefined" in it: {{ String($json.count) }}'],
  ['={{ "a_" + $json.x }}', {}, 'has "undefined" in it'],
  ['={{ "Dear " + $json.x + "_" + $json.y }}', { x: 'Li', y: null }, 'has "null" in it'],
  ['={{ JSON.stringify($json.l) }}', { l: [null] }, 'has "null" in it'],
  ['=to {{ $json.x }}', { x: 'null' }, 'has "null" in it: {{ $json.x }}'],
  ['={{ $json.x }}', { x: ' NaN ' }, 'has "NaN" in it'],
  // Characters that were lost.
  ['={{ $json.name }}', { name: '\ufffd\ufffd' }, "'Content' has characters that were lost"],
  ['a\ufffd', {}, 'has characters that were lost'],
  // Codes in a Fixed field.
  ...[
    ...['Dear {{ $json.name }}', 'Dear {{ name }}', 'Dear $json.name'],
    ...["Dear $('X').first().json.name", '$input.item'],
  ].map((content): (typeof REFUSED)[number] => [content, {}, 'which is not evaluated']),
];

test.each(REFUSED)('refused, for its item alone: %s of %j: %s', async (content, item, msg) => {
  expect(await contentOf(content, item)).toEqual({
    sent: undefined,
    msg: expect.stringContaining(msg),
    advice: expect.stringMatching(/\S/),
    warning: undefined,
  });
});

const QUOTED = "Cannot read properties of undefined (reading 'x')";
const WARNING = '\'Content\' has "undefined" in it: {{';

const SENT: [content: string, item: IDataObject, sent: string, warning?: string][] = [
  ['={{ $json.x.trim() }}', { x: 'Infinity Nails ' }, 'Infinity Nails'],
  ['={{ JSON.stringify($json.o) }}', { o: { a: [1, null] } }, '{"a":[1,null]}'],
  // What n8n reads, and not what it looks like.
  ['=Hi {{ $json.a, $json.b }}!', { a: 'A', b: 'B' }, 'Hi B!'],
  ['=a{{ $json.x; }}b', { x: 'x' }, 'axb'],
  ['=a\\\\{{ $json.x }}{{ $json.x.toUpperCase() }}', { x: 'x' }, 'a\\xX'],
  ['=}}{{ $json.x }}{ }}', { x: 'x' }, '}}x{ }}'],
  // The words of somebody.
  ['=Failed: {{ $json.e }}', { e: QUOTED }, `Failed: ${QUOTED}`, `${WARNING} $json.e }}.`],
  // Of a field, no matter how it is named, also if no word stands beside it.
  ...[
    ...['$json', '$input.item.json', '$input.first().json', '$node["Start"].json'],
    ...["$('Start').last().json", "$('Start').all()[0].json", '$("Start").itemMatching(0).json'],
  ].map((item): (typeof SENT)[number] => [
    `={{ ${item}.e }}`,
    { e: 'undefined!' },
    'undefined!',
    `${WARNING} ${item}.e }}.`,
  ]),
  ['={{ $json.e.slice(7) }}', { e: `Failed ${QUOTED}` }, QUOTED, `${WARNING} $json.e.slice(7) }}.`],
  [
    '={{ "因" + $json.e }}',
    { e: 'undefined属性' },
    '因undefined属性',
    `${WARNING} "因" + $json.e }}.`,
  ],
];

test.each(
  SENT.map(([content, item, sent, warning = '']) => [content, item, sent, warning] as const),
)('sent as n8n reads it: %s of %j: %s', async (content, item, sent, warning) => {
  expect(await contentOf(content, item)).toEqual({
    sent,
    msg: 'success',
    advice: undefined,
    warning: warning || undefined,
  });
});

test('the codes of a field are evaluated once for each item', async () => {
  const content = '={{ $json.l.push(1) }}, {{ $json.l.push(1) }}';
  const items = [0, 2].map((nth) => ({ l: [], phones: [phone(nth), phone(nth + 1)] }));
  const phoneNumbers = '={{ $json.phones.shift() }}';
  await execute({ ...CUSTOM, content, phoneNumbers } as INodeParameters, items, CONTINUE);
  expect(gateway.requests.map(({ body }) => (body as IDataObject).content)).toEqual(['1, 2']);
  expect([...gateway.deliveries().keys()]).toEqual([phone(0), phone(2)]);
});

test('a code that fails for a later item is named, and no other takes its place', async () => {
  const content = '={{ $json.a.trim() }}-{{ $json.b.trim() }}';
  const items = [{ a: 'A' }, {}].map((item, nth) => ({ ...item, b: 'B', phone: phone(nth) }));
  const { json } = await execute({ ...CUSTOM, content } as INodeParameters, items, CONTINUE);
  const msg = `${MISSING}, or its code fails: {{ $json.a.trim() }}`;
  expect(json).toMatchObject([{ status: 'accepted' }, { status: 'rejected', msg }]);
});

test.each(['={{ $json.a }}, {{ $json.b }}', '= {{ [$json.a, $json.b] }}\n'])(
  'all recipients of %j are sent to: white space around a single code is nothing',
  async (phoneNumbers) => {
    const node = { ...CUSTOM, content: 'c', phoneNumbers } as INodeParameters;
    await execute(node, [{ a: phone(0), b: phone(1) }]);
    expect([...gateway.deliveries().keys()]).toEqual([phone(0), phone(1)]);
  },
);

test.each<[IDataObject, string]>([
  [{ content: '=Dear {{ $json.x }}' }, "{{ $json.note || '' }}"],
  [{ content: '={{ $json.x }}' }, "{{ $json.name || 'customer' }}"],
  [{ content: '=Total {{ $json.x.toFixed(2) }}' }, '{{ Number($json.total).toFixed(2) }}'],
  [{ options: { userData: '={{ $json.x }}' } }, "{{ $json.note || '' }}"],
  [{ options: { idempotencyKey: '=a{{ $json.x }}' } }, 'a key of its own'],
  [{ signatureId: byId('={{ $json.x }}') }, 'IF node'],
  [{ content: "={{ $fromAI('text') }}" }, 'Call the tool again'],
])('what a refusal advises depends on the place: %j: %s', async (parameters, advice) => {
  const node = { ...CUSTOM, content: 'c', ...parameters } as INodeParameters;
  const { json } = await execute(node, [{ phone: phone(0) }], CONTINUE);
  expect(json[0]?.advice).toContain(advice);
});

test.each<[label: string, (value: string) => IDataObject]>([
  ['Phone Numbers', (phoneNumbers) => ({ phoneNumbers })],
  ['Template', (value) => ({ templateId: byId(value) })],
  ['Signature', (value) => ({ signatureId: byId(value) })],
  ['Timeout', (timeout) => ({ options: { timeout } })],
  ['Phone Number Format', (phoneNumberFormat) => ({ options: { phoneNumberFormat } })],
  ['Endpoint Path', (endpointPath) => ({ options: { endpointPath } })],
  ['Extra Fields (JSON)', (extraFieldsJson) => ({ options: { extraFieldsJson } })],
  ['User Data', (userData) => ({ options: { userData } })],
  ['Phone Data', (phoneData) => ({ options: { phoneData } })],
])('%s says which field and code, and what to do', async (label, parameters) => {
  const said = async (value: string) => {
    const node = { ...TEMPLATE, ...parameters(value) } as INodeParameters;
    const { json } = await execute(node, [{ phone: phone(0), code: '1' }], CONTINUE);
    expect(gateway.requests).toEqual([]);
    expect(json[0]?.advice).toMatch(/\S/);
    return json[0]?.msg;
  };
  expect(await said('={{ $json.phnoe }}')).toBe(
    `'${label}' has no value for this item: {{ $json.phnoe }}`,
  );
  expect(await said("={{ $('X').item.json.to }}")).toMatch(
    `'${label}' cannot be evaluated: Referenced node doesn't exist: {{ $('X').item.json.to }}`,
  );
  expect(await said('=$json.phone')).toContain('"$json.phone", which is not evaluated');
  expect(await said('{{ $json.phone }}')).toBe(
    `'${label}' has the text "{{ $json.phone }}", which is not evaluated`,
  );
});

test('the outcome of a refused item has its phone numbers', async () => {
  const items = [{ phone: `${phone(0)}, ${phone(1)}, ${phone(0)}` }, { phone: phone(2), x: 'x' }];
  const parameters = { ...CUSTOM, content: '={{ $json.x }}' } as INodeParameters;
  for (const options of [{}, { checkOnly: true }]) {
    const { json } = await execute({ ...parameters, options } as INodeParameters, items, CONTINUE);
    expect(json[0]).toMatchObject({
      status: 'rejected',
      phone_numbers: [phone(0), phone(1)],
    });
  }
});

test('in a key, booleans and dates may stand beside other text, but not alone, and it is not blank', async () => {
  const store = DeduplicationStore.install();
  store.clear();
  const send = async (idempotencyKey: string) => {
    const node = { ...CUSTOM, content: 'c', options: { idempotencyKey } };
    return (await execute(node, [{ phone: phone(0), ok: false }], CONTINUE)).json[0];
  };
  await send('={{ $json.ok }}-{{ new Date(1) }}');
  expect(store.values()).toEqual(['smsMessagingService:false-1970-01-01T00:00:00.001Z']);
  const msg = "'Idempotency Key' must be text, not the boolean false: {{ $json.ok }}";
  expect(await send('={{ $json.ok }}')).toMatchObject({ status: 'rejected', msg });
  // Every item would have the same one.
  const blank = { status: 'rejected', msg: "'Idempotency Key' is empty" };
  expect(await send(' ')).toMatchObject(blank);
});

test('the hint about warnings counts no item that is skipped, because an earlier one has its key', async () => {
  DeduplicationStore.install().clear();
  const rooms = ['1', QUOTED, QUOTED, {}].map((room, nth) => ({ room, phone: phone(nth), nth }));
  const content = '=Room {{ $json.room }}';
  const options = { idempotencyKey: '={{ $json.nth === 1 ? 0 : $json.nth }}' };
  const node = { ...CUSTOM, content, options } as INodeParameters;
  const { json, hints } = await execute(node, rooms, CONTINUE);
  expect(json.map(({ status, warning }) => [status, Boolean(warning)])).toEqual([
    ['accepted', false],
    ['skipped', false],
    ['accepted', true],
    ['rejected', false],
  ]);
  expect(hints).toEqual([
    expect.stringContaining(
      "1 was not sent: 'Content' must be text, not an object: {{ $json.room }}",
    ),
    `1 item with a warning, first item 2: ${WARNING} $json.room }}.`,
  ]);
});

test.each<[string, IDataObject, IDataObject | string]>([
  // In JSON, a number is the text that stands there.
  ['{"code": 1.50, "minutes": 5}', {}, { code: '1.50', minutes: '5' }],
  ['={"code": {{ $json.code }}, "minutes": "5"}', { code: ['4'] }, { code: '4', minutes: '5' }],
  ['{"code": 1e3}', {}, "'code' must be text, not the number 1e3"],
  ['{"code": null}', {}, "'code' is empty"],
  ['{"code": "{{ $json.code }}"}', {}, 'which is not evaluated'],
  // A part outside quotes is as n8n gives it, but no broken one.
  ['={"code": {{ $json.code }}}', { code: '"undefined"' }, '\'code\' has "undefined" in it'],
  ['={"code": "1", "{{ $json.nothing }}": "2"}', {}, "(JSON)' has no value for this item"],
  // An object is judged by what is in it, and not by how it is spelled.
  ['={{ { code: "a" + $json.none } }}', {}, '\'code\' has "undefined" in it'],
  // A code that does not escape is put in as text, and one that does so badly does not leave its quotes.
  [
    '={"code": "{{ $json.code.replace(/\\s/g, "") }}"}',
    { code: 'x", "minutes": "0' },
    { code: 'x","minutes":"0' },
  ],
  ['={"code": "{{ $json.n.split("\\n")[0] }}"}', { n: 'D:\\temp\\new' }, { code: 'D:\\temp\\new' }],
  ['={"code": "{{ JSON.parse($json.raw).c }}"}', { raw: '{"c":"a\\"b"}' }, { code: 'a"b' }],
  [
    '={"code": "{{ $json.code.replace("\\\\", "/") }}"}',
    { code: 'x", "minutes": "0' },
    'has a part that JSON cannot hold: {{ $json.code.replace("\\\\", "/") }}',
  ],
  ['={"a\\"b": "{{ $json.code }}"}', { code: '"' }, { 'a"b': '"' }],
  ["={{ $json.code || '' }}", {}, "{{ $json.code || '' }}"],
])('in JSON: %j of %j', async (parametersJson, item, expected) => {
  const { params, msg } = await paramsOf(parametersJson, item);
  if (typeof expected === 'string') expect(msg).toContain(expected);
  else expect(params).toEqual(expected);
});

test.each<[advice: string, texts: string[]]>([
  ['typographic', ['{“code”: “1”}', '{“code": "1"}']],
  ['single quotation marks', ["{'code': '1'}"]],
  ['full-width', ['：', '；', '、', ':\u3000'].map((sign) => `{"code"${sign}1}`)],
  ['Take away the comma', ['{"code": "1",}']],
  ['stand in double quotes', ['{code: "1"}', '{"code": yes}', '{"code": 您好}']],
  [
    'missing or too much',
    ['{"a": "1" "b": 2}', '{"a": true', '{"a": 1e5}}', '{"a": "b"c"}', '{"a": "b\nc"}'],
  ],
])('what looks like JSON is named as what it is: %s', async (advice, texts) => {
  for (const text of texts) {
    const node = { ...TEMPLATE, ...asJson(text) };
    const { json } = await execute(node, [{ phone: phone(0) }], CONTINUE);
    expect(json[0]?.msg).toContain('is not valid JSON');
    expect([text, json[0]?.advice]).toEqual([text, expect.stringContaining(advice)]);
  }
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

test.each(['\u2800', '\u200b', '\u3164 '])('a name of %j shows nothing', (name) => {
  expect(showsNothing(name)).toBe(true);
});
