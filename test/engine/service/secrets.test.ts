import type { IDataObject } from 'n8n-workflow';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway, RecordedRequest } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { people, TEMPLATE } from '../harness/sends';

/** A service that quotes what a request was signed with, in its words and in its data. */

const SECRET = 'p@ss "word" ключ/密钥';
const KEY = 'account-key-0815';
const TOKEN = 'token-4711-abc';

let gateway: Gateway;
let harness: Harness;
/** X-Sign of the request at hand. */
let signature = '';

beforeAll(async () => {
  gateway = await startGateway({ apiKey: KEY, apiSecret: SECRET, authorizationToken: TOKEN });
  harness = await createHarness(gateway.credential() as never);
});

beforeEach(() => gateway.reset());

afterAll(() => gateway.close());

const QUOTE = `${KEY}${SECRET}, ${encodeURIComponent(SECRET)}, {"s":${JSON.stringify(SECRET)}}, ${TOKEN.toUpperCase()}`;

/** Answers with what `body` makes of a text that has all secrets, the signature too. */
function quote(body: (quoted: string) => unknown, status = 200): void {
  const fault = { kind: 'status' as const, status, times: Infinity, body: {} as unknown };
  gateway.fault({
    ...fault,
    match: ({ headers }: RecordedRequest) => {
      signature = String(headers['x-sign']);
      fault.body = body(`${QUOTE} ${signature}`);
      return true;
    },
    get body() {
      return fault.body;
    },
  });
}

function expectNone(shown: unknown): void {
  const text = JSON.stringify(shown).toLowerCase();
  expect(text).toContain('[hidden]');
  const secrets = [KEY, SECRET, TOKEN, encodeURIComponent(SECRET), signature];
  for (const secret of [...secrets, JSON.stringify(SECRET).slice(1, -1)]) {
    expect(text).not.toContain(secret.toLowerCase());
    expect(text).not.toContain(JSON.stringify(secret).slice(1, -1).toLowerCase());
  }
}

const OPERATIONS: [string, IDataObject][] = [
  ['a send', TEMPLATE as never],
  ['the balance', { resource: 'balance', operation: 'get' }],
  ['a pull', { resource: 'reply', operation: 'pull', count: 10 }],
  ['a list', { resource: 'template', operation: 'getAll', returnAll: true, filters: {} }],
  [
    'a creation',
    {
      resource: 'signature',
      operation: 'create',
      name: 'S',
      qualificationId: { __rl: true, mode: 'id', value: '101' },
      additionalFields: {},
    },
  ],
];

describe.each(OPERATIONS)('%s shows no secret', (_, parameters) => {
  const runs = async () =>
    await Promise.all(
      (['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const).map(
        async (onError) =>
          await harness.execute(parameters as never, people(1), { node: { onError } }),
      ),
    );

  test.each([200, 400, 429, 500])('in the words of a refusal, HTTP %d', async (status) => {
    quote((text) => ({ code: `no ${text}`, msg: `bad ${text}`, request_id: text }), status);
    if (status === 429) (parameters as { options?: object }).options = { maxRetries: 0 };
    for (const { run } of await runs()) expectNone(run);
  });

  test('in an answer that is not what it should be', async () => {
    quote((text) => ({ code: 0, msg: text, [text]: text, list: text }));
    for (const { run } of await runs()) expect(JSON.stringify(run)).not.toContain(KEY);
  });
});

test('records show no secret, and keep all else as it is', async () => {
  const user = 'ab'.repeat(32);
  quote((text) => ({
    code: 0,
    data: [{ content: `Hi ${text}`, user_data: user, time: 1, deep: [{ a: text }] }],
  }));
  const { json, run } = await harness.execute({
    resource: 'deliveryReport',
    operation: 'pull',
    count: 10,
  });
  expectNone(run);
  expect(json).toMatchObject([{ user_data: user, time: 1 }]);
});

test('the credential test shows no secret', async () => {
  quote((text) => ({ code: `x${text}`, msg: text }));
  expectNone(await harness.testCredential());
});

test('a short key is masked in words where it stands alone, and never in records', async () => {
  const short = await startGateway({ apiKey: '138', apiSecret: 'ab' });
  const { execute } = await createHarness(short.credential() as never);
  short.fault({ kind: 'businessCode', code: 7, msg: 'key 138 about 13800138000' });
  const refused = await execute({ resource: 'balance', operation: 'get' });
  expect(refused.error?.message).toContain('key [hidden] about 13800138000');
  short.queueReports(1);
  const { json } = await execute({ resource: 'deliveryReport', operation: 'pull', count: 1 });
  expect(json).toMatchObject([{ batch_id: 'made-up-1', phone_number: '13900000001' }]);
  await short.close();
});

test('a code is a code, whatever the key is', async () => {
  const numeric = await startGateway({ apiKey: '0', apiSecret: '9000', codeAsText: true });
  const { execute } = await createHarness(numeric.credential() as never);
  expect((await execute({ resource: 'balance', operation: 'get' })).json).toMatchObject([
    { code: '0' },
  ]);
  numeric.fault({ kind: 'businessCode', code: 9000, msg: 'no' });
  const { error } = await execute({ resource: 'balance', operation: 'get' });
  expect(error?.message).toContain('no (code 9000)');
  await numeric.close();
});

test('an account whose key is a phone number still sees the reports of that phone', async () => {
  const own = await startGateway({ apiKey: '13900000001' });
  const { execute } = await createHarness(own.credential() as never);
  own.queueReports(1);
  const { json } = await execute({ resource: 'deliveryReport', operation: 'pull', count: 1 });
  expect(json).toMatchObject([{ phone_number: '13900000001' }]);
  own.fault({ kind: 'businessCode', code: 7, msg: 'account 13900000001 is locked' });
  const { error } = await execute({ resource: 'balance', operation: 'get' });
  expect(error?.message).toContain('account [hidden] is locked');
  await own.close();
});
