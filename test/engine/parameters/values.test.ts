import { Expression } from 'n8n-workflow';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useGateway } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';
import { descriptionOf } from '../../kit/engine/sends';

const { gateway, execute, callTool } = useGateway();

describe('a value that cannot be used is an error that names the field, before any request', () => {
  const getTemplate = { resource: 'template', operation: 'get' };
  const getLeads = { resource: 'lead', operation: 'getAll' };
  const update = { resource: 'lead', operation: 'update', leadId: byId(402) };
  const text = (domain: string) => ({ ...update, updateFields: { domain } });
  const code = (isFinancialLending: string | number) => ({
    ...update,
    updateFields: { isFinancialLending },
  });

  test.each<[string, INodeParameters]>([
    ["'Template' has no value", { ...getTemplate, templateId: byId('={{ "" }}') }],
    ["'Template' must be a whole number of 1 or more", { ...getTemplate, templateId: byId('all') }],
    ["'Template' must be a whole number of 1 or more", { ...getTemplate, templateId: byId(0) }],
    ["'Name' is empty", { resource: 'template', operation: 'create', name: ' ', content: 'c' }],
    ["'Domain' must be text, not an object", text('={{ {a: 1} }}')],
    ["'Financial Lending' must be a whole number, not the number 0.5", code(0.5)],
    ["'Financial Lending' must be a whole number, not the boolean true", code('={{ true }}')],
    ["'Update Fields' is empty", { ...update, updateFields: {} }],
    // A code that was added and not set.
    ["'Update Fields' is empty", code('')],
    ["'Limit' must be a whole number of 1 or more", { ...getLeads, limit: 0 }],
  ])('%s: %j', async (message, parameters) => {
    const { error } = await execute(parameters);
    expect(error?.message).toContain(message);
    expect(descriptionOf(error)).toMatch(/\S/);
    expect(gateway.requests).toHaveLength(0);
  });
});

describe('a code, whose values are not documented', () => {
  const create = { resource: 'lead', operation: 'create', signatureId: byId(201), url: 'x' };
  const bodies = () => gateway.requests.map(({ body }) => body);

  test('is not in the request when its field was added and not set', async () => {
    const { error } = await execute({
      ...create,
      additionalFields: {
        isFinancialLending: '',
        reportType: '={{ $json.none || "" }}',
        domain: '',
      },
    });
    expect(error).toBeUndefined();
    expect(bodies()).toEqual([{ sign_id: 201, url: 'x' }]);
  });

  test.each([
    ['0', 0],
    [' 12 ', 12],
    ['-1', -1],
    ['={{ 3 }}', 3],
    ['={{ "4" }}', 4],
    // As 0.1.0 saved it.
    [0, 0],
    [5, 5],
  ])('may be %p', async (reportType, sent) => {
    await execute({ ...create, additionalFields: { reportType } });
    expect(bodies()).toEqual([{ sign_id: 201, url: 'x', report_type: sent }]);
  });
});

/** Items of paths. That a value is the one that n8n gives is searched in `test/search/expressions.test.ts`. */
const people: IDataObject[] = Array.from({ length: 10 }, (_, index) => ({
  phone: `138${10_000_000 + index}`,
  'a b': index,
}));

test('a run with paths and constants only asks no engine', async () => {
  const engine = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
  const parameters = {
    ...{ resource: 'message', operation: 'sendCustom', signatureId: byId(201), content: 'c' },
    phoneNumbers: '={{ $json.phone }}',
    options: { userData: '=order-{{ $json["a b"] }}' },
  };
  const { json } = await execute(parameters, people);
  expect(json.map(({ status }) => status)).toEqual(Array(10).fill('accepted'));
  const expressions = engine.mock.calls.filter(([value]) => String(value).includes('$json'));
  expect(expressions).toEqual([]);
});

test('a path in a tool of an AI agent leads into the item of the agent, as in any other expression', async () => {
  const bodiesOf = async (phoneNumbers: string) => {
    const parameters = {
      ...{ resource: 'message', operation: 'sendCustom', signatureId: byId(201) },
      ...{ content: "={{ $fromAI('phone') }}", phoneNumbers },
    };
    const call = { phone: '13800138000' };
    const item = { phone: '13900139000' };
    await callTool('test.chainAgent', parameters as never, [call], { item });
    return gateway.requests.splice(0).map(({ body }) => body);
  };
  const bodies = await bodiesOf('={{ $json.phone }}');
  expect(bodies).toMatchObject([{ phone_numbers: ['13900139000'] }]);
  expect(bodies).toEqual(await bodiesOf('={{ $json.phone.trim() }}'));
});
