import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { IdempotencyKeys } from '../../../nodes/SmsMessagingService/sending/idempotencyKeys';
import type { DeduplicationHelpers } from '../../../nodes/SmsMessagingService/sending/keyStore';
import { RecipientOutcomes } from '../../../nodes/SmsMessagingService/sending/recipientOutcomes';
import { SendLedger } from '../../../nodes/SmsMessagingService/sending/sendLedger';
import { settleItems } from '../../../nodes/SmsMessagingService/sending/settle';
import type { Outcome, Recipient } from '../../../nodes/SmsMessagingService/sending/outcome';
import type { PlannedItem } from '../../../nodes/SmsMessagingService/sending/plan';
import type { OnError } from '../../../nodes/SmsMessagingService/sending/run';
import { checkErrorText } from '../harness/errorText';

/** How the outcomes become the items of the output, or the error of the run: word for word. */

const node = { name: 'SMS', type: 'sms', typeVersion: 1, parameters: {} } as unknown as INode;

const ACCEPTED: Outcome = { status: 'accepted', batch_id: 'b', sent: 1 };
const REFUSED: Outcome = { status: 'rejected', msg: 'No', sent: 1, advice: 'Ask why.' };
const BAD_INPUT: Outcome = { status: 'rejected', msg: 'Bad number', advice: 'Mend it.' };
const UNKNOWN: Outcome = { status: 'unknown', msg: 'Silence', sent: 1, advice: 'Look.' };
const SKIPPED: Outcome = { status: 'skipped', msg: 'Sent before' };

let outcomes: RecipientOutcomes;

beforeEach(() => {
  const ledger = new SendLedger({}, '0', '1');
  const keys = new IdempotencyKeys({} as DeduplicationHelpers, 'workflow', ledger);
  outcomes = new RecipientOutcomes(ledger, keys);
});

/** An item with one recipient for each outcome. */
const item = (...of: (Outcome | undefined)[]): PlannedItem => ({
  recipients: of.map((outcome, index) => {
    const recipient: Recipient = {
      itemIndex: 0,
      phoneNumber: `1380000000${index}`,
      message: '',
      key: '',
    };
    if (outcome) void outcomes.conclude([{ recipients: [recipient], outcome }]);
    return recipient;
  }),
});

/** Settles the items when their recipients have their outcomes. */
async function settled(items: PlannedItem[], onError: OnError) {
  await outcomes.end();
  return await settleItems(node, items, outcomes, onError);
}

async function stop(...items: PlannedItem[]): Promise<NodeApiError | NodeOperationError> {
  try {
    await settled(items, 'stop');
  } catch (error) {
    return error as NodeApiError;
  }
  throw new Error('The run did not stop');
}

const RETRY =
  'A retry of this execution sends only what certainly was not sent; a new execution may send the rest again.';

const BATCH = 'What was accepted has the batch_id b.';

describe('the error of a node that stops', () => {
  test('says what failed and why, and what happened to the others', async () => {
    const error = await stop(item(ACCEPTED), item(REFUSED), item(UNKNOWN), item(SKIPPED));
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error.message).toBe(
      'Of 4 messages, 1 was accepted, 1 was skipped, 1 may have been sent and 1 was not sent: No',
    );
    expect(error.description).toBe(`Ask why. ${RETRY} ${BATCH}`);
    expect(error.context.itemIndex).toBe(1);
  });

  test('is an input error when no request was made', async () => {
    const error = await stop(item(BAD_INPUT));
    expect(error).toBeInstanceOf(NodeOperationError);
    expect(error.message).toBe('Bad number');
    expect(error.description).toBe('Nothing was sent. Mend it.');
  });

  test.each<[Outcome[], string, string]>([
    [[REFUSED], 'No', 'Nothing was sent. Ask why.'],
    [[UNKNOWN], 'The message may have been sent: Silence', `Look. ${RETRY}`],
    [[REFUSED, REFUSED], 'None of the 2 messages was sent: No', 'Ask why.'],
    [[UNKNOWN, UNKNOWN], 'Of 2 messages, 2 may have been sent: Silence', `Look. ${RETRY}`],
    [
      [ACCEPTED, REFUSED],
      'Of 2 messages, 1 was accepted and 1 was not sent: No',
      `Ask why. ${RETRY} ${BATCH}`,
    ],
    [
      [ACCEPTED, REFUSED, ACCEPTED, REFUSED],
      'Of 4 messages, 2 were accepted and 2 were not sent: No',
      `Ask why. ${RETRY} ${BATCH}`,
    ],
    [
      [UNKNOWN, ACCEPTED, UNKNOWN],
      'Of 3 messages, 1 was accepted and 2 may have been sent: Silence',
      `Look. ${RETRY} ${BATCH}`,
    ],
    [
      [REFUSED, REFUSED, UNKNOWN],
      'Of 3 messages, 1 may have been sent and 2 were not sent: No',
      `Ask why. ${RETRY}`,
    ],
    [[SKIPPED, REFUSED], 'Of 2 messages, 1 was skipped and 1 was not sent: No', 'Ask why.'],
    [
      [SKIPPED, SKIPPED, UNKNOWN],
      'Of 3 messages, 2 were skipped and 1 may have been sent: Silence',
      `Look. ${RETRY}`,
    ],
    [
      [ACCEPTED, ACCEPTED, SKIPPED, SKIPPED, REFUSED],
      'Of 5 messages, 2 were accepted, 2 were skipped and 1 was not sent: No',
      `Ask why. ${RETRY} ${BATCH}`,
    ],
  ])('says each fact once: %#', async (all, message, description) => {
    for (const items of [all.map((outcome) => item(outcome)), [item(...all)]]) {
      const error = await stop(...items);
      expect([error.message, error.description]).toEqual([message, description]);
      checkErrorText(error);
    }
  });

  test('has the first reason of an item whose parts have different outcomes', async () => {
    const error = await stop(item(ACCEPTED, BAD_INPUT, UNKNOWN, SKIPPED));
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error.message).toMatch(/^Of 4 messages, 1 was accepted, .* 1 was not sent: Bad number$/);
    expect(error.description).toContain('Mend it.');
  });

  test('counts every recipient, and an item that could not be read as one message', async () => {
    const unreadable = { recipients: [], unsendable: { phoneNumbers: [], outcome: BAD_INPUT } };
    const { message } = await stop(item(UNKNOWN, UNKNOWN, UNKNOWN), unreadable);
    expect(message).toBe('Of 4 messages, 3 may have been sent and 1 was not sent: Silence');
  });

  test('says what to check of messages that were accepted', async () => {
    const warning = 'The service accepted 1 of the 2 messages of this request';
    const error = await stop(item({ ...ACCEPTED, warning }), item(BAD_INPUT));
    expect(error.description).toContain(`${warning}. ${BATCH}`);
  });

  test('says so when there is no reason', async () => {
    const error = await stop(item({ status: 'rejected', msg: '', sent: 1 }));
    expect(error.message).toBe('No reason was given');
    expect(error.description).toBe('Nothing was sent.');
  });
});

