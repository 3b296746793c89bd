import type { INodeParameters } from 'n8n-workflow';
import type { Gateway } from '../../sandbox/gateway';
import type { Harness } from '../harness';
import { shareGateway } from '../harness/gateway';
import { byId } from '../harness/locators';

let gateway: Gateway;
let execute: Harness['execute'];

shareGateway((world) => {
  ({ gateway, execute } = world);
});

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
      'a filter without a value',
      { resource: 'lead', operation: 'getAll', filters: { queryUrl: '={{ $json.nothing }}' } },
      /'URL' has no value/,
    ],
    ['nothing to update', { ...update, updateFields: {} }, /'Update Fields' is empty/],
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
