import type { INodeParameters } from 'n8n-workflow';
import { useGateway } from '../harness/gateway';
import { byId } from '../harness/locators';

const { gateway, execute } = useGateway();

describe('a value that cannot be used is an error that names the field, before any request', () => {
  const update = { resource: 'lead', operation: 'update', leadId: byId(402) };
  const cases: [string, INodeParameters, RegExp][] = [
    [
      'no record',
      { resource: 'template', operation: 'get', templateId: byId('={{ "" }}') },
      /'Template' is empty/,
    ],
    [
      'an ID that is no number',
      { resource: 'template', operation: 'delete', templateId: byId('={{ "all" }}') },
      /'Template' must be a whole number of 1 or more/,
    ],
    [
      'the ID 0',
      { resource: 'template', operation: 'delete', templateId: byId(0) },
      /'Template' must be a whole number of 1 or more/,
    ],
    [
      'a required text that is empty',
      { resource: 'template', operation: 'create', name: ' ', content: 'c' },
      /'Name' is empty/,
    ],
    [
      'an expression without a value',
      { ...update, updateFields: { domain: '={{ $json.nothing }}' } },
      /'Domain' has no value/,
    ],
    [
      'an object as text',
      { ...update, updateFields: { domain: '={{ {a: 1} }}' } },
      /'Domain' must be text, not an object/,
    ],
    [
      'a fraction as code',
      { ...update, updateFields: { isFinancialLending: 0.5 } },
      /'Financial Lending' must be a whole number, not the number 0.5/,
    ],
    [
      'a word as code',
      { ...update, updateFields: { isFinancialLending: 'yes' } },
      /'Financial Lending' must be a whole number, not the text "yes"/,
    ],
    [
      'a boolean as code',
      { ...update, updateFields: { isFinancialLending: '={{ true }}' } },
      /'Financial Lending' must be a whole number, not the boolean true/,
    ],
    [
      'an expression without a code',
      { ...update, updateFields: { isFinancialLending: '={{ $json.nothing }}' } },
      /'Financial Lending' is empty/,
    ],
    [
      'a filter without a value',
      { resource: 'lead', operation: 'getAll', filters: { queryUrl: '={{ $json.nothing }}' } },
      /'URL' has no value/,
    ],
    ['nothing to update', { ...update, updateFields: {} }, /'Update Fields' is empty/],
    [
      'nothing to update but a code that was added and not set',
      { ...update, updateFields: { isFinancialLending: '' } },
      /'Update Fields' is empty/,
    ],
    [
      'a limit of 0',
      { resource: 'lead', operation: 'getAll', limit: 0 },
      /'Limit' must be a whole number of 1 or more/,
    ],
  ];

  test.each(cases)('%s', async (_, parameters, text) => {
    const { error } = await execute(parameters);
    expect(error?.message).toMatch(text);
    expect((error as { description?: string }).description).toMatch(/\S/);
    expect(gateway.requests).toHaveLength(0);
  });
});

// Guess: lead-codes
describe('a code, whose values are not documented', () => {
  const create = { resource: 'lead', operation: 'create', signatureId: byId(201) };
  const bodies = () => gateway.requests.map(({ body }) => body);

  test('is not in the request when its field was added and not set', async () => {
    const { error } = await execute({
      ...create,
      additionalFields: { isFinancialLending: '', reportType: '={{ "" }}', url: '' },
    });
    expect(error).toBeUndefined();
    expect(bodies()).toEqual([{ sign_id: 201, url: '' }]);
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
    expect(bodies()).toEqual([{ sign_id: 201, report_type: sent }]);
  });
});