describe('an item', () => {
  const settle = async (planned: PlannedItem[], onError: OnError = 'continueRegularOutput') =>
    (await settled(planned, onError)).map(({ json }) => json);

  test('that could not be read has no phone numbers', async () => {
    const unreadable = { recipients: [], unsendable: { phoneNumbers: [], outcome: BAD_INPUT } };
    expect(await settle([unreadable])).toEqual([
      {
        status: 'rejected',
        msg: 'Bad number',
        phone_numbers: [],
        open_numbers: [],
        error: 'Bad number',
      },
    ]);
  });

  test('that failed without a reason still goes to the error output', async () => {
    const [json] = await settle([item({ status: 'unknown', msg: '' })], 'continueErrorOutput');
    expect(json).toEqual({
      error: 'No reason was given',
      message: 'No reason was given',
      details: {
        status: 'unknown',
        msg: '',
        phone_number: '13800000000',
        phone_numbers: ['13800000000'],
        open_numbers: [],
      },
    });
  });

  test('with only one number has it as text, and so has a part', async () => {
    const [json] = await settle([item(ACCEPTED, REFUSED)]);
    expect(json).not.toHaveProperty('phone_number');
    expect(json?.parts).toMatchObject([
      { phone_number: '13800000000', phone_numbers: ['13800000000'] },
      { phone_number: '13800000001', phone_numbers: ['13800000001'] },
    ]);
    const [merged] = await settle([item({ ...ACCEPTED, merged: true })]);
    expect(merged).toMatchObject({ phone_number: '13800000000', merged: true });
    expect(Object.keys(merged ?? {}).slice(0, 3)).toEqual([
      'status',
      'phone_number',
      'phone_numbers',
    ]);
  });

  test('whose parts were all accepted is accepted, without a message', async () => {
    const [json] = await settle([item(ACCEPTED, { ...ACCEPTED, batch_id: 'c' })]);
    expect(json).toMatchObject({
      status: 'accepted',
      phone_numbers: ['13800000000', '13800000001'],
    });
    expect(json?.msg).toBeUndefined();
    expect(json?.parts).toHaveLength(2);
  });

  test('has one part for each request, also when the outcomes are equal', async () => {
    const refused = (request: string) => ({ ...REFUSED, request });
    const [one] = await settle([item(refused('a'), refused('a'))]);
    expect(one).toMatchObject({ status: 'rejected', phone_numbers: { length: 2 } });
    expect(one?.parts).toBeUndefined();
    const [two] = await settle([item(refused('a'), refused('b'))]);
    expect(two?.parts).toHaveLength(2);
  });

  test('with the idempotency key of an earlier item shares its refusal, and otherwise is skipped', async () => {
    const repeats = (index: number): PlannedItem => ({ ...item(ACCEPTED), sameKeyAs: index });
    expect(
      (await settle([item(BAD_INPUT), item(UNKNOWN), repeats(0), repeats(1)])).slice(2),
    ).toMatchObject([
      {
        status: 'rejected',
        msg: 'Not sent, like item 0 with the same idempotency key: Bad number',
      },
      { status: 'skipped', msg: 'Not sent: item 1 has the same idempotency key' },
    ]);
  });

  test('with many requests costs the same for each of them', async () => {
    let reads = 0;
    const outcomeOf = (id: number): Outcome => ({
      status: 'accepted',
      get batch_id() {
        reads += 1;
        return String(id);
      },
    });
    const readsOf = async (count: number) => {
      reads = 0;
      await settle([item(...Array.from({ length: count }, (_, id) => outcomeOf(id)))]);
      return reads;
    };
    expect(await readsOf(400)).toBe(4 * (await readsOf(100)));
  });

  test('whose recipient has no outcome is a bug, and throws', async () => {
    await expect(settle([item(undefined)])).rejects.toThrow('A recipient was left without outcome');
  });
});
