import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createHarness } from '../../kit/engine';
import type { ExecuteOptions } from '../../kit/engine';
import { useGateway } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';
import { CONTINUE, people, TEMPLATE, withOptions } from '../../kit/engine/sends';

/** A run that fails before any request: no item leaves on the success output. */

const { gateway } = useGateway({ check: ({ requests }) => expect(requests).toHaveLength(0) });

const LIST = { resource: 'template', operation: 'getAll', returnAll: true };
const BALANCE = { resource: 'balance', operation: 'get' };

const CASES: [string, IDataObject, INodeParameters, RegExp][] = [
  ['a credential without secret', { apiSecret: '' }, TEMPLATE, /no API Secret/],
  [
    'a timeout without a value',
    {},
    withOptions({ timeout: '={{ $json.none }}' }),
    /'Timeout' has no value/,
  ],
  ['a credential without secret, of a list', { apiSecret: '' }, LIST, /no API Secret/],
  ['plain http, of the balance', { baseUrl: 'http://sms.example.com' }, BALANCE, /plain http/],
  ['an operation that does not exist', {}, { resource: 'message', operation: 'x' }, /no operation/],
];

test.each(CASES)('%s stops the run, or is the error of every item', async (_, change, ...given) => {
  const [parameters, text] = given;
  const { execute } = await createHarness({ ...gateway.credential(), ...change });
  expect((await execute(parameters, people(3))).error?.message).toMatch(text);
  for (const [branch, onError] of ['continueRegularOutput', 'continueErrorOutput'].entries()) {
    const node = { onError } as ExecuteOptions['node'];
    const { output, error } = await execute(parameters, people(3), { node });
    expect(error).toBeUndefined();
    const failed = [0, 1, 2].map((item) => ({
      json: { error: expect.stringMatching(text) },
      pairedItem: { item },
    }));
    expect(output).toMatchObject(branch === 0 ? [failed] : [[], failed]);
  }
});

test('the outcome of each message is rejected: it was not sent', async () => {
  const { execute } = await createHarness({ ...gateway.credential(), apiSecret: '' });
  const items = [...people(1), { phone: 'x', code: '1' }];
  const { json } = await execute(TEMPLATE, items, CONTINUE);
  expect(json).toMatchObject([
    { status: 'rejected', msg: 'The credential has no API Secret', phone_numbers: ['13810000000'] },
    { status: 'rejected', phone_numbers: ['x'] },
  ]);
});

test('the error of an item that cannot be read names the item', async () => {
  const { execute } = await createHarness(gateway.credential());
  const parameters = {
    resource: 'template',
    operation: 'get',
    templateId: byId('={{ $json.id }}'),
  };
  const { error } = await execute(parameters, [{ id: '' }]);
  expect(error).toMatchObject({ context: { itemIndex: 0 } });
});
