import type { IDataObject, INodeParameters, ResourceMapperField } from 'n8n-workflow';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway, Template } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import type { Harness } from '../harness';

let gateway: Gateway;
let harness: Harness;

beforeAll(async () => {
  gateway = await startGateway();
  harness = await createHarness(gateway.credential() as never);
});

afterEach(() => {
  expect(gateway.violations).toEqual([]);
  gateway.reset();
});

afterAll(() => gateway.close());

const locator = (value: string | number, mode = 'list') => ({ __rl: true, mode, value });

/** The mapper's fields for a template, which may be changed first. */
async function fieldsOf(templateId: unknown, change: Partial<Template> = {}) {
  Object.assign(gateway.state.templates.get(301) ?? {}, change);
  return await harness.mapperFields({ templateId } as INodeParameters);
}

describe('the fields of the mapper', () => {
  test('are the template as text to read, and one required field per parameter', async () => {
    const { fields, emptyFieldsNotice } = await fieldsOf(locator('301'));
    expect(fields).toEqual([
      expect.objectContaining({
        displayName: 'Template Text',
        readOnly: true,
        required: false,
        defaultValue: '["您的验证码是${code},${minutes}分钟内有效,请勿告诉他人。"]',
      }),
      ...['code', 'minutes'].map((name) =>
        expect.objectContaining({
          id: name,
          displayName: name,
          type: 'string',
          required: true,
          display: true,
        }),
      ),
    ]);
    // What the editor shows in automatic mode, where there are no fields.
    expect(emptyFieldsNotice).toBe(
      'This template takes code, minutes from each item. Its text: “您的验证码是${code},${minutes}分钟内有效,请勿告诉他人。”',
    );
    expect(gateway.requests.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: '/openapi/template/info', body: { id: 301, page: 1, page_size: 100 } },
    ]);
  });

  test.each([
    ['an id given by hand', locator(' 301 ', 'id')],
    ['a number', locator(301, 'id')],
    ['a bare id, as an expression over the whole picker gives it', '301'],
  ])('are found for %s', async (_, templateId) => {
    expect((await fieldsOf(templateId)).fields).toHaveLength(3);
  });

  test('are those of the right template, though the service answers with more', async () => {
    const list = [...gateway.state.templates.values()];
    gateway.fault({ kind: 'wrongShape', body: { list, total: list.length } });
    const { fields } = await fieldsOf(locator('302'));
    expect(fields.slice(1).map(({ id }) => id)).toEqual(['name', 'order', 'date']);
  });

  test('keep lines and signs of the text', async () => {
    const content = 'Hi "{name}"\n<b>{shop}</b> & more';
    const { fields, emptyFieldsNotice } = await fieldsOf(locator('301'), { content });
    expect(JSON.parse(String(fields[0]?.defaultValue))).toEqual(content.split('\n'));
    expect(emptyFieldsNotice).toContain('&lt;b&gt;{shop}&lt;/b&gt; &amp; more');
  });

  test.each<[string, unknown, Partial<Template>, RegExp]>([
    ['no template is chosen', locator(''), {}, /^Choose a template/],
    ['nothing is there at all', undefined, {}, /^Choose a template/],
    [
      'the template comes from an expression',
      locator('={{ $json.template }}', 'id'),
      {},
      /expression.*"As JSON"/,
    ],
    ['there is no such template', locator('999'), {}, /no template with the ID 999/],
    [
      'the template has no parameters',
      locator('303'),
      {},
      /^No parameters.*"As JSON".*系统将于今晚/,
    ],
    [
      'the service states another number of parameters than its text shows',
      locator('301'),
      { param_count: 5 },
      /states 5 parameters.*shows 2 \(code, minutes\).*"As JSON".*您的验证码是/,
    ],
    [
      'the service states parameters and none is recognised',
      locator('301'),
      { content: 'Code: <1>', param_count: 1 },
      /states 1 parameters.*shows 0\..*"As JSON".*Code: &lt;1&gt;/,
    ],
  ])('are none, with a reason, where %s', async (_, templateId, change, reason) => {
    const { fields, emptyFieldsNotice } = await fieldsOf(templateId, change);
    expect(fields).toEqual([]);
    expect(emptyFieldsNotice).toMatch(reason);
  });

  test('are not touched when the service cannot tell: that is thrown', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'maintenance', times: 5 });
    await expect(fieldsOf(locator('301'))).rejects.toMatchObject({
      name: 'NodeApiError',
      message: expect.stringContaining('maintenance'),
    });
    gateway.fault({ kind: 'html' });
    await expect(fieldsOf(locator('301'))).rejects.toThrow('web page');
  });
});

