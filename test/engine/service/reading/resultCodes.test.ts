import type { IDataObject } from 'n8n-workflow';
import { readAnswer } from '../../../../nodes/SmsMessagingService/service/reading/answer';
import { readResultCodes } from '../../../../nodes/SmsMessagingService/service/reading/resultCodes';
import { SecretMask } from '../../../../nodes/SmsMessagingService/service/secrets';
import { createHarness } from '../../harness';
import { useGateway } from '../../harness/gateway';
import { CONTINUE, descriptionOf, people, TEMPLATE } from '../../harness/sends';

/** Custom Result Codes of the credential. */

const { gateway } = useGateway();

const codesOf = (fields: IDataObject) =>
  Object.fromEntries(readResultCodes({ customResultCodes: true, ...fields } as never));

test.each([
  ['0', ['0']],
  [' 0 , 200 ', ['0', '200']],
  ['0，200、1000；OK', ['0', '200', '1000', 'ok']],
  ['0\n200\t1000', ['0', '200', '1000']],
  ['000,-1', ['0', '-1']],
  [200, ['200']],
  ['', ['0']],
  [' ，', ['0']],
])('the success codes %p are %j', (successCodes, codes) => {
  expect(Object.keys(codesOf({ successCodes })).sort()).toEqual([...codes].sort());
});

test('while the switch is off, what is stored does not count', () => {
  const stored = { successCodes: '200', unclearCodes: '0', throttledCodes: '7' };
  for (const customResultCodes of [false, undefined]) {
    const codes = readResultCodes({ ...stored, customResultCodes } as never);
    expect([...codes]).toEqual([['0', 'success']]);
  }
});

const CODES = readResultCodes({
  customResultCodes: true,
  successCodes: '200, OK',
  emptyCodes: '10004',
  throttledCodes: '10007',
  unclearCodes: '100',
} as never);

const read = (body: unknown, statusCode = 200) =>
  readAnswer(
    { statusCode, headers: {}, body: JSON.stringify(body) },
    '/',
    new SecretMask([]),
    CODES,
  ) as { kind: string; isEmpty?: boolean };

test.each([
  [{ code: 200, msg: '余额不足' }, 'answered'],
  [{ code: '200' }, 'answered'],
  [{ code: 'ok' }, 'answered'],
  [{ code: 200, success: false }, 'unclear'],
  [{ code: 0, msg: '' }, 'refused'],
  [{ code: 0, msg: 'ok' }, 'unclear'],
  [{ code: 10007, msg: '内部错误' }, 'throttled'],
  [{ code: 10007, msg: '提交过快，部分成功，成功50条' }, 'unclear'],
  [{ code: 10007, msg: '提交成功' }, 'unclear'],
  [{ code: 100, msg: '余额不足' }, 'unclear'],
  [{ code: 100, msg: '暂无数据' }, 'unclear'],
  [{ code: 7, msg: '余额不足' }, 'refused'],
  [{ code: 7, msg: '内部错误' }, 'unclear'],
])('a listed code means what the credential says, another what its words say: %j', (body, kind) => {
  expect(read(body).kind).toBe(kind);
});

test('a listed code counts at any HTTP status', () => {
  for (const status of [200, 400, 403, 404, 429, 500, 503]) {
    expect(read({ code: 200 }, status).kind).toBe('answered');
    expect(read({ code: 10007 }, status).kind).toBe('throttled');
    expect(read({ code: 100 }, status).kind).toBe('unclear');
    expect(read({ code: 10004 }, status)).toMatchObject({ kind: 'refused', isEmpty: true });
  }
});

const CUSTOM = { customResultCodes: true, successCodes: '0' };
const REPLIES = { resource: 'reply', operation: 'pull' };
const BALANCE = { resource: 'balance', operation: 'get' };
const GET_ALL = { resource: 'template', operation: 'getAll' };

const withCodes = async (fields: IDataObject) =>
  await createHarness({ ...gateway.credential(), ...CUSTOM, ...fields });

test('a code in two fields is an error before any request', async () => {
  const { execute, testCredential } = await withCodes({ emptyCodes: '7, 0' });
  const { error } = await execute(BALANCE);
  expect(error?.message).toBe("The credential's Custom Result Codes have the code 0 twice");
  expect((await testCredential()).status).toBe('Error');
  expect(gateway.requests).toHaveLength(0);
});

test('0 is not to mean success unseen and something else too', async () => {
  const { execute } = await withCodes({ successCodes: '', emptyCodes: '0' });
  const { error } = await execute(BALANCE);
  expect(error?.message).toBe(
    "The credential's Custom Result Codes have the code 0, which means success while 'Success Codes' is empty",
  );
  expect(descriptionOf(error)).toContain("in 'Success Codes'");
  expect(gateway.requests).toHaveLength(0);
});

