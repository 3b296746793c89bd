import { createServer } from 'node:http';
import * as fc from 'fast-check';
import { readOutcome, weighEvidence } from '../../../nodes/SmsMessagingService/sending/receipt';
import type { Fault } from '../../sandbox/faults';
import { createHarness } from '../harness';
import { listen } from '../harness/listen';
import { CONTINUE, people, useSendingGateway, TEMPLATE, withOptions } from '../harness/sends';

/** What an answer proves: that messages were accepted, that they were refused, or neither. */

const { gateway, execute } = useSendingGateway();

const LATER = 'Look at the delivery reports, or ask your SMS provider, before you send again.';

describe('an answer without a refusal', () => {
  const answered = (body: unknown) => readOutcome({ kind: 'answered', body }, 3);
  const phones = ['13810000001', '13810000002', '13810000003'];
  const RECEIPT_OF_3 = { code: 0, msg: 'ok', batch_id: 'b', count: 3 };

  test('with a batch ID and the right count is an acceptance', () => {
    expect(answered({ code: 0, msg: 'ok', batch_id: 'b', count: 3 })).toEqual({
      status: 'accepted',
      batch_id: 'b',
      code: 0,
      msg: 'ok',
      count: 3,
      sent: 3,
    });
  });

  // Guess: no-code
  test('may have a number for the batch ID, and a text for the count', () => {
    expect(answered({ batch_id: 17, count: '3' })).toEqual({
      status: 'accepted',
      batch_id: '17',
      count: 3,
      sent: 3,
    });
  });

  // Guess: receipt
  test.each([
    ['under data', { code: 0, data: { batch_id: 'b', count: 3 } }],
    ['in arrays', [[{ code: 0, msg: 'ok', batch_id: 'b', count: 3 }]]],
    ['with another spelling', { code: 0, batchId: 'b', count: 3 }],
    ['with its count beside it', { code: 0, count: 3, data: { batch_id: 'b' } }],
    ['twice', { code: 0, batch_id: 'b', count: 3, data: { batch_id: 'b', count: '3' } }],
    ['for each message', { code: 0, count: 3, data: [{ batch_id: 'b' }, { batch_id: 'b' }] }],
    ['in parts', { code: 0, data: [1, 1, 1].map((count) => ({ batch_id: 'b', count })) }],
  ])('may have its receipt %s', (_, body) => {
    const outcome = answered(body);
    expect(outcome).toMatchObject({ status: 'accepted', batch_id: 'b', count: 3 });
    expect(outcome.warning).toBeUndefined();
  });

  // Guess: acceptance-refused
  test.each([
    { data: [{ phone_number: '13810000001', code: 1007, msg: 'blocked' }] },
    { fail_count: 1 },
    { data: { fail_list: ['13810000001'] } },
  ])('that speaks of failures too is an acceptance with a warning: %j', (more) => {
    expect(answered({ code: 0, batch_id: 'b', count: 3, ...more })).toMatchObject({
      status: 'accepted',
      warning: expect.stringContaining('messages that failed'),
    });
  });

  // Guess: acceptance-refused
  test.each([
    [{ data: { success: false } }, 'but also that it did not'],
    [{ data: { status: 'FAIL' } }, 'but also that it did not'],
    [{ data: { result: '提交失败' } }, 'but also that it did not'],
    [{ msg: '失败' }, 'but also that it did not'],
    [{ msg: '全部失败' }, 'but also that it did not'],
    [{ msg: '发送失败：余额不足' }, 'but also that it did not'],
    [{ msg: '系统内部错误' }, 'but also that it did not'],
    [{ status: 'REJECT' }, 'but also that it did not'],
    [{ success: 'N' }, 'but also that it did not'],
    [{ ok: 0 }, 'but also that it did not'],
    [{ failed: true }, 'but also that it did not'],
    [{ resultCode: 500 }, 'but also that it did not'],
    [{ sub_code: 'isv.OUT_OF_SERVICE', sub_msg: '余额不足' }, 'but also that it did not'],
    [{ data: { errcode: 5 } }, 'but also that it did not'],
    [{ error_message: 'insufficient balance' }, 'but also that it did not'],
    [{ submitCount: 0 }, 'that it accepted 0 messages'],
    [{ data: { sent: 0 } }, 'that it accepted 0 messages'],
    [{ accepted: [] }, 'that it accepted 0 messages'],
    [{ successCount: 0 }, 'that it accepted 0 messages'],
    [{ data: { succ_count: '0' } }, 'that it accepted 0 messages'],
    [{ fail_count: 3 }, 'that all messages failed'],
    [{ failList: phones }, 'that all messages failed'],
    [{ data: phones.map((mobile) => ({ mobile, status: 'FAIL' })) }, 'that all messages failed'],
    [{ data: phones.map((phone, i) => ({ phone, code: i + 1 })) }, 'that all messages failed'],
  ])('that speaks against itself leaves the outcome unknown: %j', (more, what) => {
    expect(answered({ ...RECEIPT_OF_3, ...more })).toMatchObject({
      status: 'unknown',
      batch_id: 'b',
      msg: expect.stringContaining(what),
      advice: LATER,
    });
  });

  test.each([
    { success: true, status: 'SUCCESS', data: { success: true, successCount: 3, failCount: 0 } },
    { data: phones.map((mobile) => ({ mobile, code: 0, msg: 'ok' })) },
    { data: { success: [], fail: [] } },
    { data: phones.map((mobile) => ({ mobile, status: 1 })) },
    { data: phones.map((mobile) => ({ mobile, success: 1 })) },
    { delivered_count: 0, request: { success: false } },
    { ok: 1, success: 'Y', failed: false, resultCode: '0000', sub_code: 200, errmsg: 'ok' },
    { resultCode: 'SUCCESS', error_message: null, err_code: '', error_msg: '成功' },
    { msg: '成功3条，失败0条', submitCount: 3, sent: 3, accepted: phones },
    { msg: '提交成功', submit_status: 0, error_message: '提交成功，等待运营商回执' },
  ])(
    'that speaks of success in other fields too is an acceptance without a warning: %j',
    (more) => {
      const outcome = answered({ ...RECEIPT_OF_3, ...more });
      expect([outcome.status, outcome.warning]).toEqual(['accepted', undefined]);
    },
  );

  test('may have a code of its own in each result, if it is that of the answer', () => {
    const data = phones.map((mobile) => ({ mobile, code: '1000' }));
    const outcome = answered({ ...RECEIPT_OF_3, code: 1000, data });
    expect([outcome.status, outcome.warning]).toEqual(['accepted', undefined]);
  });

  // Guess: receipt
  // Guess: lower-count
  test.each([
    [2, 'The service accepted 2 of the 3 messages of this request and did not say which'],
    [undefined, 'The service did not say how many messages it accepted'],
    ['', 'The service did not say how many messages it accepted'],
    ['many', 'The service did not say how many messages it accepted'],
    [true, 'The service did not say how many messages it accepted'],
  ])('with the count %p is an acceptance with a warning', (count, warning) => {
    expect(answered({ batch_id: 'b', count })).toMatchObject({ status: 'accepted', warning });
  });

  // Guess: receipt
  test.each([
    [{ batch_id: '', count: 3 }, 'without a batch_id'],
    [{ batch_id: null }, 'without a batch_id'],
    [['b'], 'without a batch_id'],
    [{ batch_id: 'b', count: 0 }, 'that it accepted 0 messages'],
    [{ batch_id: 'b', count: '0' }, 'that it accepted 0 messages'],
    [{ data: [{ batch_id: 'a' }, { batch_id: 'b' }] }, 'with more than one batch_id'],
    [{ batch_id: '0', count: 3 }, 'without a batch_id'],
    [{ batch_id: -1, count: 3 }, 'without a batch_id'],
    [{ batch_id: 'null', count: 3 }, 'without a batch_id'],
    [{ batch_id: 'N/A', count: 3 }, 'without a batch_id'],
    [{ code: 0, batch_id: '余额不足', count: 3 }, 'without a batch_id'],
    // A part of it would match no delivery report.
    [{ code: 0, batch_id: 'b'.repeat(201), count: 3 }, 'without a batch_id'],
    [{ code: null, msg: '余额不足', batch_id: 'b', count: null }, '"余额不足" without a code'],
  ])('%j leaves the outcome unknown', (body, what) => {
    const outcome = answered(body);
    expect(outcome).toMatchObject({
      status: 'unknown',
      msg: `The service answered ${what}`,
      sent: 3,
      advice: LATER,
    });
  });
});

