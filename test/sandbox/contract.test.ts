import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { answerViolations, contractOperations, requestViolations } from './contract';
import { routes } from './routes';

const OPEN_API = join(__dirname, 'openapi.yaml');

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', () => {
    // The validator is an ES module, which jest cannot load; its command line can.
    const validator = require.resolve('@seriousme/openapi-schema-validator');
    const cli = join(validator, '..', 'bin', 'validate-api-cli.js');
    const output = execFileSync(process.execPath, [cli, OPEN_API], { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ valid: true });
  });

  it('has the very paths of the gateway', () => {
    const paths = contractOperations().map(({ path }) => path);
    expect(paths.sort()).toEqual([...routes.keys()].sort());
  });

  it('has 13 described and 8 inferred operations, each with a name of its own', () => {
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
      'a number as text',
      '/sendsms/template/send',
      { ...send, template_id: '301' },
      ['body/template_id: must be integer'],
    ],
    [
      'a fraction',
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
    ['a field where there is none', '/sendsms/balance', { a: 1 }, ['body: unknown field "a"']],
    ['an array', '/sendsms/balance', [], ['body: must be object']],
    [
      'several problems at once',
      '/openapi/cert/delete',
      { id: '1', x: 1 },
      ['body: unknown field "x"', 'body/id: must be integer'],
    ],
    [
      'the flags that only the service sets',
      '/openapi/lead/create',
      { sign_id: 201, report_info: {} },
      ['body: unknown field "report_info"'],
    ],
  ])('judges %s', (_name, path, body, problems) => {
    expect(requestViolations(path, body)).toEqual(problems);
  });

  it('can allow fields that only the operator knows', () => {
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
      'a success without its field',
      { code: 0, msg: '' },
      ["body: must have required property 'balance'"],
    ],
    ['a balance as text', { code: 0, msg: '', balance: '5' }, ['body/balance: must be integer']],
    [
      'an error with more fields',
      { code: 1, msg: '', balance: 5 },
      ['body: unknown field "balance"'],
    ],
  ])('judges %s', (_name, answer, problems) => {
    expect(answerViolations(path, answer)).toEqual(problems);
  });
});
