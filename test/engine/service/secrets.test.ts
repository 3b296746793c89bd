import type { IDataObject } from 'n8n-workflow';
import { CODE_AS_TEXT } from '../../sandbox/deviations';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway, RecordedRequest } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { useGateway } from '../harness/gateway';
import { byId } from '../harness/locators';
import { descriptionOf, people, TEMPLATE } from '../harness/sends';

/** Masking: the service quotes the secrets of a request in its messages and records. */

const SECRET = 'p@ss "word" ключ/密钥';
const KEY = 'account-key-0815';
const TOKEN = 'token-4711-abc';

/** The latest request signature (X-Sign). */
let signature = '';

const harness = useGateway({ apiKey: KEY, apiSecret: SECRET, authorizationToken: TOKEN });
const { gateway } = harness;

const QUOTE = `${KEY}${SECRET}, ${encodeURIComponent(SECRET)}, {"s":${JSON.stringify(SECRET)}}, ${TOKEN.toUpperCase()}`;

/** Answers with what `body` makes of a text with all secrets, also the request signature. */
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

/** @param others what must not be shown beside what is never shown: in errors, the key */
function expectNone(shown: unknown, others = [KEY]): void {
  const text = JSON.stringify(shown).toLowerCase();
  expect(text).toContain('[hidden]');
  const secrets = [...others, SECRET, TOKEN, encodeURIComponent(SECRET), signature];
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
      qualificationId: byId(101),
      additionalFields: {},
    },
  ],
];

