import type { INodeParameters } from 'n8n-workflow';
import type { Gateway } from '../../sandbox/gateway';
import { CREDENTIAL } from '../harness';
import type { Harness } from '../harness';
import { shareGateway } from '../harness/gateway';
import { descriptionOf, people, TEMPLATE } from '../harness/sends';

/** What an answer means, whatever the operation. */

const BALANCE = { resource: 'balance', operation: 'get' };

let gateway: Gateway;
let harness: Harness;
let execute: Harness['execute'];

shareGateway((world) => {
  ({ gateway, ...harness } = world);
  ({ execute } = harness);
});

test.each([200, 201, 202, 203, 205, 206, 299])(
  'a code other than 0 is a refusal with HTTP %d',
  async (status) => {
    gateway.fault({ kind: 'status', status, body: { code: 9000, msg: 'no' } });
    const { error } = await execute(BALANCE);
    expect(error?.message).toBe('The service refused the request: no (code 9000)');
  },
);

test.each([
  [400, 'Nothing was changed. Check the values'],
  [401, 'Nothing was changed. Check API Key and API Secret'],
  [403, 'Nothing was changed. Check API Key and API Secret'],
  [404, "Check the credential's Base URL"],
  [422, 'Nothing was changed. Check the values'],
])('the advice after HTTP %d begins with "%s"', async (status, advice) => {
  gateway.fault({ kind: 'status', status });
  const { error } = await execute(BALANCE);
  expect(descriptionOf(error).slice(0, advice.length)).toBe(advice);
});

test('JSON is read whatever the Content-Type says', async () => {
  gateway.fault({ kind: 'html', body: '{"code":0,"msg":"","balance":7}' });
  const { json } = await execute(BALANCE);
  expect(json).toEqual([{ code: 0, msg: '', balance: 7 }]);
});

test.each<[string, number, INodeParameters]>([
  ['a send', 30_000, TEMPLATE],
  ['a list', 30_000, { resource: 'template', operation: 'getAll' }],
  ['a change', 30_000, { resource: 'signature', operation: 'create', name: 'n' }],
  ['a pull', 15_000, { resource: 'reply', operation: 'pull' }],
])('the time to wait for %s is %d ms', async (_, timeout, parameters) => {
  const { type } = harness.loader.getCredential(CREDENTIAL);
  const authenticate = jest.spyOn(type, 'authenticate' as never);
  await execute(parameters, people(1));
  const [call] = authenticate.mock.calls as unknown as [unknown, unknown][];
  authenticate.mockRestore();
  expect(call?.[1]).toMatchObject({ timeout });
});
