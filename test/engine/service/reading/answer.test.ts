import type { INodeParameters } from 'n8n-workflow';
import { CREDENTIAL } from '../../harness';
import { useGateway } from '../../harness/gateway';
import { descriptionOf, people, TEMPLATE } from '../../harness/sends';
import { readAnswer } from '../../../../nodes/SmsMessagingService/service/reading/answer';
import { SecretMask } from '../../../../nodes/SmsMessagingService/service/secrets';

/** What an answer means for its request, whatever the operation. */

const BALANCE = { resource: 'balance', operation: 'get' };

const harness = useGateway();
const { gateway, execute } = harness;

// Guess: refusal-2xx
test.each([200, 201, 202, 203, 205, 206, 299])(
  'a code other than 0 is a refusal with HTTP %d',
  async (status) => {
    gateway.fault({ kind: 'status', status, body: { code: 9000, msg: 'no' } });
    const { error } = await execute(BALANCE);
    expect(error?.message).toBe('The service refused the request: no (code 9000)');
  },
);

// Guess: http-advice
test.each([
  [400, "Your provider's manual lists what the code means"],
  [401, 'Check API Key and API Secret'],
  [403, 'Check API Key and API Secret'],
  [404, "Check the credential's Base URL"],
  [422, "Your provider's manual lists what the code means"],
])('the advice after HTTP %d begins with "%s"', async (status, advice) => {
  gateway.fault({ kind: 'status', status });
  const { error } = await execute(BALANCE);
  expect(descriptionOf(error).slice(0, advice.length)).toBe(advice);
});

// Guess: content-type
test('JSON is read whatever the Content-Type says', async () => {
  gateway.fault({ kind: 'html', body: '{"code":0,"msg":"","balance":7}' });
  const { json } = await execute(BALANCE);
  expect(json).toEqual([{ code: 0, msg: '', balance: 7 }]);
});

// Guess: timeouts
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

// Guess: timeouts
test('the names of signatures hold up the text of a template for 3 s at most', async () => {
  const { type } = harness.loader.getCredential(CREDENTIAL);
  const authenticate = jest.spyOn(type, 'authenticate' as never);
  await harness.templateText({ templateId: '301' });
  const calls = authenticate.mock.calls as unknown as [unknown, { timeout: number }][];
  authenticate.mockRestore();
  expect(calls.map(([, { timeout }]) => timeout)).toEqual([30_000, 3_000]);
});

const PATH = '/sendsms/send';

