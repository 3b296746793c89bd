import type { INodeParameters } from 'n8n-workflow';
import { readAnswer } from '../../../nodes/SmsMessagingService/service/answer';
import type { Exchange, Unanswered } from '../../../nodes/SmsMessagingService/service/answer';
import type { Purpose } from '../../../nodes/SmsMessagingService/service/answerMeaning';
import { DEFAULT_CODES } from '../../../nodes/SmsMessagingService/service/resultCodes';
import { SecretMask } from '../../../nodes/SmsMessagingService/service/secrets';
import { CREDENTIAL } from '../../kit/engine';
import { useGateway } from '../../kit/engine/gateway';
import { CONTINUE, descriptionOf, people, TEMPLATE } from '../../kit/engine/sends';

/** The sentence about an answer, and what is read of it. What it means for its request is in declared/answers. */

const SECRET = 'a-long-secret-key';

/** Reads an answer. A text is its body as it is. */
const read = (
  status: number,
  body: unknown,
  { purpose = 'other' as Purpose, headers = {} } = {},
): Exchange =>
  readAnswer(
    { statusCode: status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
    { purpose, codes: DEFAULT_CODES, mask: new SecretMask([SECRET]) },
  );

const failed = (...parameters: Parameters<typeof read>) => read(...parameters) as Unanswered;

const PAGE = '<!DOCTYPE html><html>moved</html>';

test.each<[sentence: string, status: number, body: unknown, location?: string]>([
  ['The service rejected the request: no (code 9)', 200, { code: ' 009 ', msg: ' no. ' }],
  ['The service rejected the request (code 9007199254740993)', 200, '{"code":9007199254740993}'],
  ['The service rejected the request (HTTP 400): no', 400, { msg: 'no' }],
  ['The service rejected the request: no (code 200)', 200, { code: 200, msg: 'no' }],
  // Some services have their words under `message`. They say no more there than under `msg`.
  [
    'The service rejected the request: 登录授权有误 (code 1)',
    200,
    { code: 1, message: '登录授权有误' },
  ],
  ['The service rejected the request: no (code 9)', 200, { code: 9, msg: null, message: ' no ' }],
  ['The service rejected the request: no (code 9)', 200, { code: 9, msg: 'no', message: 'yes' }],
  ['The service rejected the request (code 9)', 200, { code: 9, message: { a: 1 }, errmsg: 'no' }],
  ['The service does not know this address (HTTP 404)', 404, PAGE],
  ['The service asks to slow down: 提交过快 (code 10007)', 200, { code: 10007, msg: '提交过快' }],
  ['The service could not complete the request (HTTP 503): down', 503, { code: 503, msg: 'down' }],
  ['The service does not say whether it did what was asked (code 100)', 200, { code: 100 }],
  ['The service sent a web page instead of JSON', 200, PAGE],
  ['The answer of the service is not a JSON object (2 characters)', 200, 'OK'],
  ['The answer of the service is cut off or is not valid JSON (8 characters)', 200, '{"code":'],
  ['The service redirects to another address, which is not followed (HTTP 302)', 302, PAGE],
  [
    'The service redirects to https://b.example/v2, which is not followed (HTTP 301): moved (code 5)',
    301,
    { code: 5, msg: 'moved' },
    'https://b.example/v2',
  ],
  // Without what may be secret.
  [
    'The service redirects to https://b.example/[hidden]/x, which is not followed (HTTP 307)',
    307,
    '',
    `https://me:pass@b.example/${SECRET}/x?token=abc#d`,
  ],
])('%s', (sentence, status, body, location = '') => {
  expect(failed(status, body, { headers: { location } }).reason).toBe(sentence);
});

test.each<[string, number | undefined]>([
  ['7', 7_000],
  ...['0', '-1', '5, 9', '1,5', 'soon', ' '].map((none): [string, undefined] => [none, undefined]),
])('Retry-After %j is a wait of %p ms', (header, wait) => {
  expect(failed(429, {}, { headers: { 'retry-after': header } }).retryAfterMs).toBe(wait);
});

test.each<[status: number, text: string, body: unknown]>([
  // What may hold data, for a person to read.
  [200, '[{"a":1},{"b":', '[{"a":1},{"b":'],
  [404, '{"code":0,"batch_id":"7', '{"code":0,"batch_id":"7'],
  [200, 'b1,13800138000,DELIVRD', 'b1,13800138000,DELIVRD'],
  [200, `{"${SECRET}`, '{"[hidden]'],
  [400, '{"code":7}', { code: 7 }],
  [500, '', {}],
  // And what does not.
  [200, PAGE, undefined],
  [404, 'no such page', undefined],
])('HTTP %d with %j keeps %j', (status, text, body) => {
  expect(failed(status, text).body).toEqual(body);
});

describe('a long number', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    // JavaScript can hold this one, and its neighbours would be the same.
    ['46325770266034860', '46325770266034860'],
    ['1e21', '1e21'],
    ['9007199254740991.0', 9007199254740991],
    ['1.10', 1.1],
    ['1234567890123.4500000', 1234567890123.45],
    ['1E400', '1E400'],
    ['-0', 0],
    ['0.000000000000000000', 0],
  ])('%s comes out as %p', (token, value) => {
    const { body } = read(200, `{"code":0,"text":"${token} \\"1e400\\"","value":${token}}`);
    expect((body as { value: unknown }).value === value).toBe(true);
    expect(body).toMatchObject({ text: `${token} "1e400"` });
  });

  test('of a million digits is no trouble', () => {
    const digits = `1${'0'.repeat(1_000_000)}1`;
    expect(read(200, `{"code":0,"value":${digits}}`).body).toEqual({ code: 0, value: digits });
  });
});

const harness = useGateway();
const { gateway, execute } = harness;

// Guess: timeouts
test.each<[string, number, INodeParameters]>([
  ['a send', 30_000, TEMPLATE],
  ['a list', 30_000, { resource: 'template', operation: 'getAll' }],
  ['a change', 30_000, { resource: 'signature', operation: 'create', name: 'n' }],
  ['a pull', 60_000, { resource: 'reply', operation: 'pull' }],
])('the time to wait for %s is %d ms', async (_, timeout, parameters) => {
  const { type } = harness.loader.getCredential(CREDENTIAL);
  const authenticate = jest.spyOn(type, 'authenticate' as never);
  await execute(parameters, people(1));
  expect(authenticate.mock.calls[0]?.[1]).toMatchObject({ timeout });
  authenticate.mockRestore();
});

// Guess: repeat
test.each([
  { resource: 'balance', operation: 'get' },
  { resource: 'signature', operation: 'create', name: 'n' },
])('no other operation than a send asks again after HTTP 429: %j', async (parameters) => {
  gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', times: Infinity });
  expect((await execute(parameters)).error).toBeDefined();
  expect(gateway.requests).toHaveLength(1);
});

test('the words of the service are cut to what a person reads, never to half of a character', async () => {
  const long = '很长的消息🔑'.repeat(5_000);
  const body = { code: `c${long}`, msg: long, request_id: `r${long}` };
  gateway.fault({ kind: 'status', status: 200, body, times: 2 });
  const { json } = await execute(TEMPLATE, people(1), CONTINUE);
  const { error } = await execute({ resource: 'balance', operation: 'get' });
  for (const shown of [JSON.stringify(json), `${error?.message} ${descriptionOf(error)}`]) {
    expect(shown.length).toBeLessThan(10_000);
    expect(shown).toContain('…');
    expect(shown.isWellFormed()).toBe(true);
  }
});
