import fc from 'fast-check';
import { readNews } from '../../../nodes/SmsMessagingService/sending/sender';
import type { Unanswered } from '../../../nodes/SmsMessagingService/service/answer';
import { MAX_OTHERS_LENGTH } from '../../../nodes/SmsMessagingService/service/messageBatch';
import { CONTINUE, people, TEMPLATE, useSendingGateway } from '../../kit/engine/sends';

/** What the outcome of a message says of the answer. What counts as refused is in declared/. */

const { gateway, execute } = useSendingGateway();

/** As a send of free text is told. */
const ASKED = { task: 'custom' } as const;

const LATER = 'Look at the delivery reports, or ask your SMS provider, before you send again.';

describe('an answer to three messages', () => {
  const answered = (body: unknown) => readNews({ kind: 'answered', body }, 3, ASKED);

  const NO_BATCH = /^The service gave no batch_id, so delivery reports cannot be matched/;
  const NO_COUNT = /^The service did not say how many messages it accepted\.$/;
  const FEWER =
    /^The service accepted 2 of the 3 messages of this request and did not say which\.$/;
  const MORE = /^The service says that it accepted 4 messages, but this request has 3\.$/;

  // Guess: lower-count
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
    expect(outcome).toMatchObject({
      happening: 'accepted',
      batch_id: batchId,
      batch_count: count,
      sent: 3,
    });
    if (warning) expect(outcome.warning).toMatch(warning);
    else expect(outcome.warning).toBeUndefined();
  });

  test.each([
    [{ code: 0, data: { count: '0' } }, 'that it accepted 0 messages'],
    [[], 'without a code and without a batch_id'],
    [{ code: '', batch_id: 0, data: [{ batch_id: 'b' }] }, 'without a code and without a batch_id'],
  ])('%j: unknown', (body, doubt) => {
    const msg = `The service answered ${doubt}`;
    expect(answered(body)).toMatchObject({ happening: 'unclear', msg, sent: 3, advice: LATER });
  });
});

const CHECK = "^Check 'Signature', 'Content' and 'Phone Numbers'\\.";

// Guess: refused-request
test.each<[Unanswered['kind'], number, number, string, string]>([
  ['refused', 400, 2, 'refused', `${CHECK} One message can cost all: lower 'Batch Size' `],
  ['refused', 400, 1, 'refused', `${CHECK}$`],
  ['refused', 401, 2, 'refused', '^Check API Key'],
  ['refused', 404, 2, 'refused', "'Endpoint Path' under Options"],
  ['empty', 200, 1, 'refused', `${CHECK}$`],
  ['throttled', 429, 2, 'throttled', "'Max Concurrency' under Options"],
  ['unreachable', 0, 2, 'unreachable', "Check the credential's Base URL"],
  ['unclear', 500, 2, 'unclear', LATER],
])(
  'no usable answer (%s, HTTP %d, %d messages): %s',
  (kind, httpStatus, sent, happening, advice) => {
    const said = { code: 7, requestId: 'r', httpStatus };
    const outcome = readNews({ kind, reason: 'No', msg: 'x', ...said }, sent, ASKED);
    expect(outcome).toEqual({
      happening,
      code: 7,
      msg: 'No',
      sent,
      request_id: 'r',
      http_status: httpStatus,
      advice: expect.stringMatching(advice),
    });
  },
);

