import type { IDataObject, INodeParameters, ResourceMapperField } from 'n8n-workflow';
import { useGateway } from '../harness/gateway';
import { byId } from '../harness/locators';
import { messagesOf } from '../harness/sends';

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

  const sent = () => gateway.requests.flatMap(messagesOf);

  test('are the mapped fields of each item, and nothing else', async () => {
    const { json } = await send(mapped({ code: '={{ $json.code }}', minutes: '5' }), [
      { code: '0042' },
      { code: '0' },
    ]);
    expect(json.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(sent()).toEqual([
      { phone_number: PHONES[0], params: { code: '0042', minutes: '5' } },
      { phone_number: PHONES[1], params: { code: '0', minutes: '5' } },
    ]);
  });

  test.each([
    ['1', '{{ String($json["1"]) }}'],
    ['a b', '{{ String($json["a b"]) }}'],
    ['it"s', '{{ String($json["it\\"s"]) }}'],
    ['code', '{{ String($json["code"]) }}'],
    ['验证码', '{{ String($json["验证码"]) }}'],
  ])('of which %p is a number: the advice is an expression that works', async (name, advice) => {
    const json = (value: unknown) => ({
      parameterMode: 'json',
      parametersJson: JSON.stringify({ [name]: value }),
    });
    const { error } = await send(json(7), [{}]);
    expect((error as { description?: string }).description).toContain(`with ${advice}.`);
    const second = await send(
      {
        parameterMode: 'json',
        parametersJson: `={{ { ${JSON.stringify(name)}: ${advice.slice(2, -2)} } }}`,
      },
      [{ [name]: 7 }],
      'continueRegularOutput',
    );
    expect(second.json[0]?.msg ?? '').not.toContain('must be text');
    expect(
      sent()
        .map(({ params }) => params)
        .every((params) => JSON.stringify(params) === JSON.stringify({ [name]: '7' })),
    ).toBe(true);
  });

  test('are fields of the item itself in automatic mode', async () => {
    await send(automatic(), [{ code: '1', minutes: '5', order: 'not a parameter' }]);
    expect(sent()).toEqual([{ phone_number: PHONES[0], params: { code: '1', minutes: '5' } }]);
  });

  test('are fields of the item in the automatic mode of n8n, too', async () => {
    const parameters = { mappingMode: 'autoMapInputData', value: null, schema };
    await send({ parameters }, [{ code: '1', minutes: '5', order: 'not a parameter' }]);
    expect(sent()).toEqual([{ phone_number: PHONES[0], params: { code: '1', minutes: '5' } }]);
  });

  test('may have names without a schema, as in a workflow that was written by hand', async () => {
    await send({ parameters: { mappingMode: 'defineBelow', value: { code: '1', minutes: '5' } } }, [
      {},
    ]);
    expect(sent()).toEqual([{ phone_number: PHONES[0], params: { code: '1', minutes: '5' } }]);
  });

  // Guess: no-parameters
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
    [
      'a field without a value',
      () => mapped({ code: '={{ $json.code }}', minutes: '5' }),
      { code: null },
      "The template parameter 'code' has no value",
    ],
    [
      'a number, which n8n would turn into text',
      () => mapped({ code: '={{ $json.code }}', minutes: '5' }),
      { code: 42 },
      "The template parameter 'code' must be text, not the number 42",
    ],
    [
      'an object',
      () => mapped({ code: '={{ $json.code }}', minutes: '5' }),
      { code: { a: 1 } },
      "The template parameter 'code' must be text, not an object",
    ],
    [
      'an item without one of them, in automatic mode',
      () => automatic(),
      { code: undefined, minutes: '5' },
      "The template parameter 'code' has no value",
    ],
    [
      'a number, in automatic mode',
      () => automatic(),
      { code: '1', minutes: 5 },
      "The template parameter 'minutes' must be text, not the number 5",
    ],
    [
      'a number in JSON',
      () => ({
        parameterMode: 'json',
        parametersJson: '={{ { code: $json.code, minutes: "5" } }}',
      }),
      { code: 7 },
      "The template parameter 'code' must be text, not the number 7",
    ],
    [
      'JSON that is a list',
      () => ({
        parameterMode: 'json',
        parametersJson: '={{ $json.code === "ok" ? { code: "1", minutes: "5" } : [] }}',
      }),
      { code: 'no' },
      "'Parameters (JSON)' must be a JSON object, not an array",
    ],
  ])('cannot have %s: only that item is refused', async (_, parameters, item, message) => {
    const good = { code: 'ok', minutes: '5' };
    const { json } = await send(parameters(), [good, item, good], 'continueRegularOutput');
    expect(json).toMatchObject([
      { status: 'accepted' },
      { status: 'rejected', msg: message },
      { status: 'accepted' },
    ]);
    expect(gateway.requests).toHaveLength(1);
    expect([...gateway.deliveries().keys()]).toEqual([PHONES[0], PHONES[2]]);
  });

  test('cannot have a name that the template does not have', async () => {
    const { error } = await send(mapped({ code: '1', minutes: '5', cod: '1' }), [{}]);
    expect(error?.message).toBe("The template has no parameter 'cod'");
    expect(error?.description).toContain('It has code, minutes.');
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

  // Guess: other-names
  test.each([
    ['the first', 0],
    ['in between', 1],
    ['the last', 2],
  ])(
    'with other names in JSON never share a batch, so the others are sent: %s',
    async (_, place) => {
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
