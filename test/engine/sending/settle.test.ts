import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { settleItems } from '../../../dist/nodes/SmsMessagingService/sending/settle';
import { Outcomes } from '../../../dist/nodes/SmsMessagingService/sending/outcome';
import {
  readOutcome,
  weighEvidence,
} from '../../../dist/nodes/SmsMessagingService/sending/receipt';
import type { Outcome, Recipient } from '../../../nodes/SmsMessagingService/sending/outcome';
import type { PlannedItem } from '../../../nodes/SmsMessagingService/sending/plan';
import type { OnError } from '../../../nodes/SmsMessagingService/sending/settle';

/** What a request means for its messages, and how the items say so: word for word. */

const LATER =
  'The messages may have been accepted, so they are not sent again automatically. Look at the delivery reports, or ask the operator, before you send them again.';

describe('an answer', () => {
  const answered = (body: unknown) => readOutcome({ kind: 'answered', body }, 3);

  test('with a batch and the right count is a success', () => {
    expect(answered({ code: 0, msg: 'ok', batch_id: 'b', count: 3 })).toEqual({
      status: 'accepted',
      batch_id: 'b',
      code: 0,
      msg: 'ok',
      count: 3,
      sent: 3,
    });
  });

  test('may have numbers where texts are shown, and the other way round', () => {
    expect(answered({ batch_id: 17, count: '3' })).toEqual({
      status: 'accepted',
      batch_id: '17',
      count: 3,
      sent: 3,
    });
  });

  test.each([
    [2, 'The service accepted 2 of the 3 messages of this request and did not say which'],
    [undefined, 'The service did not say how many messages it accepted'],
    ['', 'The service did not say how many messages it accepted'],
    ['many', 'The service did not say how many messages it accepted'],
    [true, 'The service did not say how many messages it accepted'],
  ])('with the count %p is a success with a warning', (count, warning) => {
    expect(answered({ batch_id: 'b', count })).toMatchObject({ status: 'accepted', warning });
  });

  test.each([
    [{ batch_id: '', count: 3 }, 'without a batch_id'],
    [{ batch_id: null }, 'without a batch_id'],
    [['b'], 'without a batch_id'],
    [{ batch_id: 'b', count: 0 }, 'that it accepted 0 messages'],
    [{ batch_id: 'b', count: '0' }, 'that it accepted 0 messages'],
  ])('like %j is not certain', (body, what) => {
    const outcome = answered(body);
    expect(outcome).toMatchObject({
      status: 'unknown',
      msg: `The service answered ${what}, so it is not certain what became of them`,
      sent: 3,
      advice: LATER,
    });
  });
});

describe('a refusal', () => {
  const weighed = (body: unknown, kind: 'refused' | 'throttled' = 'refused') =>
    readOutcome(weighEvidence({ kind, reason: 'No', code: 7, body }), 2);

  test.each([
    { code: 7, batch_id: 'b' },
    { code: 7, batch_id: 12 },
    { code: 7, count: 1 },
    { code: 7, count: '2' },
    { code: 7, data: { batch_id: 'b' } },
    { code: 7, data: [{ batchId: 'b', count: 0 }] },
  ])('whose answer shows a batch is not certain: %j', (body) => {
    expect(weighed(body)).toMatchObject({
      status: 'unknown',
      code: 7,
      msg: 'No. But its answer names a batch, so the messages may have been accepted',
      advice: LATER,
    });
    expect(weighed(body, 'throttled').status).toBe('unknown');
  });

  test.each([
    undefined,
    { code: 7, batch_id: '', count: 0 },
    { code: 7, batch_id: null, count: null },
    { code: 7, batch_id: 0, count: '0', data: { batch_id: ' ' } },
    { code: 7, count: true, data: [] },
  ])('whose answer shows none is one: %j', (body) => {
    expect(weighed(body).status).toBe('rejected');
    expect(weighed(body, 'throttled').status).toBe('rejected');
  });
});

describe('no answer', () => {
  test('is not certain where the request may have arrived', () => {
    expect(readOutcome({ kind: 'unclear', reason: 'It broke', httpStatus: 502 }, 2)).toEqual({
      status: 'unknown',
      msg: 'It broke',
      sent: 2,
      http_status: 502,
      advice: LATER,
    });
  });

  test.each([
    ['refused', 'Nothing was changed.'],
    ['throttled', 'Nothing was changed. Wait'],
    ['unreachable', 'Nothing was sent.'],
  ] as const)('is a refusal when the request was %s', (kind, advice) => {
    expect(readOutcome({ kind, reason: 'No', code: 7 }, 2)).toEqual({
      status: 'rejected',
      code: 7,
      msg: 'No',
      sent: 2,
      advice: expect.stringContaining(advice),
    });
  });
});

const node = { name: 'SMS', type: 'sms', typeVersion: 1, parameters: {} } as unknown as INode;

const ACCEPTED: Outcome = { status: 'accepted', batch_id: 'b', sent: 1 };
const REFUSED: Outcome = { status: 'rejected', msg: 'No', sent: 1, advice: 'Ask why.' };
const BAD_INPUT: Outcome = { status: 'rejected', msg: 'Bad number', advice: 'Mend it.' };
const UNKNOWN: Outcome = { status: 'unknown', msg: 'Silence', sent: 1, advice: 'Look.' };
const SKIPPED: Outcome = { status: 'skipped', msg: 'Sent before' };

let outcomes: Outcomes;

