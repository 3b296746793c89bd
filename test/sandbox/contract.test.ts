import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import {
  answerViolations,
  contractOperations,
  headerViolations,
  requestViolations,
} from './contract';
import { routes } from './routes';

const OPEN_API = join(__dirname, 'openapi.yaml');

describe('openapi.yaml', () => {
  it('is valid OpenAPI 3.1', () => {
    // jest cannot load the validator, which is an ES module. So the test runs its command.
    const validator = require.resolve('@seriousme/openapi-schema-validator');
    const cli = join(validator, '..', 'bin', 'validate-api-cli.js');
    const output = execFileSync(process.execPath, [cli, OPEN_API], { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ valid: true });
  });

  it('has the same paths as the gateway', () => {
    const paths = contractOperations().map(({ path }) => path);
    expect(paths.sort()).toEqual([...routes.keys()].sort());
  });

  it('has 13 specified and 8 inferred operations with unique operation ids', () => {
    const operations = contractOperations();
    expect(operations.filter(({ inferred }) => inferred).map(({ path }) => path)).toEqual([
      '/openapi/cert/create',
      '/openapi/cert/update',
      '/openapi/sign/update',
      '/openapi/sign/info',
      '/openapi/sign/delete',
      '/openapi/lead/delete',
      '/openapi/template/create',
      '/openapi/template/update',
    ]);
    expect(operations).toHaveLength(21);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(21);
  });
});

describe('requestViolations', () => {
  const send = { template_id: 301, sms_sign_id: 201, messages: [{ phone_number: '13800138000' }] };

  it.each<[string, string, unknown, string[]]>([
    ['a complete body', '/sendsms/template/send', send, []],
    [
      'a string instead of a number',
      '/sendsms/template/send',
      { ...send, template_id: '301' },
      ['body/template_id: must be integer'],
    ],
    [
      'a fraction instead of an integer',
      '/sendsms/template/send',
      { ...send, template_id: 1.5 },
      ['body/template_id: must be integer'],
    ],
    [
      'a parameter that is not a string',
      '/sendsms/template/send',
      { ...send, messages: [{ phone_number: '13800138000', params: { code: 1 } }] },
      ['body/messages/0/params/code: must be string'],
    ],
    [
      'an unknown field of a message',
      '/sendsms/template/send',
      { ...send, messages: [{ phone_number: '13800138000', name: 'x' }] },
      ['body/messages/0: unknown field "name"'],
    ],
    ['a missing field', '/sendsms/report/pull', {}, ["body: must have required property 'count'"]],
    ['a count of 0', '/sendsms/mo/pull', { count: 0 }, ['body/count: must be >= 1']],
    ['a field in a body without fields', '/sendsms/balance', { a: 1 }, ['body: unknown field "a"']],
    ['an array instead of an object', '/sendsms/balance', [], ['body: must be object']],
    [
      'several violations',
      '/openapi/cert/delete',
      { id: '1', x: 1 },
      ['body: unknown field "x"', 'body/id: must be integer'],
    ],
    [
      'report_info, which only the service sets',
      '/openapi/lead/create',
      { sign_id: 201, report_info: {} },
      ['body: unknown field "report_info"'],
    ],
  ])('validates a request body: %s', (_name, path, body, problems) => {
    expect(requestViolations(path, body)).toEqual(problems);
  });

  it('accepts unknown fields with unknownFieldsAllowed', () => {
    const body = { id: 1, tenant: 'x' };
    expect(requestViolations('/openapi/cert/delete', body, { unknownFieldsAllowed: true })).toEqual(
      [],
    );
  });
});

describe('answerViolations', () => {
  const path = '/sendsms/balance';

  it.each<[string, unknown, string[]]>([
    ['a success', { code: 0, msg: 'success', balance: 5 }, []],
    ['an error', { code: 1002, msg: 'no', request_id: 'r' }, []],
    [
      'a success without a required field',
      { code: 0, msg: '' },
      ["body: must have required property 'balance'"],
    ],
    [
      'a success with a string instead of a number',
      { code: 0, msg: '', balance: '5' },
      ['body/balance: must be integer'],
    ],
    [
      'an error with an unknown field',
      { code: 1, msg: '', balance: 5 },
      ['body: unknown field "balance"'],
    ],
  ])('validates an answer: %s', (_name, answer, problems) => {
    expect(answerViolations(path, answer)).toEqual(problems);
  });
});