describe('a send', () => {
  let schema: ResourceMapperField[];

  beforeEach(async () => {
    schema = (await fieldsOf(locator('301'))).fields;
    gateway.requests.length = 0;
  });

  const PHONES = ['13800138000', '13800138001', '13800138002'];

  async function send(parameters: IDataObject, items: IDataObject[], onError = 'stopWorkflow') {
    return await harness.execute(
      {
        resource: 'message',
        operation: 'sendTemplate',
        templateId: locator('301'),
        signatureId: locator('201'),
        phoneNumbers: '={{ $json.phone }}',
        ...parameters,
      } as INodeParameters,
      items.map((item, index) => ({ phone: PHONES[index] ?? null, ...item })),
      { node: { onError: onError as never } },
    );
  }

  const mapped = (value: IDataObject) => ({
    parameters: {
      mappingMode: 'defineBelow',
      value: { 'template text': '["as it was"]', ...value },
      schema,
    },
  });

  const automatic = (parameters: IDataObject = { schema }) => ({
    parameters: { mappingMode: 'autoMapInputData', value: null, ...parameters },
  });

  const sent = () =>
    gateway.requests.flatMap(
      ({ body }) =>
        (body as { messages: { phone_number: string; params: unknown }[] }).messages ?? [],
    );

  test('takes the mapped fields of each item, and nothing else', async () => {
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

  test('takes the parameters from the item itself in automatic mode', async () => {
    await send(automatic(), [{ code: '1', minutes: '5', order: 'not a parameter' }]);
    expect(sent()).toEqual([{ phone_number: PHONES[0], params: { code: '1', minutes: '5' } }]);
  });

  test('takes the names that a workflow made by hand gives', async () => {
    await send({ parameters: { mappingMode: 'defineBelow', value: { code: '1', minutes: '5' } } }, [
      {},
    ]);
    expect(sent()).toEqual([{ phone_number: PHONES[0], params: { code: '1', minutes: '5' } }]);
  });

  test('takes a template without parameters', async () => {
    const { json } = await send(
      {
        templateId: locator('303'),
        parameters: { mappingMode: 'defineBelow', value: {}, schema: [] },
      },
      [{}],
    );
    expect(json).toMatchObject([{ status: 'accepted' }]);
    expect(sent()).toEqual([{ phone_number: PHONES[0], params: {} }]);
  });

  test.each<[string, () => IDataObject, IDataObject, string]>([
    [
      'a field without value',
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
      'an item without the parameter, in automatic mode',
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
  ])('refuses %s, and only that item', async (_, parameters, item, message) => {
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

  test('refuses a name that the template does not have', async () => {
    const { error } = await send(mapped({ code: '1', minutes: '5', cod: '1' }), [{}]);
    expect(error?.message).toBe("The template has no parameter 'cod'");
    expect(error?.description).toContain('It has code, minutes.');
    expect(gateway.requests).toEqual([]);
  });

  test.each([
    ['is empty', { schema: [] }],
    ['is missing', {}],
  ])('refuses automatic mode where the list of parameters %s', async (_, parameters) => {
    const { error } = await send(automatic(parameters), [{ code: '1', minutes: '5' }]);
    expect(error?.message).toContain('parameters of the template are not known');
    expect(error?.description).toContain("'As JSON'");
    // As n8n names that mode, whatever the fields are called.
    expect(error?.description).toContain("'Map Each Column Manually'");
    expect(gateway.requests).toEqual([]);
  });

  test.each([
    ['the first', 0],
    ['in between', 1],
    ['the last', 2],
  ])('with other names in its JSON costs the others nothing: %s', async (_, place) => {
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
  });
});
