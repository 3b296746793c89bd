import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import {
  answerViolations,
  contractOperations,
  contractSchemas,
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

  it('has unique operation ids', () => {
    const ids = contractOperations().map(({ operationId }) => operationId);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('requires every field of a record: the specification calls none of them optional', () => {
    const records = Object.values(contractSchemas()).filter(({ title }) => title);
    expect(records).not.toEqual([]);
    for (const { title, required = [], properties = {} } of records) {
      expect([title, ...required].sort()).toEqual([title, ...Object.keys(properties)].sort());
    }
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
    [
      'a message without a phone number',
      '/sendsms/template/send',
      { ...send, messages: [{ params: {} }] },
      ["body/messages/0: must have required property 'phone_number'"],
    ],
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

  it('validates a page and its records', () => {
    const page = { list: [{ id: '1' }], page: 1, page_size: 1, total: 1, pages: 1 };
    const problems = answerViolations('/openapi/template/info', [[page]]);
    expect(problems).toContain('body/0/0: unknown field "pages"');
    expect(problems).toContain('body/0/0/list/0/id: must be integer');
    expect(problems).toContain("body/0/0/list/0: must have required property 'content'");
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
