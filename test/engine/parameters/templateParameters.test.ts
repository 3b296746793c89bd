import type { IDataObject, INodeParameters, ResourceMapperField } from 'n8n-workflow';
import { useGateway } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';
import { messagesOf } from '../../kit/engine/sends';

const { gateway, execute, mapperFields } = useGateway();

describe('the template parameters of a send', () => {
  let schema: ResourceMapperField[];

  beforeEach(async () => {
    schema = (await mapperFields({ templateId: byId(301, 'list') })).fields;
    gateway.requests.length = 0;
  });

  const PHONES = ['13800138000', '13800138001', '13800138002'];

  async function send(parameters: IDataObject, items: IDataObject[], onError = 'stopWorkflow') {
    return await execute(
      {
        resource: 'message',
        operation: 'sendTemplate',
        templateId: byId(301, 'list'),
        signatureId: byId(201, 'list'),
        phoneNumbers: '={{ $json.phone }}',
        ...parameters,
      } as INodeParameters,
      items.map((item, index) => ({ phone: PHONES[index] ?? null, ...item })),
      { node: { onError: onError as never } },
    );
  }

  const mapped = (value: IDataObject) => ({
    parameters: { mappingMode: 'defineBelow', value, schema },
  });

  const optional = () => schema.map((field) => ({ ...field, required: false }));

  const automatic = (parameters: IDataObject = { schema: optional() }) => ({
    parameterMode: 'input',
    inputParameters: { mappingMode: 'input', value: null, ...parameters },
  });

  const byFields = () => mapped({ code: '={{ $json.code }}', minutes: '5' });
  const byJson = () => ({
    parameterMode: 'json',
    parametersJson: '={{ $json.code === "list" ? [] : { code: $json.code, minutes: "5" } }}',
  });

  const sent = () => gateway.requests.flatMap(messagesOf);

  test.each(['constructor', 'toString', '__proto__'])(
    'an item has only what is its own: not %s',
    async (name) => {
      const [field] = schema as [ResourceMapperField];
      const { json } = await send(
        automatic({ schema: [{ ...field, id: name, required: false }] }),
        [{ code: '1' }],
        'continueRegularOutput',
      );
      expect(json[0]?.msg).toContain(`The template parameter '${name}' has no value`);
    },
  );

  test('are the mapped fields of each item, and nothing else', async () => {
    const { json } = await send(byFields(), [{ code: '0042' }, { code: '0' }]);
    expect(json.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(sent()).toEqual([
      { phone_number: PHONES[0], params: { code: '0042', minutes: '5' } },
      { phone_number: PHONES[1], params: { code: '0', minutes: '5' } },
    ]);
  });

  test.each<[string, () => IDataObject, IDataObject]>([
    ['fields of the item, automatic', () => automatic(), { code: '1', minutes: '5', order: '' }],
    [
      "fields of the item in n8n's automatic mode",
      () => ({ parameters: { mappingMode: 'autoMapInputData', value: null, schema } }),
      { code: '1', minutes: '5', order: 'x' },
    ],
    [
      'values without a schema, as in a workflow that was written by hand',
      () => ({ parameters: { mappingMode: 'defineBelow', value: { code: '1', minutes: '5' } } }),
      {},
    ],
  ])('may be %s', async (_, parameters, item) => {
    await send(parameters(), [item]);
    expect(sent()).toEqual([{ phone_number: PHONES[0], params: { code: '1', minutes: '5' } }]);
  });

  test('may be none', async () => {
    const { json } = await send(
      {
        templateId: byId(303, 'list'),
        parameters: { mappingMode: 'defineBelow', value: {}, schema: [] },
      },
      [{}],
    );
    expect(json).toMatchObject([{ status: 'accepted' }]);
    expect(sent()).toEqual([{ phone_number: PHONES[0], params: {} }]);
  });

  test.each<[string, () => IDataObject, IDataObject, string]>([
    ['no value', byFields, { code: null }, "'code' has no value"],
    ['an empty text', byFields, { code: '' }, "'code' has no value"],
    ['a blank text, automatic', automatic, { code: ' \n' }, "'code' has no value"],
    ['an invisible text', automatic, { code: '\u200b\u3164' }, "'code' has no value"],
    ['an object', byFields, { code: { a: 1 } }, "'code' must be text, not an object"],
    ['no field, automatic', automatic, { code: undefined }, "'code' has no value"],
    ['a list as JSON', byJson, { code: 'list' }, "(JSON)' must be a JSON object, not an array"],
  ])('cannot have %s: only that item is refused', async (_, parameters, change, message) => {
    const good = { code: 'ok', minutes: '5' };
    const items = [good, { ...good, ...change }, good];
    const { json } = await send(parameters(), items, 'continueRegularOutput');
    expect(json).toMatchObject([
      { status: 'accepted' },
      { status: 'rejected', msg: expect.stringContaining(message) },
      { status: 'accepted' },
    ]);
    expect(gateway.requests).toHaveLength(1);
    expect([...gateway.deliveries().keys()]).toEqual([PHONES[0], PHONES[2]]);
  });

  test('cannot have an expression that n8n cannot evaluate: the error names the parameter', async () => {
    const { json } = await send(
      mapped({ code: '={{ $json.code.replace("}}", "") }}', minutes: '5' }),
      [{ code: '1' }],
      'continueRegularOutput',
    );
    expect(json).toMatchObject([
      {
        status: 'rejected',
        msg: `The template parameter 'code' cannot be evaluated: invalid syntax: {{ $json.code.replace("}}`,
        advice: 'Check the code in the editor, which shows what it gives.',
      },
    ]);
  });

  test('cannot have a name that the template does not have', async () => {
    const { error } = await send(mapped({ code: '1', minutes: '5', cod: '1' }), [{}]);
    expect(error?.message).toBe("The template has no parameter 'cod'");
    expect(error?.description).toContain('it has code, minutes.');
    expect(gateway.requests).toEqual([]);
  });

  test.each([
    ['is empty', { schema: [] }],
    ['is missing', {}],
  ])('cannot be mapped automatically when the list of parameters %s', async (_, parameters) => {
    const { error } = await send(automatic(parameters), [{ code: '1', minutes: '5' }]);
    expect(error?.message).toContain('parameters of the template are not known');
    expect(error?.description).toContain("'As JSON'");
    expect(gateway.requests).toEqual([]);
  });

  test.each([0, 1, 2])(
    'with other names in JSON never share a batch, so the others are sent: item %i is refused',
    async (place) => {
      const others = [
        { params: { code: '1', minutes: '5' } },
        { params: { minutes: '5', code: '3' } },
      ];
      const { json } = await send(
        { parameterMode: 'json', parametersJson: '={{ $json.params }}' },
        others.toSpliced(place, 0, { params: { code: '2' } } as never),
        'continueRegularOutput',
      );
      expect(json).toMatchObject(
        ['accepted', 'accepted'].toSpliced(place, 0, 'rejected').map((status) => ({ status })),
      );
      expect(json[place]).toMatchObject({ code: 2005, msg: expect.stringContaining('minutes') });
      expect([...gateway.deliveries().keys()]).toEqual(PHONES.slice(0, 3).toSpliced(place, 1));
      expect(gateway.requests).toHaveLength(2);
    },
  );
});