describe('a refusal', () => {
  const weighed = (body: unknown, kind: 'refused' | 'throttled' = 'refused') =>
    readOutcome(weighEvidence({ kind, reason: 'No', code: 7, body }, 2), 2);

  // Guess: refusal-accepted
  test.each([
    [{ code: 7, batch_id: 'b' }, 'names a batch'],
    [{ code: 7, batch_id: 12 }, 'names a batch'],
    [{ code: 7, data: { batch_id: 'b' } }, 'names a batch'],
    [{ code: 7, data: [{ batchId: 'b', count: 0 }] }, 'names a batch'],
    [{ code: 7, data: { batchNo: 'B20260101' } }, 'names a batch'],
    [{ code: 7, batch_no: 'B1' }, 'names a batch'],
    [{ code: 7, batch_num: 202601010001 }, 'names a batch'],
    [{ code: 7, task_id: '99112' }, 'has the ID of a message or task'],
    [{ code: 7, message_ids: ['m1', 'm2'] }, 'has the ID of a message or task'],
    [{ code: 7, data: { msgIds: 'm1, m2' } }, 'has the ID of a message or task'],
    [{ code: 7, task_ids: [17] }, 'has the ID of a message or task'],
    [{ code: 7, smsIds: { 13810000000: 's1' } }, 'has the ID of a message or task'],
    [{ code: 7, sids: ['6a1f'] }, 'has the ID of a message or task'],
    [{ code: 7, count: 1 }, 'says that messages were accepted'],
    [{ code: 7, count: '2' }, 'says that messages were accepted'],
    [{ code: 7, data: { count: 1 } }, 'says that messages were accepted'],
    [{ code: 7, succ_count: 1 }, 'says that messages were accepted'],
    [{ code: 7, success_count: 1, fail_count: 1 }, 'says that messages were accepted'],
    [{ code: 7, data: { successCount: '1' } }, 'says that messages were accepted'],
    [{ code: 7, accepted: 1 }, 'says that messages were accepted'],
    [{ code: 7, result: { sent: 1 } }, 'says that messages were accepted'],
    [{ code: 7, submit_count: 2 }, 'says that messages were accepted'],
    [{ code: 7, success: true }, 'says that messages were accepted'],
    [{ code: 7, data: { success: ['13810000000'] } }, 'says that messages were accepted'],
    [{ code: 7, successPhones: '13810000000,13810000003' }, 'says that messages were accepted'],
    [{ code: 7, data: [{ code: 0 }, { code: 1007 }] }, 'says of a message that it was accepted'],
    [
      { code: 7, data: [{ mobile: '13810000000', status: 0 }] },
      'says of a message that it was accepted',
    ],
    [
      { code: 7, details: [{ phone: '13810000000', result: '提交成功' }] },
      'says of a message that it was accepted',
    ],
    [
      {
        code: 7,
        results: [
          { index: 0, success: true },
          { index: 1, success: false },
        ],
      },
      'says that messages were accepted',
    ],
    [
      { code: 7, data: { 13810000000: 'success', 13810000003: 'blocked' } },
      'says of a message that it was accepted',
    ],
    [
      { code: 7, data: ['13810000000:success', '13810000003:1007'] },
      'says of a message that it was accepted',
    ],
    [{ code: 7, data: { total: 2, fail: 1 } }, 'speaks of 1 failed out of 2 messages'],
    [{ code: 7, fail_list: ['13810000000'] }, 'speaks of 1 failed out of 2 messages'],
    [{ code: 7, failPhones: '13810000000' }, 'speaks of 1 failed out of 2 messages'],
  ])('with a sign of acceptance leaves the outcome unknown: %j', (body, evidence) => {
    expect(weighed(body)).toMatchObject({
      status: 'unknown',
      code: 7,
      msg: `No, but its answer ${evidence}`,
      advice: LATER,
    });
    expect(weighed(body, 'throttled').status).toBe('unknown');
  });

  test('with a long batch ID is unknown too', () => {
    expect(weighed({ code: 7, batch_id: 'b'.repeat(100_000) }).status).toBe('unknown');
  });

  test('that names a batch is not taken for a wrong credential or address either', () => {
    for (const httpStatus of [401, 403, 404]) {
      const body = { batch_id: 'b' };
      const refusal = weighEvidence({ kind: 'refused', reason: 'No', httpStatus, body }, 1);
      expect(readOutcome(refusal, 1)).toMatchObject({ status: 'unknown', advice: LATER });
    }
  });

  test.each([
    undefined,
    { code: 7, batch_id: '', count: 0 },
    { code: 7, batch_id: null, count: null },
    { code: 7, batch_id: 0, count: '0', data: { batch_id: ' ' } },
    { code: 7, count: true, data: [] },
    { code: 7, batch_id: '0', count: 0, success: false, fail: 2, request_id: 'r' },
    { code: 7, data: { fail_list: ['13810000000', '13810000003'] } },
    { code: 7, fail_count: 2, fail_list: ['13810000000'] },
    { code: 7, fail_count: 0, success_count: 0, success_list: [] },
    { code: 7, invalid_phones: ['13810000000'] },
    { code: 7, sent_today: 5, daily_sent: 3, submit_interval: 60 },
    { code: 7, data: { invalid_count: 1 } },
    { code: 7, request: { count: 2, batch_id: 'b', phone_numbers: ['13810000000'] } },
    { code: 7, params: { count: 2 }, input: { count: 2 } },
    { code: 7, limit: { count: 100 } },
    { code: 7, limit: 100, max_accept_count: 500, success_rate: 99 },
    { code: 7, submit_time: 1767225600, sent_at: 1767225600, acceptTime: 1767225600 },
    { code: 7, msg_id: 'template does not exist' },
    { code: 7, msg_id: 'TEMPLATE_NOT_FOUND' },
    { code: 7, msgId: '模板302不存在' },
    ...['N/A', 'n/a', 'na', 'nil', '-', '--', 'none', 'null', '无', '0', '-1', ''].map((none) => ({
      code: 7,
      batch_id: none,
      msg_id: none,
    })),
    { code: 7, error_code: 1007, fail_code: 1, fail_reason: '13810000000 is blocked' },
    { code: 7, data: [{ mobile: '13810000000', code: 1007, msg: 'blocked' }] },
    { code: 7, errors: [{ index: 0, message: 'invalid' }] },
    { code: 7, template_id: 301, sms_sign_id: 201, balance: 12, request_id: 'r-1' },
    { code: 0, msg: 'a service whose code of success is another' },
  ])('without a sign of acceptance is a refusal: %j', (body) => {
    expect(weighed(body).status).toBe('rejected');
    expect(weighed(body, 'throttled').status).toBe('rejected');
  });
});