beforeEach(() => (outcomes = new Outcomes()));

/** An item with one recipient for each outcome. */
const item = (...of: (Outcome | undefined)[]): PlannedItem => ({
  recipients: of.map((outcome, index) => {
    const recipient: Recipient = {
      itemIndex: 0,
      phoneNumber: `1380000000${index}`,
      message: '',
      key: '',
    };
    if (outcome) outcomes.add([{ recipients: [recipient], outcome }]);
    return recipient;
  }),
  refusals: [],
});

function stop(...items: PlannedItem[]): NodeApiError | NodeOperationError {
  try {
    settleItems(node, items, outcomes, 'stop');
  } catch (error) {
    return error as NodeApiError;
  }
  throw new Error('It did not stop');
}

const KEPT =
  ' A retry of this execution sends only what was refused: accepted and unknown recipients are not sent to again.';

describe('the error of a node that stops', () => {
  test("is the service's where a request was made, and counts what became of all", () => {
    const error = stop(item(ACCEPTED), item(REFUSED), item(UNKNOWN), item(SKIPPED));
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error.message).toBe('2 of 4 items: No');
    expect(error.description).toBe(
      `Ask why. Of all recipients: 1 accepted, 1 refused, 1 unknown, 1 skipped.${KEPT}`,
    );
    expect(error.context.itemIndex).toBe(1);
  });

  test('is one of input where none was made, and promises nothing about what was not sent', () => {
    const error = stop(item(BAD_INPUT));
    expect(error).toBeInstanceOf(NodeOperationError);
    expect(error.message).toBe('Bad number');
    expect(error.description).toBe('Mend it. Of all recipients: 0 accepted, 1 refused, 0 unknown.');
  });

  test('promises not to repeat what may have been sent', () => {
    expect(stop(item(UNKNOWN)).description).toBe(
      `Look. Of all recipients: 0 accepted, 0 refused, 1 unknown.${KEPT}`,
    );
  });

  test('names the first reason of an item whose parts fared differently', () => {
    const error = stop(item(ACCEPTED, BAD_INPUT, UNKNOWN, SKIPPED));
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error.message).toBe(
      '1 of 4 recipients were accepted (1 accepted, 1 refused, 1 unknown, 1 skipped): Bad number',
    );
    expect(error.description).toContain('Mend it. Of all recipients');
  });

  test('counts every recipient, and an item that could not be read as one', () => {
    const unreadable = { recipients: [], refusals: [{ phoneNumbers: [], outcome: BAD_INPUT }] };
    const { description } = stop(item(UNKNOWN, UNKNOWN, UNKNOWN), unreadable);
    expect(description).toContain('0 accepted, 1 refused, 3 unknown.');
  });

  test('says something where the service gave no reason', () => {
    const error = stop(item({ status: 'rejected', msg: '', sent: 1 }));
    expect(error.message).toBe('The message was rejected');
    expect(error.description).toBe('Of all recipients: 0 accepted, 1 refused, 0 unknown.');
  });
});

describe('an item', () => {
  const settle = (planned: PlannedItem[], onError: OnError = 'continueRegularOutput') =>
    settleItems(node, planned, outcomes, onError).map(({ json }) => json);

  test('that could not be read has no phone numbers', () => {
    const unreadable = { recipients: [], refusals: [{ phoneNumbers: [], outcome: BAD_INPUT }] };
    expect(settle([unreadable])).toEqual([
      { status: 'rejected', msg: 'Bad number', phone_numbers: [], error: 'Bad number' },
    ]);
  });

  test('that failed without a reason still is a failed one to n8n', () => {
    const [json] = settle([item({ status: 'unknown', msg: '' })], 'continueErrorOutput');
    expect(json).toEqual({
      error: 'The message was unknown',
      message: 'The message was unknown',
      details: { status: 'unknown', msg: '', phone_numbers: ['13800000000'] },
    });
  });

  test('whose parts all were accepted is accepted, and needs no words', () => {
    const [json] = settle([item(ACCEPTED, { ...ACCEPTED, batch_id: 'c' })]);
    expect(json).toMatchObject({
      status: 'accepted',
      phone_numbers: ['13800000000', '13800000001'],
    });
    expect(json?.msg).toBeUndefined();
    expect(json?.parts).toHaveLength(2);
  });

  test('has one part for each request, also where the outcome reads the same', () => {
    const refused = (request: string) => ({ ...REFUSED, request });
    const [one] = settle([item(refused('a'), refused('a'))]);
    expect(one).toMatchObject({ status: 'rejected', phone_numbers: { length: 2 } });
    expect(one?.parts).toBeUndefined();
    const [two] = settle([item(refused('a'), refused('b'))]);
    expect(two?.parts).toHaveLength(2);
  });

  test('with the key of an earlier one shares its refusal, and else is skipped', () => {
    const repeats = (index: number): PlannedItem => ({ ...item(ACCEPTED), sameKeyAs: index });
    expect(settle([item(BAD_INPUT), item(UNKNOWN), repeats(0), repeats(1)]).slice(2)).toMatchObject(
      [
        {
          status: 'rejected',
          msg: 'Not sent, like item 0 with the same idempotency key: Bad number',
        },
        { status: 'skipped', msg: 'Not sent: item 1 has the same idempotency key' },
      ],
    );
  });

  test('whose recipient has no outcome is a mistake of ours, and told', () => {
    expect(() => settle([item(undefined)])).toThrow('A recipient was left without outcome');
  });
});
