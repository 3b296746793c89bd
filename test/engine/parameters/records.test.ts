import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useGateway } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';
import { descriptionOf } from '../../kit/engine/sends';

const { gateway, execute } = useGateway();

/** The body of the request that is made for an item, or the message of the error. */
async function bodyOf(parameters: IDataObject, item: IDataObject = {}) {
  const { error } = await execute(parameters as INodeParameters, [item]);
  const [request] = gateway.requests.splice(0);
  if (!error) return request?.body as IDataObject;
  expect(request).toBeUndefined();
  return { message: error.message, description: descriptionOf(error) };
}

const qualification = (additionalFields: IDataObject) => ({
  resource: 'qualification',
  operation: 'create',
  name: 'n',
  companyName: 'c',
  additionalFields,
});

const template = (content: string) => ({
  resource: 'template',
  operation: 'create',
  name: 'n',
  content,
});

const lead = (additionalFields: IDataObject) => ({
  resource: 'lead',
  operation: 'create',
  signatureId: byId(201),
  url: 'x',
  additionalFields,
});

const get = (id: string | number) => ({
  resource: 'template',
  operation: 'get',
  templateId: byId(id),
});

const update = (updateFields: IDataObject) => ({
  resource: 'template',
  operation: 'update',
  templateId: byId(301),
  updateFields,
});

const leads = (filters: IDataObject) => ({ resource: 'lead', operation: 'getAll', filters });

describe('a text of a record is read as one of a message', () => {
  const REFUSED: [IDataObject, IDataObject, message: string, description?: string][] = [
    // An identity number that came as a number has lost its last digits.
    [
      qualification({ legalPersonCertificate: '={{ $json.id }}' }),
      { id: Number('110101199003078515') },
      "'Representative ID Number' must be text, not the number 110101199003078",
      'Let the step before give it as text',
    ],
    [qualification({ operator: '={{ $json.ok }}' }), { ok: true }, 'must be text, not the boolean'],
    [qualification({ operator: '=Li {{ $json.x }}' }), {}, "'Handler' has no value", "|| ''"],
    [
      template('您的订单{{ $json.order }}已发货'),
      {},
      'is not evaluated',
      'from Fixed to Expression',
    ],
    ...['{{ $now }}', '{{$vars.shop}}', '{{ new Date() }}', '{{name}} {{ a.b() }}'].map(
      (content): (typeof REFUSED)[number] => [template(content), {}, 'is not evaluated'],
    ),
    [template('={{ $json.text }}'), {}, "'Content' has no value", 'another text'],
    [update({ remark: '={{ $json.x }}' }), {}, "'Remark' has no value", 'To clear the field'],
    [leads({ queryUrl: '={{ $json.x }}' }), {}, "'URL' has no value", 'Take the filter away'],
    // Without the filter, everything would be listed: nothing is meant by an empty one.
    [leads({ queryUrl: "={{ $json.x || '' }}" }), {}, "'URL' has no value", 'Take the filter away'],
    [leads({ signatureId: byId('={{ $json.x }}') }), {}, "'Signature' has no value", 'filter away'],
    [leads({ queryUrl: '{{ $json.x }}' }), {}, 'is not evaluated'],
    [update({ type: '={{ $json.x }}' }), {}, "'Type' has no value"],
    [
      update({ type: '={{ $json.x }}' }),
      { x: 'a' },
      '\'Type\' must be a whole number, not the text "a": {{ $json.x }}',
    ],
    [{ ...leads({}), filters: '={{ $json.f }}' }, { f: {} }, "'Filters' must not be an expression"],
    [{ ...update({}), updateFields: '={{ 1 }}' }, {}, "'Update Fields' must not be an expression"],
    [get('={{ "" }}'), {}, "'Template' has no value"],
    [get('all'), {}, "'Template' must be a whole number of 1 or more"],
    [get(0), {}, "'Template' must be a whole number of 1 or more"],
    [{ ...template('c'), name: ' ' }, {}, "'Name' is empty"],
    [update({ remark: '={{ {a: 1} }}' }), {}, "'Remark' must be text, not an object"],
    [update({ type: 0.5 }), {}, "'Type' must be a whole number, not the number 0.5"],
    [update({ type: '={{ true }}' }), {}, "'Type' must be a whole number, not the boolean true"],
    [update({}), {}, "'Update Fields' is empty"],
    // A code that was added and not set.
    [update({ type: '' }), {}, "'Update Fields' is empty"],
    [{ ...leads({}), limit: 0 }, {}, "'Limit' must be a whole number of 1 or more"],
  ];

  test.each(
    REFUSED.map(([node, item, message, advice = '.']) => [node, item, message, advice] as const),
  )('refused before any request: %j of %j: %s', async (parameters, item, message, description) => {
    expect(await bodyOf(parameters, item)).toEqual({
      message: expect.stringContaining(message),
      description: expect.stringContaining(description),
    });
  });

  test.each<[IDataObject, IDataObject, body: IDataObject]>([
    // The provider's own placeholders are no codes.
    [
      template('{{ name }} ($5)您的验证码是{{code}}'),
      {},
      { content: '{{ name }} ($5)您的验证码是{{code}}' },
    ],
    // In an update an empty text clears its field, in a create it is left out.
    [update({ remark: '' }), {}, { remark: '' }],
    [update({ remark: "={{ $json.x || '' }}" }), {}, { remark: '' }],
    [update({ remark: 'r', type: '' }), {}, { remark: 'r' }],
    // Guess: id-0
    [update({ leadId: byId(0) }), {}, { lead_id: 0 }],
    [qualification({ operator: "={{ $json.x || '' }}" }), {}, { name: 'n', company_name: 'c' }],
    [leads({ queryUrl: '' }), {}, { page: 1, page_size: 50 }],
    // The values of a code are not documented. Added and not set, it is not in the request.
    [
      lead({ isFinancialLending: '', reportType: '={{ $json.none || "" }}', domain: '' }),
      {},
      { sign_id: 201, url: 'x' },
    ],
    // As 0.1.0 saved it, and as text.
    ...[0, 5, '0', ' 12 ', '-1', '={{ 3 }}', '={{ "4" }}'].map(
      (reportType): [IDataObject, IDataObject, IDataObject] => {
        const sent = Number(String(reportType).replace(/[^-\d]/g, ''));
        return [lead({ reportType }), {}, { sign_id: 201, url: 'x', report_type: sent }];
      },
    ),
  ])('sent: %j of %j: %j', async (parameters, item, body) => {
    const { id, ...sent } = (await bodyOf(parameters, item)) as IDataObject;
    if (parameters.operation === 'update') expect(id).toBe(301);
    if (parameters.resource === 'template') expect(sent).toMatchObject(body);
    else expect(sent).toEqual(body);
  });
});