test('of any JSON, an answer is never accepted without its receipt, and never stops a run', () => {
  const names = fc.constantFrom('code', 'msg', 'data', 'status', 'success', 'batch_id', 'mobile');
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(0, 1, 7, '0', 'ok', 'FAIL', 'b1', null, true, { toString: 1 }),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(names, tie('json'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(json, fc.constantFrom(1, 2, 100), (body, sent) => {
      const { status } = readOutcome({ kind: 'answered', body }, sent);
      const isAccepted = status === 'accepted';
      expect(isAccepted && !JSON.stringify(body).includes('"batch_id"')).toBe(false);
      const refused = readOutcome(
        weighEvidence({ kind: 'refused', reason: 'No', body }, sent),
        sent,
      );
      expect(['rejected', 'unknown']).toContain(refused.status);
    }),
    { numRuns: 500 },
  );
});

describe('an answer without end', () => {
  const outcomesOf = (body: unknown) => [
    readOutcome({ kind: 'answered', body }, 2).status,
    readOutcome(weighEvidence({ kind: 'refused', reason: 'No', body }, 2), 2).status,
  ];
  const deep = (depth: number) =>
    JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`) as unknown;
  const many = (entry: unknown) => Array.from({ length: 200_000 }, () => entry);

  test.each<[string, () => unknown, string[]]>([
    ['failures', () => ({ data: many({ fail: 0 }) }), ['unknown', 'rejected']],
    ['counts', () => ({ batch_id: 'b', data: many({ succ: 0 }) }), ['unknown', 'unknown']],
    ['arrays', () => ({ batch_id: deep(20_000) }), ['unknown', 'unknown']],
  ])('of %s stops no run', (_, body, outcomes) => {
    expect(outcomesOf(body())).toEqual(outcomes);
  });
});

describe('no answer', () => {
  test('leaves the outcome unknown when the request may have arrived', () => {
    expect(readOutcome({ kind: 'unclear', reason: 'It broke', httpStatus: 502 }, 2)).toEqual({
      status: 'unknown',
      msg: 'It broke',
      sent: 2,
      http_status: 502,
      advice: LATER,
    });
  });

  test.each([
    ['refused', "Check 'Template'. Your provider's manual"],
    ['throttled', 'Wait a moment'],
    ['unreachable', "Check the credential's Base URL"],
  ] as const)('is a refusal when the request was %s: nothing was sent', (kind, advice) => {
    expect(readOutcome({ kind, reason: 'No', code: 7 }, 2, "Check 'Template'")).toEqual({
      status: 'rejected',
      code: 7,
      msg: 'No',
      sent: 2,
      advice: expect.stringContaining(advice),
    });
  });
});

describe('an answer that contradicts itself', () => {
  const RECEIPT = { msg: 'ok', batch_id: 'b-1', count: 1 };

  const answer = async (fault: Partial<Fault>) => {
    gateway.fault({ kind: 'status', status: 200, accept: true, times: Infinity, ...fault });
    const { json } = await execute(TEMPLATE, people(1), {
      node: { ...CONTINUE.node, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
    });
    expect(gateway.requests).toHaveLength(1);
    return json[0];
  };

  // Guess: code-0-status
  test.each([429, 500, 503, 404])(
    'HTTP %d with code 0 and a batch ID is an acceptance, and is not sent again',
    async (status) => {
      const body = { code: 0, ...RECEIPT };
      expect(await answer({ status, retryAfter: '0', body })).toMatchObject({
        status: 'accepted',
        batch_id: 'b-1',
      });
    },
  );

  test.each([
    ['a code and a batch', 200, { code: 9000, ...RECEIPT }],
    ['a code and a count', 200, { code: 9000, count: 1 }],
    ['a code and a batch further down', 200, { code: 9000, data: [{ batch_id: 'b' }] }],
    ['HTTP 400 and a batch', 400, RECEIPT],
    ['HTTP 429 and a batch', 429, RECEIPT],
    ['HTTP 429 and half of an answer', 429, '{"code":0,"batch_id":"b'],
    ['HTTP 400 and half of an answer', 400, '{"code":0,"ms'],
    ['words of partial success', 200, { code: 1001, msg: '部分成功' }],
    ['a number of accepted messages', 200, { code: 1001, msg: 'no', succ_count: 1 }],
    ['IDs of messages', 200, { code: 1001, msg: 'no', data: { message_ids: ['m-1'] } }],
    ['an internal error by code', 200, { code: 100, msg: '内部错误' }],
    ['a code 200 with a sentence of success', 200, { code: 200, msg: '短信提交成功' }],
    ['HTTP 409', 409, { message: 'Conflict' }],
    ['HTTP 499', 499, 'client closed request'],
  ])('%s: the outcome is unknown, and nothing is sent again', async (_, status, body) => {
    expect(await answer({ status, retryAfter: '0', body })).toMatchObject({ status: 'unknown' });
  });
});

describe('the content of an answer', () => {
  test.each([
    ['{"code":0,"batch_id":1234567890123456789,"count":1}', '1234567890123456789'],
    ['{"batch_id": -9007199254740993,"code":"0","count":1}', '-9007199254740993'],
    ['\ufeff{"code":0,"msg":"a \\" 12345678901234567890","batch_id":"x","count":1}', 'x'],
    ['{"code":0,"rate":0.12345678901234567890,"batch_id":"x","count":1}', 'x'],
  ])('keeps all digits of a long batch ID: %s', async (body, batchId) => {
    gateway.fault({ kind: 'html', body });
    const { json } = await execute(TEMPLATE, people(1));
    expect(json).toMatchObject([{ status: 'accepted', batch_id: batchId, batch_count: 1 }]);
  });

  test.each([' ', '', -1, 1.5, '1e2', 'many'])(
    'the count %p is no count, and the output has a warning',
    async (count) => {
      gateway.fault({ kind: 'wrongShape', body: { code: 0, batch_id: 'b', count } });
      const { json } = await execute(TEMPLATE, people(1));
      expect(json).toMatchObject([
        { status: 'accepted', warning: expect.stringMatching(/not say/) },
      ]);
      expect(json[0]?.batch_count).toBeUndefined();
    },
  );

  // Guess: refusal
  test('of a refusal is in the outcome, and in the error of a run that stops', async () => {
    const body = { code: 9000, msg: 'no', request_id: 'r-1' };
    gateway.fault({ kind: 'status', status: 400, body, times: 2 });
    const said = { code: 9000, request_id: 'r-1', http_status: 400 };
    const { json } = await execute(TEMPLATE, people(1), CONTINUE);
    expect(json).toMatchObject([{ status: 'rejected', ...said }]);
    const { error } = await execute(TEMPLATE, people(1));
    expect((error as { context?: unknown }).context).toMatchObject({ service: said });
  });
});

test('an answer that never ends leaves the outcome unknown after the timeout', async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(drip));
  });
  const baseUrl = `http://${await listen(server)}`;
  const stuck = await createHarness({ ...gateway.credential(), baseUrl });
  const { json } = await stuck.execute(withOptions({ timeout: 300 }), people(1), CONTINUE);
  expect(json).toMatchObject([
    { status: 'unknown', msg: expect.stringContaining('within 300 ms') },
  ]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