describe('headerViolations', () => {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': 'k',
    'x-timestamp': '1700000000',
    'x-nonce': 'n',
    'x-sign': '0a'.repeat(32),
  };

  it.each(contractOperations())('accepts the headers of a request: $path', ({ path }) => {
    expect(headerViolations(path, headers)).toEqual([]);
  });

  it.each(contractOperations())('requires all of them: $path', ({ path }) => {
    expect(headerViolations(path, {})).toEqual(
      Object.keys(headers).map((name) => `headers: must have required property '${name}'`),
    );
  });

  it.each<[string, string]>([
    ['content-type', 'text/plain'],
    ['x-api-key', ''],
    ['x-timestamp', '1700000000000'],
    ['x-timestamp', '2026-01-01'],
    ['x-nonce', ''],
    ['x-sign', '0A'.repeat(32)],
    ['x-sign', '0a'.repeat(31)],
    ['x-sign', 'zz'.repeat(32)],
  ])('checks the header %s: %s', (name, value) => {
    const problems = headerViolations('/sendsms/balance', { ...headers, [name]: value });
    expect(problems).not.toEqual([]);
    for (const problem of problems) expect(problem).toContain(`headers/${name}: must `);
  });

  it('does not require the header authorization', () => {
    const authorized = { ...headers, authorization: 'token' };
    expect(headerViolations('/openapi/sign/create', authorized)).toEqual([]);
  });
});

describe('what the specification alone says', () => {
  const specificationOnly = true;
  const message = { phone_number: '13800138000' };

  it.each<[string, string, unknown, string[]]>([
    [
      'a send without a template',
      '/sendsms/template/send',
      { sms_sign_id: 201, messages: [message] },
      ["body: must have required property 'template_id'"],
    ],
    [
      'a message without a phone number',
      '/sendsms/template/send',
      { template_id: 301, sms_sign_id: 201, messages: [{}] },
      ["body/messages/0: must have required property 'phone_number'"],
    ],
    ['a count of 0', '/sendsms/mo/pull', { count: 0 }, ['body/count: must be >= 1']],
    [
      'a pull of reports without a count',
      '/sendsms/report/pull',
      {},
      ["body: must have required property 'count'"],
    ],
    [
      'a further field',
      '/openapi/cert/delete',
      { id: 1, tenant: 'x' },
      ['body: unknown field "tenant"'],
    ],
    ['any body of Query balance', '/sendsms/balance', [1], ['body: must be object']],
  ])('allows a request that the sandbox refuses: %s', (_name, path, body, problems) => {
    expect(requestViolations(path, body, { specificationOnly })).toEqual([]);
    expect(requestViolations(path, body)).toEqual(problems);
  });

  it.each<[string, string, unknown, string[]]>([
    [
      'a list of no pages',
      '/openapi/template/info',
      [[]],
      ['body/0: must NOT have fewer than 1 items'],
    ],
    [
      'an error without a text',
      '/sendsms/balance',
      { code: 7 },
      ["body: must have required property 'msg'"],
    ],
    [
      'a further field',
      '/sendsms/balance',
      { code: 0, msg: '', balance: 5, unit: 'x' },
      ['body: unknown field "unit"'],
    ],
  ])('allows an answer that the sandbox does not give: %s', (_name, path, body, problems) => {
    expect(answerViolations(path, body, { specificationOnly })).toEqual([]);
    expect(answerViolations(path, body)).toEqual(problems);
  });

  it('leaves open the unit of X-Timestamp and the case of X-Sign', () => {
    const headers = {
      'content-type': 'application/json',
      'x-api-key': 'k',
      'x-timestamp': '1700000000000',
      'x-nonce': 'n',
      'x-sign': '0A'.repeat(32),
    };
    expect(headerViolations('/sendsms/balance', headers, { specificationOnly })).toEqual([]);
    expect(headerViolations('/sendsms/balance', headers)).toEqual([
      expect.stringContaining('headers/x-timestamp: must match pattern'),
      expect.stringContaining('headers/x-sign: must match pattern'),
    ]);
  });

  it.each(contractOperations().filter(({ inferred }) => !inferred))(
    'still has the types of $path',
    ({ path }) => {
      const wrong = path === '/sendsms/balance' ? [] : ['body: must be object'];
      expect(requestViolations(path, 'text', { specificationOnly })).toEqual(wrong);
      expect(answerViolations(path, 'text', { specificationOnly })).toEqual([
        expect.stringMatching(/^body: must be (object|array)$/),
      ]);
    },
  );

  it('keeps an empty object empty', () => {
    const problems = answerViolations('/openapi/cert/delete', { id: 1 }, { specificationOnly });
    expect(problems).toEqual(['body: must NOT have more than 0 properties']);
  });

  it('requires what the specification calls required', () => {
    expect(requestViolations('/sendsms/mo/pull', {}, { specificationOnly })).toEqual([
      "body: must have required property 'count'",
    ]);
    expect(headerViolations('/sendsms/mo/pull', {}, { specificationOnly })).toHaveLength(5);
  });
});