describe('further fields of an answer', () => {
  const answerTo = (body: unknown) => readNews({ kind: 'answered', body }, 1, ASKED).answer;

  test.each<[unknown, unknown]>([
    [
      { code: 0, msg: 'ok', batch_id: 'b', count: 1, tp: 1, request_id: 'r', data: null },
      undefined,
    ],
    [{ code: 0, message: 'ok', errors: [], data: { batch_id: 'b', count: 1, ext: {} } }, undefined],
    [
      { code: 0, batch_id: 'b', fee: 0, data: { msg_no: '17', parts: [{ to: 1 }] } },
      { fee: 0, msg_no: '17', parts: [{ to: 1 }] },
    ],
    [
      { code: 0, msgid: '17', data: ['b1', 'b2'] },
      { msgid: '17', data: ['b1', 'b2'] },
    ],
    [{ code: 0, data: 'b1' }, { data: 'b1' }],
    [
      { code: 0, batch_id: ['b1'], data: { code: 'x' } },
      { batch_id: ['b1'], code: 'x' },
    ],
    [{ code: 0, msg: 'ok', message: 'queued', batch_id: 'b' }, { message: 'queued' }],
    // Only a text is words.
    [
      { code: 0, msg: { zh: 'queued' }, message: ['m'], batch_id: 'b' },
      { msg: { zh: 'queued' }, message: ['m'] },
    ],
    [{ code: 0, message: 7, batch_id: 'b' }, { message: 7 }],
    [{ code: 0, data: { data: { id: 'b1' } } }, { data: { id: 'b1' } }],
    [{ code: 0, constructor: 'x' }, { constructor: 'x' }],
  ])('of %j: %j', (body, answer) => {
    expect(answerTo(body)).toEqual(answer);
    expect(readNews({ kind: 'refused', reason: 'No', body }, 1, ASKED).answer).toEqual(answer);
  });

  test('a request ID may be a number', () => {
    const body = { code: 0, batch_id: 'b', count: 1, request_id: 17 };
    const { request_id, answer } = readNews({ kind: 'answered', body }, 1, ASKED);
    expect({ request_id, answer }).toEqual({ request_id: '17', answer: undefined });
  });

  test('a batch that is named otherwise is where the warning says', () => {
    const outcome = readNews(
      { kind: 'answered', body: { code: 0, count: 1, msgid: '17' } },
      1,
      ASKED,
    );
    expect(outcome).toMatchObject({ happening: 'accepted', answer: { msgid: '17' } });
    expect(outcome.warning).toMatch(
      /gave no batch_id.* may have named the batch otherwise: see 'answer'\.$/,
    );
  });

  test('are kept as they are, none is lost unsaid, and they are bounded', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.object(), fc.constant('x'.repeat(1_500)));
    const fields = fc.dictionary(fc.string({ minLength: 1 }), value, { noNullPrototype: true });
    const OWN = ['code', 'msg', 'message', 'request_id', 'tp', 'batch_id', 'count', 'data'];
    fc.assert(
      fc.property(fields, fields, (top, data) => {
        const { left_out: leftOut, ...kept } = answerTo({ ...top, data }) ?? {};
        const said = [...Object.entries(top), ...Object.entries(data)].filter(
          ([name, field]) =>
            !OWN.includes(name) && !['""', '{}', '[]', 'null'].includes(JSON.stringify(field)),
        );
        for (const [name, field] of Object.entries(kept))
          expect(said).toContainEqual([name, field]);
        const lost = said.filter(([name]) => !Object.hasOwn(kept, name));
        if (lost.length > 0) expect(leftOut).toBeGreaterThanOrEqual(lost.length);
        else if (JSON.stringify(said).length < MAX_OTHERS_LENGTH) expect(leftOut).toBeUndefined();
        expect(JSON.stringify(kept).length).toBeLessThan(2 * MAX_OTHERS_LENGTH);
      }),
    );
  });

  test('are in the output of every item of the request, as one object', async () => {
    const body = { code: 0, msg: 'ok', count: 3, taskId: 't', data: { fee: 0.15 } };
    gateway.fault({ kind: 'wrongShape', body });
    const { json } = await execute(TEMPLATE, people(3), CONTINUE);
    expect(json.map(({ answer }) => answer)).toEqual(Array(3).fill({ taskId: 't', fee: 0.15 }));
    expect(json[1]?.answer).toBe(json[0]?.answer);
  });

  test('a batch beside a refusal is shown with the unknown messages', async () => {
    const body = { code: 9000, msg: 'no', batch_id: 'b', count: 1, fee: 1 };
    gateway.fault({ kind: 'status', status: 200, body });
    const { json } = await execute(TEMPLATE, people(1), CONTINUE);
    expect(json).toMatchObject([
      { status: 'unknown', batch_id: 'b', batch_count: 1, answer: { fee: 1 } },
    ]);
  });
});

test('a code that usually is about the account says nothing about the messages', async () => {
  gateway.fault({ kind: 'businessCode', code: 1, msg: 'no' });
  const { json } = await execute(TEMPLATE, people(3), CONTINUE);
  expect(json[0]?.advice).toMatch(/^Code 1 often means a wrong key/);
  expect(json[0]?.advice).not.toContain('Batch Size');
});

test('what the service said is in the outcome, and in the error of a run that stops', async () => {
  const body = { code: 9000, msg: 'no', request_id: 'r-1' };
  gateway.fault({ kind: 'status', status: 400, body, times: 2 });
  const said = { code: 9000, request_id: 'r-1', http_status: 400 };
  const { json } = await execute(TEMPLATE, people(1), CONTINUE);
  expect(json).toMatchObject([{ status: 'rejected', ...said }]);
  const { error } = await execute(TEMPLATE, people(1));
  expect(error?.context).toMatchObject({ service: said });
});