describe.each(OPERATIONS)('masking: %s', (_, parameters) => {
  const runs = async () =>
    await Promise.all(
      (['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const).map(
        async (onError) =>
          await harness.execute(parameters as never, people(1), { node: { onError } }),
      ),
    );

  // Guess: secrets
  test.each([200, 400, 429, 500])(
    'no secret is in the message of a refusal, HTTP %d',
    async (status) => {
      quote((text) => ({ code: `no ${text}`, msg: `bad ${text}`, request_id: text }), status);
      if (status === 429) (parameters as { options?: object }).options = { maxRetries: 0 };
      for (const { run } of await runs()) expectNone(run);
    },
  );

  test('no secret is in the error about an answer of another shape', async () => {
    quote((text) => ({ code: 0, msg: text, [text]: text, list: text }));
    for (const { run, error } of await runs()) {
      expect(JSON.stringify(run)).not.toContain(TOKEN);
      expect(`${error?.message} ${descriptionOf(error)}`).not.toContain(KEY);
    }
  });
});

test('masking: no secret is in records, and their other values do not change', async () => {
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
  expectNone(run, []);
  expect(json).toMatchObject([
    { user_data: user, time: 1, content: expect.stringContaining(`Hi ${KEY}[hidden]`) },
  ]);
});

describe('masking: a key that is a word', () => {
  const WORD = 'exampletech';
  let named: Gateway;
  let execute: Harness['execute'];

  beforeAll(async () => {
    named = await startGateway({ apiKey: WORD });
    ({ execute } = await createHarness(named.credential()));
  });

  afterEach(() => named.reset());

  afterAll(() => named.close());

  const answer = (body: unknown, status = 200) => named.fault({ kind: 'status', status, body });

  // Guess: secrets
  test('is in replies and reports as the service sent it', async () => {
    const reply = { content: `thanks ${WORD}`, message: WORD, mobile: 13800138000, batch_id: 'b' };
    answer({ code: 0, data: [reply, { ...reply, content: `${WORD.toUpperCase()}!` }] });
    const { json } = await execute({ resource: 'reply', operation: 'pull', count: 2 });
    expect(json).toMatchObject([
      { content: 'thanks exampletech', message: 'exampletech' },
      { content: 'EXAMPLETECH!' },
    ]);
    answer([[{ content: `thanks ${WORD}`, message: WORD, mobile: 13800138000 }]]);
    const alone = await execute({ resource: 'reply', operation: 'pull', count: 1 });
    expect(alone.json).toMatchObject([{ content: 'thanks exampletech', message: 'exampletech' }]);
  });

  test('is in batch IDs and the names of templates', async () => {
    answer({ code: 0, batch_id: `${WORD}-17`, count: 1, msg: 'ok' });
    const { json } = await execute(TEMPLATE as never, people(1));
    expect(json).toMatchObject([{ status: 'accepted', batch_id: 'exampletech-17' }]);
    answer({ list: [{ id: 1, name: `Welcome to ${WORD}` }], total: 1, page: 1, page_size: 50 });
    const templates = await execute({ resource: 'template', operation: 'getAll', simplify: false });
    expect(templates.json).toMatchObject([{ name: 'Welcome to exampletech' }]);
  });

  test('is in an answer that cannot be read, and not where it is quoted as a header', async () => {
    named.fault({
      kind: 'html',
      body: `{"code":0,"data":[{"content":"thanks ${WORD}"},{"headers":"{\\"X-Api-Key\\":\\"${WORD}\\"}`,
    });
    const { createPoller } = await createHarness(named.credential());
    const poller = createPoller({ events: ['reply'] });
    await poller.tick();
    const [unreadable] = poller.executions.flat();
    expect(unreadable?.answer).toContain('thanks exampletech');
    expect(unreadable?.answer).toContain('X-Api-Key\\":\\"[hidden]');
    await poller.deactivate();
  });

  test('is masked in errors, and where an answer repeats the headers of its request', async () => {
    const headers = { 'x-api-key': WORD, HTTP_X_API_KEY: [WORD] };
    answer({ code: 7, msg: `no account ${WORD}`, request_id: WORD, data: { headers } }, 400);
    const { run, error } = await execute({ resource: 'balance', operation: 'get' });
    expect(error?.message).toContain('no account [hidden]');
    expect(JSON.stringify(run)).not.toContain(WORD);
    answer([[{ code: 7, msg: `no account ${WORD}` }]]);
    const inArrays = await execute({ resource: 'balance', operation: 'get' });
    expect(inArrays.error?.message).toContain('no account [hidden]');
    expect(JSON.stringify(inArrays.run)).not.toContain(WORD);
    answer({ code: 0, data: [{ content: 'Hi', mobile: 1, note: `x-api-key: ${WORD}`, headers }] });
    const { json } = await execute({ resource: 'reply', operation: 'pull', count: 1 });
    expect(json).toMatchObject([
      {
        note: 'x-api-key: [hidden]',
        headers: { 'x-api-key': '[hidden]', HTTP_X_API_KEY: ['[hidden]'] },
      },
    ]);
  });
});

test('masking: no secret is in the result of the credential test', async () => {
  quote((text) => ({ code: `x${text}`, msg: text }));
  expectNone(await harness.testCredential());
});

test('masking: a short key is masked only as a whole word, and not in records', async () => {
  const short = await startGateway({ apiKey: '138', apiSecret: 'ab' });
  const { execute } = await createHarness(short.credential());
  short.fault({ kind: 'businessCode', code: 7, msg: 'key 138 about 13800138000' });
  const refused = await execute({ resource: 'balance', operation: 'get' });
  expect(refused.error?.message).toContain('key [hidden] about 13800138000');
  short.queueReports(1);
  const { json } = await execute({ resource: 'deliveryReport', operation: 'pull', count: 1 });
  expect(json).toMatchObject([{ batch_id: 'made-up-1', phone_number: '13900000001' }]);
  await short.close();
});

test('masking: a code is never masked, also when it equals the key', async () => {
  const numeric = await startGateway({
    apiKey: '0',
    apiSecret: '9000',
    deviations: [CODE_AS_TEXT],
  });
  const { execute } = await createHarness(numeric.credential());
  expect((await execute({ resource: 'balance', operation: 'get' })).json).toMatchObject([
    { code: '0' },
  ]);
  numeric.fault({ kind: 'businessCode', code: 9000, msg: 'no' });
  const { error } = await execute({ resource: 'balance', operation: 'get' });
  expect(error?.message).toContain('no (code 9000)');
  await numeric.close();
});

test('masking: a key that is a phone number is not masked in the reports of that phone', async () => {
  const own = await startGateway({ apiKey: '13900000001' });
  const { execute } = await createHarness(own.credential());
  own.queueReports(1);
  const { json } = await execute({ resource: 'deliveryReport', operation: 'pull', count: 1 });
  expect(json).toMatchObject([{ phone_number: '13900000001' }]);
  own.fault({ kind: 'businessCode', code: 7, msg: 'account 13900000001 is locked' });
  const { error } = await execute({ resource: 'balance', operation: 'get' });
  expect(error?.message).toContain('account [hidden] is locked');
  await own.close();
});
