import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { runError } from '../../../nodes/SmsMessagingService/sending/runError';
import {
  firstFailed,
  outputItem,
  settleItems,
} from '../../../nodes/SmsMessagingService/sending/settle';
import type { ItemResult, Outcome } from '../../../nodes/SmsMessagingService/sending/outcome';
import type { PlannedItem } from '../../../nodes/SmsMessagingService/sending/plan';
import { checkErrorText } from '../../kit/engine/errorText';
import { phone } from '../../kit/engine/sends';

/** How the outcomes become the items of the output, or the error of the run: word for word. */

const node = { name: 'SMS', type: 'sms', typeVersion: 1, parameters: {} } as unknown as INode;

const ACCEPTED: Outcome = { state: 'accepted', batch_id: 'b', sent: 1 };
const REFUSED: Outcome = { state: 'refused', msg: 'No', sent: 1, advice: 'Ask why.' };
const BAD_INPUT: Outcome = { state: 'unsent', msg: 'Bad number', advice: 'Mend it.' };
const UNKNOWN: Outcome = { state: 'unknown', msg: 'Silence', sent: 1, advice: 'Look.' };
const SKIPPED: Outcome = { state: 'skipped', msg: 'Sent before' };

/** An item with one recipient for each outcome. */
const item = (...all: Outcome[]): PlannedItem => {
  const planned: PlannedItem = { itemIndex: 0, recipients: [] };
  planned.recipients = all.map((message, nth) => ({
    item: planned,
    phoneNumber: phone(nth),
    message,
  }));
  return planned;
};

const UNREADABLE = { ...item(), unsendable: { phoneNumbers: [], outcome: BAD_INPUT } };

const results = async (items: PlannedItem[]) =>
  await settleItems(
    items.map((each, itemIndex) => ({ ...each, itemIndex })),
    ({ message }) => message as Outcome,
  );

async function settle(items: PlannedItem[], onError: INode['onError'] = 'continueRegularOutput') {
  return (await results(items)).map((each) => outputItem({ ...node, onError }, each).json);
}

async function stop(...items: PlannedItem[]) {
  const all = await results(items);
  const error = runError(node, all, firstFailed(all) as ItemResult);
  checkErrorText(error);
  return error;
}

const RETRY =
  'The first retry of this execution sends only what certainly was not sent; another retry of it, or a new execution, may send the rest again.';

const BATCH = 'What was accepted has the batch_id b.';

describe('the error of a node that stops', () => {
  test.each<[Outcome[], string, string]>([
    [[REFUSED], 'No', 'Nothing was sent. Ask why.'],
    [[BAD_INPUT], 'Bad number', 'Nothing was sent. Mend it.'],
    [[UNKNOWN], 'The message may have been sent: Silence', `Look. ${RETRY}`],
    [[REFUSED, REFUSED], 'None of the 2 messages was sent: No', 'Ask why.'],
    [[UNKNOWN, UNKNOWN], 'Of 2 messages, 2 may have been sent: Silence', `Look. ${RETRY}`],
    [[SKIPPED, REFUSED], 'Of 2 messages, 1 was skipped and 1 was not sent: No', 'Ask why.'],
    [
      [ACCEPTED, REFUSED, ACCEPTED, REFUSED],
      'Of 4 messages, 2 were accepted and 2 were not sent: No',
      `Ask why. ${RETRY} ${BATCH}`,
    ],
    [
      [SKIPPED, SKIPPED, UNKNOWN],
      'Of 3 messages, 2 were skipped and 1 may have been sent: Silence',
      `Look. ${RETRY}`,
    ],
    [
      [ACCEPTED, BAD_INPUT, UNKNOWN, SKIPPED],
      'Of 4 messages, 1 was accepted, 1 was skipped, 1 may have been sent and 1 was not sent: Bad number',
      `Mend it. ${RETRY} ${BATCH}`,
    ],
    [
      [{ ...ACCEPTED, warning: 'Only one was' }, REFUSED],
      'Of 2 messages, 1 was accepted and 1 was not sent: No',
      `Ask why. ${RETRY} Only one was. ${BATCH}`,
    ],
    [[{ state: 'refused', msg: '', sent: 1 }], 'No reason was given', 'Nothing was sent.'],
  ])('says each fact once: %#', async (all, message, description) => {
    for (const items of [all.map((outcome) => item(outcome)), [item(...all)]]) {
      const error = await stop(...items);
      expect([error.message, error.description]).toEqual([message, description]);
    }
  });

  test('names the first item that failed, and is an input error when no request was made', async () => {
    const error = await stop(item(ACCEPTED), item(REFUSED), item(UNKNOWN));
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error.context.itemIndex).toBe(1);
    expect(await stop(item(BAD_INPUT))).toBeInstanceOf(NodeOperationError);
  });

  test('counts every recipient, and an item that could not be read as one message', async () => {
    const { message } = await stop(item(UNKNOWN, UNKNOWN, UNKNOWN), UNREADABLE);
    expect(message).toBe('Of 4 messages, 3 may have been sent and 1 was not sent: Silence');
  });
});

describe('an item', () => {
  test('that failed says what can be done: of its first failure, and of each part', async () => {
    const [json] = await settle([item(ACCEPTED, BAD_INPUT, UNKNOWN)]);
    expect(json).toMatchObject({
      advice: 'Mend it.',
      parts: [{ status: 'accepted' }, { advice: 'Mend it.' }, { advice: 'Look.' }],
    });
    expect((await settle([item(REFUSED)]))[0]).toMatchObject({ msg: 'No', advice: 'Ask why.' });
    const [, like] = await settle([item(REFUSED), { ...item(REFUSED), sameKeyAs: 0 }]);
    expect(like).toMatchObject({ status: 'rejected', advice: 'Ask why.' });
  });

  test('that failed without a reason still goes to the error output', async () => {
    const error = 'No reason was given';
    // A number of messages that the service did not say is none of the output.
    const silent = item({ state: 'unknown', msg: '', sent: 1 });
    expect(await settle([silent], 'continueErrorOutput')).toEqual([
      {
        error,
        details: {
          status: 'unknown',
          msg: '',
          phone_number: phone(0),
          phone_numbers: [phone(0)],
          open_numbers: [],
        },
      },
    ]);
  });

  test('has a part for each outcome', async () => {
    expect((await settle([item(REFUSED, { ...REFUSED })]))[0]).toMatchObject({
      phone_numbers: { length: 2 },
    });
    const [json] = await settle([item(ACCEPTED, { ...ACCEPTED, batch_id: 'c' })]);
    expect(json).toMatchObject({ status: 'accepted', phone_numbers: [phone(0), phone(1)] });
    expect(json).not.toHaveProperty('phone_number');
    expect(json?.msg).toBeUndefined();
    expect(json?.parts).toMatchObject([{ phone_number: phone(0) }, { phone_number: phone(1) }]);
  });
});

test('a failed item has the words of the service in its msg, and those that n8n passes on in its error', async () => {
  const words = 'sms_typePermission denied: EPERM';
  const failed = item({ ...REFUSED, msg: words });
  const error = 'sms_type-Permission denied: E-PERM';
  const [regular] = await settle([failed]);
  expect(regular).toMatchObject({ msg: words, error });
  const [onBranch] = await settle([failed], 'continueErrorOutput');
  expect(onBranch).toMatchObject({ error, details: { msg: words } });
});
