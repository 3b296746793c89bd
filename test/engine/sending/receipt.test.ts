import { readOutcome } from '../../../nodes/SmsMessagingService/sending/receipt';
import type { Unanswered } from '../../../nodes/SmsMessagingService/service/answer';
import { CONTINUE, people, TEMPLATE, useSendingGateway } from '../harness/sends';

/** What the outcome of a message says of the answer. What counts as refused is in declared/. */

const LATER = 'Look at the delivery reports, or ask your SMS provider, before you send again.';

describe('an answer to three messages', () => {
  const answered = (body: unknown) => readOutcome({ kind: 'answered', body }, 3);

  const NO_BATCH = /^The service gave no batch_id, so delivery reports cannot be told/;
  const NO_COUNT = /^The service did not say how many messages it accepted\.$/;
  const FEWER =
    /^The service accepted 2 of the 3 messages of this request and did not say which\.$/;
  const MORE = /^The service says that it accepted 4 messages, but this request has 3\.$/;

  // Guess: receipt, lower-count, no-code, words
  test.each<[object, string | undefined, number | undefined, RegExp | undefined]>([
    [{ batch_id: 17, count: '3' }, '17', 3, undefined],
    [{ code: 0, count: 3, data: { batch_id: 'b' } }, 'b', 3, undefined],
    [[[{ code: 0, msg: 'ok', batch_id: 'b', count: 3 }]], 'b', 3, undefined],
    // Fields that the specification does not have say nothing, nor do the words.
    [
      { code: 0, msg: '发送失败', batch_id: 'b', count: 3, ret: 1, fail_count: 3 },
      'b',
      3,
      undefined,
    ],
    [{ code: 0, batch_id: 'b', count: 2 }, 'b', 2, FEWER],
    [{ code: 0, batch_id: 'b', count: 4 }, 'b', 4, MORE],
    [{ code: 0, batch_id: 'b', count: 'many' }, 'b', undefined, NO_COUNT],
    [{ code: null, batch_id: 'b', count: -1 }, 'b', undefined, NO_COUNT],
    [{ code: 0, batch_id: '', count: 3 }, undefined, 3, NO_BATCH],
    [{ code: 0 }, undefined, undefined, NO_BATCH],
  ])('%j: accepted', (body, batchId, count, warning) => {
    const outcome = answered(body);
    expect(outcome).toMatchObject({ status: 'accepted', batch_id: batchId, count, sent: 3 });
    if (warning) expect(outcome.warning).toMatch(warning);
    else expect(outcome.warning).toBeUndefined();
  });

  // Guess: receipt
  test.each([
    [{ code: 0, data: { count: '0' } }, 'that it accepted 0 messages'],
    [[], 'without a code and without a batch_id'],
    [{ code: '', batch_id: 0, data: [{ batch_id: 'b' }] }, 'without a code and without a batch_id'],
  ])('%j: unknown', (body, doubt) => {
    const msg = `The service answered ${doubt}`;
    expect(answered(body)).toMatchObject({ status: 'unknown', msg, sent: 3, advice: LATER });
  });
});

// Guess: refused-request
test.each<[Unanswered['kind'], number, number, string, string]>([
  ['refused', 400, 2, 'rejected', "Check 'Content'. One message can cost all of its request: "],
  ['refused', 400, 1, 'rejected', "Check 'Content'."],
  ['refused', 401, 2, 'rejected', 'Check API Key'],
  ['refused', 404, 2, 'rejected', "'Endpoint Path' under Options"],
  ['empty', 200, 1, 'rejected', "Check 'Content'."],
  [
    'throttled',
    429,
    2,
    'rejected',
    'Wait a moment and run again. If it happens often, set a lower',
  ],
  ['unreachable', 0, 2, 'rejected', "Check the credential's Base URL"],
  ['unclear', 500, 2, 'unknown', LATER],
])('no usable answer (%s, HTTP %d, %d messages): %s', (kind, httpStatus, sent, status, advice) => {
  const said = { code: 7, requestId: 'r', httpStatus };
  const outcome = readOutcome({ kind, reason: 'No', msg: 'x', ...said }, sent, "Check 'Content'.");
  expect(outcome).toEqual({
    status,
    code: 7,
    msg: 'No',
    sent,
    request_id: 'r',
    http_status: httpStatus,
    advice: expect.stringContaining(advice),
  });
  expect(outcome.advice?.includes('One message can cost')).toBe(httpStatus === 400 && sent > 1);
});

const { gateway, execute } = useSendingGateway();

test('what the service said is in the outcome, and in the error of a run that stops', async () => {
  const body = { code: 9000, msg: 'no', request_id: 'r-1' };
  gateway.fault({ kind: 'status', status: 400, body, times: 2 });
  const said = { code: 9000, request_id: 'r-1', http_status: 400 };
  const { json } = await execute(TEMPLATE, people(1), CONTINUE);
  expect(json).toMatchObject([{ status: 'rejected', ...said }]);
  const { error } = await execute(TEMPLATE, people(1));
  expect(error?.context).toMatchObject({ service: said });
});
