import { createServer } from 'node:http';
import {
  readOutcome,
  weighEvidence,
} from '../../../dist/nodes/SmsMessagingService/sending/receipt';
import type { Fault } from '../../sandbox/faults';
import type { Gateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { listen } from '../harness/listen';
import { CONTINUE, people, shareSendingGateway, TEMPLATE, withOptions } from '../harness/sends';

/** What an answer proves: that messages were accepted, that they were refused, or neither. */

let gateway: Gateway;
let execute: Harness['execute'];

shareSendingGateway((world) => {
  ({ gateway, execute } = world);
});

const LATER = 'Look at the delivery reports, or ask your SMS provider, before you send again.';

describe('an answer without a refusal', () => {
  const answered = (body: unknown) => readOutcome({ kind: 'answered', body }, 3);

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

  test('may have a number for the batch ID, and a text for the count', () => {
    expect(answered({ batch_id: 17, count: '3' })).toEqual({
      status: 'accepted',
      batch_id: '17',
      count: 3,
      sent: 3,
    });
  });

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

  test.each([
    [2, 'The service accepted 2 of the 3 messages of this request and did not say which'],
    [undefined, 'The service did not say how many messages it accepted'],
    ['', 'The service did not say how many messages it accepted'],
    ['many', 'The service did not say how many messages it accepted'],
    [true, 'The service did not say how many messages it accepted'],
  ])('with the count %p is an acceptance with a warning', (count, warning) => {
    expect(answered({ batch_id: 'b', count })).toMatchObject({ status: 'accepted', warning });
  });

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

  test.each([
    { code: 7, batch_id: 'b' },
    { code: 7, batch_id: 12 },
    { code: 7, count: 1 },
    { code: 7, count: '2' },
    { code: 7, data: { batch_id: 'b' } },
    { code: 7, data: [{ batchId: 'b', count: 0 }] },
    { code: 7, success_count: 1, fail_count: 1 },
    { code: 7, data: { success: ['13810000000'], fail: ['13810000003'] } },
    { code: 7, data: [{ code: 0, sms_id: 's1' }, { code: 1007 }] },
    { code: 7, data: { total: 2, fail: 1 } },
    { code: 7, task_id: '99112' },
    { code: 7, success: true },
  ])('that names a batch leaves the outcome unknown: %j', (body) => {
    expect(weighed(body)).toMatchObject({
      status: 'unknown',
      code: 7,
      msg: 'No, but its answer names a batch or a success',
      advice: LATER,
    });
    expect(weighed(body, 'throttled').status).toBe('unknown');
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
  ])('that names no batch is a refusal: %j', (body) => {
    expect(weighed(body).status).toBe('rejected');
    expect(weighed(body, 'throttled').status).toBe('rejected');
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