describe('a list of texts', () => {
  const [A, B] = ['https://example.com/a?x=1,2;3', 'https://example.com/b'];

  test('that is emptied in an update clears its field', async () => {
    const record = { resource: 'qualification', qualificationId: byId(101) };
    const body = await bodyOf({ ...record, operation: 'update', updateFields: { moreData: '' } });
    expect(body).toEqual({ id: 101, more_data: [] });
  });

  test.each<[string, IDataObject, string[]]>([
    [`${A}\n ${B}\n\n`, {}, [A, B]],
    [`${A}, ${B}`, {}, [A, B]],
    [`${A}；${B}`, {}, [A, B]],
    [`${A} ${B}、${B} | HTTPS://c.example`, {}, [A, B, B, 'HTTPS://c.example']],
    [`Our shop: ${A}\n${B}`, {}, [`Our shop: ${A}`, B]],
    ['={{ $json.list }}', { list: [A, B] }, [A, B]],
    ['={{ $json.list }}', { list: JSON.stringify([A, B]) }, [A, B]],
    ['={{ $json.a }}\n{{ $json.b }}', { a: A, b: B }, [A, B]],
  ])('%j of %j is %j', async (moreData, item, list) => {
    expect(await bodyOf(qualification({ moreData }), item)).toMatchObject({ more_data: list });
  });

  test.each<[string, IDataObject, string]>([
    ['={{ $json.list }}', { list: [A, null] }, 'has no value'],
    ['={{ $json.list }}', { list: [A, { url: B }] }, 'must be text, not an object'],
    ['={{ $json.list }}', { list: { a: A } }, 'must be text, not an object'],
    ['={{ $json.list }}', {}, 'has no value'],
    ['={{ $json.list }}\nx', { list: [A] }, 'must be text, not an array'],
  ])('%j of %j is refused', async (moreData, item, message) => {
    expect(await bodyOf(qualification({ moreData }), item)).toMatchObject({
      message: expect.stringContaining(`'Supporting Files' ${message}`),
    });
  });
});
