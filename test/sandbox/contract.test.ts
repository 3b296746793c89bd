import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { CODES } from './codes';
import { contractOperations, contractSchemas } from './contract';
import { call, templateSend } from './rawClient';
import { startForTest } from './startForTest';
import { routes } from './routes';

const SEND = '/sendsms/template/send';
const PULL = '/sendsms/mo/pull';
const DELETE = '/openapi/cert/delete';

describe('openapi.yaml', () => {
  it('is valid OpenAPI 3.1', () => {
    // jest cannot load the validator, which is an ES module. So the test runs its command.
    const validator = require.resolve('@seriousme/openapi-schema-validator');
    const cli = join(validator, '..', 'bin', 'validate-api-cli.js');
    const args = [cli, join(__dirname, 'openapi.yaml')];
    const output = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ valid: true });
  });

  it('has the same paths as the gateway', () => {
    const paths = contractOperations().map(({ path }) => path);
    expect(paths.sort()).toEqual([...routes.keys()].sort());
  });

  it('requires every field of a record: the specification calls none of them optional', () => {
    const records = Object.values(contractSchemas()).filter(({ title }) => title);
    expect(records).not.toEqual([]);
    for (const { title, required = [], properties = {} } of records) {
      expect([title, ...required].sort()).toEqual([title, ...Object.keys(properties)].sort());
    }
  });
});

const to = (message: object) => ({ ...templateSend(), messages: [message] });

it.each<[string, string, unknown, ...string[]]>([
  ['text for a number', DELETE, { id: '1' }, 'body/id: must be integer'],
  ['a fraction', DELETE, { id: 1.5 }, 'body/id: must be integer'],
  [
    'a number for text',
    SEND,
    to({ phone_number: '13800138000', params: { code: 1 } }),
    'body/messages/0/params/code: must be string',
  ],
  ['a missing field', PULL, {}, "body: must have required property 'count'"],
  ['none inside', SEND, to({}), "body/messages/0: must have required property 'phone_number'"],
  ['a number below its limit', PULL, { count: 0 }, 'body/count: must be >= 1'],
  ['an unknown field', '/sendsms/balance', { a: 1 }, 'body: unknown field "a"'],
  [
    'an unknown field inside',
    SEND,
    to({ phone_number: '13800138000', name: 'x' }),
    'body/messages/0: unknown field "name"',
  ],
  [
    'a field that only the service sets',
    '/openapi/lead/create',
    { sign_id: 201, url: 'x', report_info: {} },
    'body: unknown field "report_info"',
  ],
  ['an array', '/sendsms/balance', [], 'body: must be object'],
  ['invalid JSON', PULL, Buffer.from('{"count":1'), 'body: not JSON in UTF-8'],
  ['invalid UTF-8', PULL, Buffer.from([0x22, 0xff, 0x22]), 'body: not JSON in UTF-8'],
  ['nothing', PULL, Buffer.of(), 'body: not JSON in UTF-8'],
  ['a query in the URL', '/sendsms/balance?a=1', {}, 'the URL has a query'],
])('a body with %s is refused and noted', async (_name, path, body, problem) => {
  const gateway = await startForTest();
  const rawBody = Buffer.isBuffer(body) ? body : undefined;
  const { json } = await call(gateway, path, body, { rawBody });
  expect(json).toMatchObject({ code: CODES.badBody });
  expect(gateway.violations).toEqual([`request ${path.split('?')[0]} ${problem}`]);
  expect(gateway.deliveries().size).toBe(0);
});

it.each<[string, Record<string, string | undefined>, number]>([
  ['content-type', { 'content-type': undefined }, 415],
  ['content-type', { 'content-type': 'text/plain' }, 415],
  ['content-type', { 'content-type': 'application/json; charset=gbk' }, 415],
  ['x-nonce', { 'x-nonce': undefined }, 200],
  ['x-sign', { 'x-sign': '0A'.repeat(32) }, 200],
  ['x-timestamp', { 'x-timestamp': '1700000000000' }, 200],
])('the header %s is noted where it is %j', async (name, headers, status) => {
  const gateway = await startForTest();
  expect((await call(gateway, PULL, { count: 1 }, { headers })).status).toBe(status);
  expect(gateway.violations).toEqual([expect.stringMatching(`^request ${PULL} headers.*${name}`)]);
});

it('takes JSON in UTF-8, by POST, at known paths', async () => {
  const gateway = await startForTest();
  const headers = { 'content-type': 'application/json;charset=UTF-8' };
  expect((await call(gateway, '/sendsms/balance', {}, { headers, rawBody: '' })).status).toBe(200);
  expect(gateway.violations).toEqual([]);
  const get = await call(gateway, SEND, {}, { method: 'GET' });
  expect([get.status, get.headers.allow]).toEqual([405, 'POST']);
  expect((await call(gateway, '/sendsms/balances')).status).toBe(404);
});

it('notes answers of its own that violate the contract', async () => {
  const gateway = await startForTest();
  gateway.state.balance = 0.5;
  Object.assign(gateway.state.leads.get(401) ?? {}, { extra: 1, url: undefined });
  await call(gateway, '/sendsms/balance');
  await call(gateway, '/openapi/lead/info');
  expect(gateway.violations).toEqual([
    'answer /sendsms/balance body/balance: must be integer',
    "answer /openapi/lead/info body/0/0/list/0: must have required property 'url'",
    'answer /openapi/lead/info body/0/0/list/0: unknown field "extra"',
  ]);
});