test('a code of success counts in the result of each number too', async () => {
  const data = people(2).map((_, index) => ({ mobile: `1381000000${index}`, code: 1000 + index }));
  gateway.fault({ kind: 'html', body: JSON.stringify({ code: 1001, msg: '号码错误', data }) });
  const { execute } = await withCodes({ successCodes: '1000' });
  const { json } = await execute(TEMPLATE, people(2), CONTINUE);
  expect(json.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
});

test('with another code of success everything works', async () => {
  const { execute, testCredential } = await withCodes({ successCodes: '1000' });
  const answer = (body: unknown) => gateway.fault({ kind: 'html', body: JSON.stringify(body) });
  answer({ code: 1000, msg: 'no', balance: 7 });
  expect((await execute(BALANCE)).json).toMatchObject([{ balance: 7 }]);
  answer({ code: 1000, msg: 'fine', balance: 7 });
  expect((await testCredential()).status).toBe('OK');
  answer({ code: 1000, msg: '' });
  expect((await execute(GET_ALL)).json).toEqual([]);
  answer({ code: 1000, msg: 'fine', remark: 'x', data: [{ batch_id: 'b', content: 'Y' }] });
  expect((await execute(REPLIES)).json).toMatchObject([{ event: 'reply', content: 'Y' }]);
  answer({ code: 1000, msg: '', batch_id: 'b', count: 1 });
  const { json } = await execute(TEMPLATE, people(1));
  expect(json).toMatchObject([{ status: 'accepted', code: 1000 }]);
  expect(json[0]?.warning).toBeUndefined();
  answer({ code: 0, msg: 'no' });
  expect((await execute(BALANCE)).error?.message).toBe(
    'The service refused the request: no (code 0)',
  );
});

test('an unclear code of a send is unknown', async () => {
  const { execute } = await withCodes({ unclearCodes: '9100' });
  gateway.fault({ kind: 'businessCode', code: 9100, msg: '提交失败', times: Infinity });
  const { json } = await execute(TEMPLATE, people(3), CONTINUE);
  expect(json.map(({ status }) => status)).toEqual(['unknown', 'unknown', 'unknown']);
  expect(gateway.requests).toHaveLength(1);
});

describe('a pull of nothing', () => {
  const nothing = (code: number, msg: string) =>
    gateway.fault({ kind: 'businessCode', code, msg, times: Infinity });

  // Guess: empty-code
  test('is known by its words', async () => {
    nothing(1004, '暂无数据,请稍后再试');
    const { execute } = await createHarness(gateway.credential());
    const { error, json } = await execute(REPLIES);
    expect([error, json]).toEqual([undefined, []]);
  });

  // Guess: empty-code
  test('is known by a code, which the error of any other refusal tells where to enter', async () => {
    nothing(1004, 'E1004');
    const { execute } = await createHarness(gateway.credential());
    const { error } = await execute(REPLIES);
    expect(descriptionOf(error)).toContain("'Custom Result Codes', 'Empty Codes'");
    const { execute: quietly } = await withCodes({ emptyCodes: '1004' });
    const quiet = await quietly(REPLIES);
    expect([quiet.error, quiet.json]).toEqual([undefined, []]);
    nothing(1005, 'no');
    gateway.clearFaults();
    nothing(1005, 'no');
    expect((await quietly(REPLIES)).error?.message).toContain('code 1005');
  });

  test('with records in it loses none', async () => {
    const body = { code: 1004, msg: '暂无数据', data: [{ batch_id: 'b', content: 'Y' }] };
    gateway.fault({ kind: 'html', body: JSON.stringify(body) });
    const { execute } = await createHarness(gateway.credential());
    expect((await execute(REPLIES)).json).toMatchObject([{ content: 'Y' }]);
  });

  test('is a refusal of any other operation', async () => {
    nothing(1004, '暂无数据');
    const { execute } = await createHarness(gateway.credential());
    expect((await execute(BALANCE)).error?.message).toContain('refused the request');
    const { json } = await execute(TEMPLATE, people(1), CONTINUE);
    expect(json).toMatchObject([{ status: 'rejected' }]);
  });
});

test('a list that is too fast is not asked for in smaller pages', async () => {
  gateway.fault({ kind: 'businessCode', code: 10007, msg: '提交过快', times: Infinity });
  const { execute } = await createHarness(gateway.credential());
  expect((await execute(GET_ALL)).error?.message).toContain('asks to slow down');
  expect(gateway.requests).toHaveLength(1);
});
