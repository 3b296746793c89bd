import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { Outcomes } from '../../../dist/nodes/SmsMessagingService/sending/outcome';
import { settleItems } from '../../../dist/nodes/SmsMessagingService/sending/settle';
import type { Outcome, Recipient } from '../../../nodes/SmsMessagingService/sending/outcome';
import type { PlannedItem } from '../../../nodes/SmsMessagingService/sending/plan';
import type { OnError } from '../../../nodes/SmsMessagingService/sending/settle';

/** How the outcomes become the items of the output, or the error of the run: word for word. */

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
  throw new Error('The run did not stop');
}

const KEPT =
  ' A retry of this execution sends only what was refused: accepted and unknown recipients are not sent to again.';

describe('the error of a node that stops', () => {
  test('has the words of the service when a request was made, and counts the recipients by status', () => {
    const error = stop(item(ACCEPTED), item(REFUSED), item(UNKNOWN), item(SKIPPED));
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error.message).toBe('2 of 4 items: No');
    expect(error.description).toBe(
      `Ask why. Of all recipients: 1 accepted, 1 refused, 1 unknown, 1 skipped.${KEPT}`,
    );
    expect(error.context.itemIndex).toBe(1);
  });

  test('is an input error when no request was made, and does not mention a retry', () => {
    const error = stop(item(BAD_INPUT));
    expect(error).toBeInstanceOf(NodeOperationError);
    expect(error.message).toBe('Bad number');
    expect(error.description).toBe('Mend it. Of all recipients: 0 accepted, 1 refused, 0 unknown.');
  });

  test('says that a retry does not send again what may have been sent', () => {
    expect(stop(item(UNKNOWN)).description).toBe(
      `Look. Of all recipients: 0 accepted, 0 refused, 1 unknown.${KEPT}`,
    );
  });

  test('has the first reason of an item whose parts have different outcomes', () => {
    const error = stop(item(ACCEPTED, BAD_INPUT, UNKNOWN, SKIPPED));
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error.message).toBe(
      '1 of 4 recipients were accepted (1 accepted, 1 refused, 1 unknown, 1 skipped): Bad number',
    );
    expect(error.description).toContain('Mend it. Of all recipients');
  });

  test('counts every recipient, and an item that could not be read as one recipient', () => {
    const unreadable = { recipients: [], refusals: [{ phoneNumbers: [], outcome: BAD_INPUT }] };
    const { description } = stop(item(UNKNOWN, UNKNOWN, UNKNOWN), unreadable);
    expect(description).toContain('0 accepted, 1 refused, 3 unknown.');
  });

  test('says that the message was rejected when the service gives no reason', () => {
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

  test('that failed without a reason still goes to the error output', () => {
    const [json] = settle([item({ status: 'unknown', msg: '' })], 'continueErrorOutput');
    expect(json).toEqual({
      error: 'The message was unknown',
      message: 'The message was unknown',
      details: { status: 'unknown', msg: '', phone_numbers: ['13800000000'] },
    });
  });

  test('whose parts were all accepted is accepted, without a message', () => {
    const [json] = settle([item(ACCEPTED, { ...ACCEPTED, batch_id: 'c' })]);
    expect(json).toMatchObject({
      status: 'accepted',
      phone_numbers: ['13800000000', '13800000001'],
    });
    expect(json?.msg).toBeUndefined();
    expect(json?.parts).toHaveLength(2);
  });

  test('has one part for each request, also when the outcomes are equal', () => {
    const refused = (request: string) => ({ ...REFUSED, request });
    const [one] = settle([item(refused('a'), refused('a'))]);
    expect(one).toMatchObject({ status: 'rejected', phone_numbers: { length: 2 } });
    expect(one?.parts).toBeUndefined();
    const [two] = settle([item(refused('a'), refused('b'))]);
    expect(two?.parts).toHaveLength(2);
  });

  test('with the idempotency key of an earlier item shares its refusal, and otherwise is skipped', () => {
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

  test('whose recipient has no outcome is a bug, and throws', () => {
    expect(() => settle([item(undefined)])).toThrow('A recipient was left without outcome');
  });
});