const read = (statusCode: number, body: unknown, headers: Record<string, unknown> = {}) =>
  readAnswer(
    { statusCode, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
    PATH,
    new SecretMask(['secret-key']),
  );

describe('a redirect', () => {
  test.each([
    [301, 'https://other.example/x', 'refused'],
    [307, 'https://other.example/x', 'refused'],
    [308, '', 'refused'],
    [302, `https://other.example/v2${PATH}`, 'refused'],
    [302, `${PATH}/?a=b`, 'unclear'],
    [302, `/login?next=${PATH}`, 'unclear'],
    [302, '', 'unclear'],
    [300, PATH, 'unclear'],
    [303, `https://other.example${PATH}`, 'unclear'],
    [304, '', 'unclear'],
  ])('HTTP %d to "%s" is %s', (status, location, kind) => {
    const answer = read(status, '<html>moved</html>', { location });
    expect(answer).toMatchObject({ kind, reason: expect.stringContaining(`(HTTP ${status})`) });
  });

  test('names its target, without what may be secret', () => {
    const location = `https://me:pass@other.example/secret-key${PATH}?token=abc#d`;
    const { reason } = read(301, '', { location }) as { reason: string };
    expect(reason).toBe(
      `The service redirects to https://other.example/[hidden]${PATH} (HTTP 301)`,
    );
  });

  test('a target without end is cut', () => {
    const { reason } = read(301, '', { location: '/x'.repeat(10_000) }) as { reason: string };
    expect(reason.length).toBeLessThan(300);
  });

  test.each([
    ['at the cut', `/${'x'.repeat(190)}/a-long-secret-key`],
    ['around the query', '/a?long-secret-key'],
  ])('no half of a secret stays of its target: %s', (_, path) => {
    const secret = path.slice(path.indexOf('a'));
    const mask = new SecretMask([secret]);
    const raw = {
      statusCode: 301,
      headers: { location: `https://other.example${path}` },
      body: '',
    };
    const { reason } = readAnswer(raw, PATH, mask) as { reason: string };
    expect(reason).toContain('https://other.example/');
    expect(reason).not.toMatch(/a-long|\/a /);
  });

  test('with code 0 the request was done', () => {
    expect(read(302, { code: 0 }, { location: PATH })).toMatchObject({ kind: 'answered' });
  });
});

describe('a refusal', () => {
  // Guess: refusal
  test.each([
    ['at the top', { code: 7, msg: 'no' }],
    ['in an array', [{ code: 7, msg: 'no' }]],
    ['in an array in an array', [[{ code: '7', msg: 'no' }]]],
    ['with message', { code: 7, message: 'no' }],
  ])('%s', (_, body) => {
    for (const status of [200, 201, 202, 400]) {
      expect(read(status, body)).toMatchObject({ kind: 'refused', code: 7, msg: 'no' });
    }
  });

  test.each([
    ['records with a code', [{ id: 1, code: 7 }]],
    [
      'two objects',
      [
        { code: 7, msg: 'no' },
        { code: 7, msg: 'no' },
      ],
    ],
    // Guess: code-type
    ['no code', { code: '', msg: 'fine' }],
    ['null as code', { code: null, msg: 'fine' }],
    ['zeros', { code: '0000', msg: 'fine' }],
  ])('is not: %s', (_, body) => {
    expect(read(200, body)).toMatchObject({ kind: 'answered' });
  });
});

describe('an answer that contradicts itself', () => {
  // Guess: failure
  test.each([
    { code: 0, success: false, msg: 'no' },
    { code: 0, msg: null, data: false },
    { code: 0, msg: 'ok', data: { code: 1005, msg: 'no' } },
    { code: 0, error: 'denied' },
    { code: 0, errors: [{ message: 'no' }] },
    { code: 0, errno: 7 },
    [[{ code: 0, msg: 'ok', status: 'error' }]],
  ])('is unclear: %j', (body) => {
    expect(read(200, body)).toMatchObject({
      kind: 'unclear',
      reason: expect.stringContaining('contradicts itself'),
    });
  });

  // Guess: failure
  test.each([
    { code: 200, msg: 'success', data: '10001' },
    { code: 1, msg: 'ok' },
    { code: 'OK', message: 'OK' },
    { code: 200, msg: '提交成功' },
    { code: true, msg: '' },
  ])('is unclear where its code may be one of success: %j', (body) => {
    const { kind, reason } = read(200, body) as { kind: string; reason: string };
    expect([kind, reason]).toEqual([
      'unclear',
      expect.stringContaining(`code ${body.code} is not known as a success code`),
    ]);
    expect(reason).toContain("enter it under 'Custom Result Codes' in the credential");
  });

  // Guess: failure
  test.each([
    { success: false, message: 'no' },
    { success: 'false' },
    { Code: 1001 },
    { errcode: 40001, errmsg: 'no' },
    { status: 'error', message: 'no' },
    { error: { code: 401 } },
    { ok: false, data: [] },
  ])('is a refusal without code: %j', (body) => {
    expect(read(200, body).kind).toBe('refused');
  });

  test.each([
    { code: 0, success: true, error: null, errors: [], errno: 0, msg: '' },
    { code: 0, error: '', data: { list: [] } },
    { id: 7, status: 'failed', error: 'none', success: false },
    { code: 0, data: { id: 7, code: 8, status: 'error' } },
    { code: 0, data: [{ code: 7, msg: 'x' }] },
    { code: 0, data: { batch_id: 'b', code: 0 } },
    { balance: 5 },
    {},
  ])('is not: %j', (body) => {
    expect(read(200, body)).toEqual({ kind: 'answered', body });
  });
});

// Guess: retry-after
describe('Retry-After', () => {
  const AHEAD = 300_000;

  test('as words is none', () => {
    expect(read(429, {}, { 'retry-after': 'soon' })).toMatchObject({ retryAfterMs: undefined });
  });

  test('as a date is read by the clock of the service', () => {
    const at = (ms: number) => new Date(Date.now() + AHEAD + ms).toUTCString();
    const { retryAfterMs } = read(429, {}, { date: at(0), 'retry-after': at(2_000) }) as {
      retryAfterMs: number;
    };
    expect(retryAfterMs).toBe(2_000);
  });

  test.each([{}, { date: 'soon' }])(
    'as a date is read by the own clock without one: %j',
    (date) => {
      const at = new Date(Date.now() + AHEAD).toUTCString();
      const { retryAfterMs } = read(429, {}, { ...date, 'retry-after': at }) as {
        retryAfterMs: number;
      };
      expect(Math.abs(retryAfterMs - AHEAD)).toBeLessThan(5_000);
    },
  );
});

// Guess: text-around
describe('JSON or not', () => {
  test('blank space and a byte order mark may stand around JSON', () => {
    const answer = read(200, '\uFEFF\n {"code":0,"a":[1]}\n');
    expect(answer).toEqual({ kind: 'answered', body: { code: 0, a: [1] } });
  });

  test.each(['[{"a":1},{"b":', '{"code":0,"a":[1]', 'callback({"code":0});', 'plain words'])(
    'other text is kept: %j',
    (text) => {
      expect(read(200, text)).toMatchObject({ kind: 'unclear', body: text });
    },
  );

  test.each([400, 404, 429])('JSON that is cut off is not read, with HTTP %d', (status) => {
    expect(read(status, '{"code":0,"batch_id":"7').kind).toBe('unclear');
  });

  test.each(['<html>{"code":0}</html>x', ' <!DOCTYPE html>', ''])(
    'a web page or nothing is not kept: %j',
    (text) => {
      expect((read(200, text) as { body?: unknown }).body).toBeUndefined();
    },
  );

  // Guess: refusal-2xx
  test('HTTP 204 is an answer without anything in it', () => {
    expect(read(204, '')).toEqual({ kind: 'answered', body: {} });
  });
});

describe('a long number', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    // Guess: long-ids
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['12345678901234567890', '12345678901234567890'],
    ['0.1', 0.1],
    ['1.10', 1.1],
    ['123456789.12345678', 123456789.12345678],
    ['123456789.123456789', '123456789.123456789'],
    ['1234567890123.4500000', 1234567890123.45],
    ['1e3', 1000],
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

// Guess: http-status
test.each([
  [300, 'unclear'],
  [304, 'unclear'],
  [400, 'refused'],
  [407, 'refused'],
  [408, 'unclear'],
  [409, 'unclear'],
  [410, 'refused'],
  [428, 'refused'],
  [429, 'throttled'],
  [430, 'refused'],
  [498, 'refused'],
  [499, 'unclear'],
  [500, 'unclear'],
  [599, 'unclear'],
])('HTTP %d without a code is %s', (status, kind) => {
  expect(read(status, '<html>no</html>').kind).toBe(kind);
});

// Guess: repeat
test.each([BALANCE, { resource: 'signature', operation: 'create', name: 'n' }])(
  'no other operation than a send asks again after HTTP 429: %j',
  async (parameters) => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', times: Infinity });
    expect((await execute(parameters)).error).toBeDefined();
    expect(gateway.requests).toHaveLength(1);
  },
);
