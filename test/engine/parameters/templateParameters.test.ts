import type { IDataObject, INodeParameters, ResourceMapperField } from 'n8n-workflow';
import { useGateway } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';
import { asJson, CONTINUE, messagesOf, phone, TEMPLATE } from '../../kit/engine/sends';

/** The template parameters of a send, as the editor maps them. What is no text: texts.test.ts. */

const { gateway, execute, mapperFields } = useGateway();

let schema: ResourceMapperField[];

beforeEach(async () => {
  schema = (await mapperFields({ templateId: byId(301, 'list') })).fields;
  gateway.requests.length = 0;
});

async function send(parameters: IDataObject, items: IDataObject[], settings: object = CONTINUE) {
  return await execute(
    { ...TEMPLATE, ...parameters } as INodeParameters,
    items.map((item, index) => ({ phone: phone(index), ...item })),
    settings,
  );
}

const mapped = (value: IDataObject) => ({
  parameters: { mappingMode: 'defineBelow', value, schema },
});

const automatic = (names?: string[]) => ({
  parameterMode: 'input',
  inputParameters: {
    mappingMode: 'input',
    value: null,
    ...(names && { schema: names.map((id) => ({ id })) }),
  },
});

const byFields = () => mapped({ code: '={{ $json.code }}', minutes: '5' });

const sent = () => gateway.requests.flatMap(messagesOf);

test.each<[string, () => IDataObject]>([
  ['mapped fields', byFields],
  ['fields of the item', () => automatic(['code', 'minutes'])],
  [
    "fields of the item in n8n's automatic mode",
    () => ({ parameters: { mappingMode: 'autoMapInputData', value: null, schema } }),
  ],
  [
    'values without a schema, as in a workflow that was written by hand',
    () => ({ parameters: { mappingMode: 'defineBelow', value: { code: '1', minutes: '5' } } }),
  ],
])('may be %s', async (_, parameters) => {
  await send(parameters(), [{ code: '1', minutes: '5', order: 'x' }]);
  expect(sent()).toEqual([{ phone_number: phone(0), params: { code: '1', minutes: '5' } }]);
});

test('may be none', async () => {
  const none = { mappingMode: 'defineBelow', value: {}, schema: [] };
  const { json } = await send({ templateId: byId(303, 'list'), parameters: none }, [{}]);
  expect(json).toMatchObject([{ status: 'accepted' }]);
  expect(sent()).toEqual([{ phone_number: phone(0), params: {} }]);
});

const WHOLE = asJson('={{ $json.code ? { code: $json.code, minutes: "5" } : [] }}');

// Guess: empty-parameter
test.each<[string, () => IDataObject, string]>([
  ['an empty text', byFields, "The template parameter 'code' has no value for this item: {{"],
  ['a list as JSON', () => WHOLE, "'Parameters (JSON)' must be a JSON object, not an array"],
])('cannot have %s: only that item is refused', async (_, parameters, message) => {
  const { json } = await send(parameters(), [{ code: 'ok' }, { code: '' }, { code: 'ok' }]);
  const refused = { status: 'rejected', msg: expect.stringContaining(message) };
  expect(json).toMatchObject([{ status: 'accepted' }, refused, { status: 'accepted' }]);
  expect(gateway.requests).toHaveLength(1);
  expect([...gateway.deliveries().keys()]).toEqual([phone(0), phone(2)]);
});

test.each(['constructor', 'toString', '__proto__'])(
  'an item has only what is its own: not %s',
  async (name) => {
    const { json } = await send(automatic([name]), [{ code: '1' }]);
    expect(json[0]?.msg).toContain(`The template parameter '${name}' has no value`);
  },
);

test('cannot have an expression that n8n cannot evaluate: the error names the parameter', async () => {
  const value = { code: '={{ $json.code.replace("}}", "") }}', minutes: '5' };
  const { json } = await send(mapped(value), [{ code: '1' }]);
  expect(json).toMatchObject([
    {
      status: 'rejected',
      msg: `The template parameter 'code' cannot be evaluated: invalid syntax: {{ $json.code.replace("}}`,
      advice: 'Check the code in the editor, which shows what it gives.',
    },
  ]);
});

test.each<[string, () => IDataObject, string, string]>([
  [
    'a name that the template does not have',
    () => mapped({ code: '1', minutes: '5', cod: '1' }),
    "The template has no parameter 'cod'",
    'it has code, minutes.',
  ],
  [
    'an empty list of names',
    () => automatic([]),
    'parameters of the template are not',
    "'As JSON'",
  ],
  ['no list of names', () => automatic(), 'parameters of the template are not known', "'As JSON'"],
])('cannot have %s: nothing is sent', async (_, parameters, message, advice) => {
  const { error } = await send(parameters(), [{ code: '1', minutes: '5' }], {});
  expect(error?.message).toContain(message);
  expect(error?.description).toContain(advice);
  expect(gateway.requests).toEqual([]);
});

test.each([0, 1, 2])(
  'with other names in JSON never share a batch, so the others are sent: item %i is refused',
  async (place) => {
    const others: IDataObject[] = [
      { code: '1', minutes: '5' },
      { minutes: '5', code: '3' },
    ];
    const items = others.toSpliced(place, 0, { code: '2' }).map((params) => ({ params }));
    const { json } = await send(asJson('={{ $json.params }}'), items);
    const accepted = { status: 'accepted' };
    const refused = { status: 'rejected', code: 2005, msg: expect.stringContaining('minutes') };
    expect(json).toMatchObject([accepted, accepted].toSpliced(place, 0, refused as never));
    const numbers = [0, 1, 2].toSpliced(place, 1).map(phone);
    expect([...gateway.deliveries().keys()]).toEqual(numbers);
    expect(gateway.requests).toHaveLength(2);
  },
);
