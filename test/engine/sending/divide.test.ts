import { deliver, Refusals } from '../../../dist/nodes/SmsMessagingService/sending/divide';
import type { Attempt } from '../../../nodes/SmsMessagingService/sending/divide';
import type { Recipient } from '../../../nodes/SmsMessagingService/sending/outcome';

/** The service refuses a whole batch because of one message. Which parts of it are then sent. */

const REFUSED = (code: number): Attempt => ({
  outcome: { status: 'rejected', code, http_status: 200 },
  isRefused: true,
});
const ACCEPTED: Attempt = { outcome: { status: 'accepted', batch_id: 'b' }, isRefused: false };

/** Recipients with these phone numbers. */
const to = (...phones: string[]): Recipient[] =>
  phones.map((phoneNumber, itemIndex) => ({ itemIndex, phoneNumber, message: '', key: '' }));

const many = (count: number, from = 0) =>
  to(...Array.from({ length: count }, (_, index) => String(from + index)));

/** Delivers to recipients. `answer` is what the service says to a request with these phone numbers. */
async function play(
  recipients: Recipient[],
  answer: (phones: string[]) => Attempt,
  refusals = new Refusals(),
) {
  const tried: string[] = [];
  const verdicts = await deliver(
    recipients,
    async (some) => {
      const phones = some.map(({ phoneNumber }) => phoneNumber);
      tried.push(phones.join());
      return answer(phones);
    },
    refusals,
  );
  const statuses = new Map(
    verdicts.flatMap(({ recipients: some, outcome }) =>
      some.map((recipient) => [recipient, outcome.status] as const),
    ),
  );
  expect(statuses.size).toBe(recipients.length);
  return { tried, statuses: recipients.map((recipient) => statuses.get(recipient)) };
}

const has = (bad: string[]) => (phones: string[]) => phones.some((phone) => bad.includes(phone));

test('an accepted batch is sent once', async () => {
  expect((await play(many(4), () => ACCEPTED)).tried).toEqual(['0,1,2,3']);
});

test('a batch of one message that is refused is sent once', async () => {
  expect((await play(many(1), () => REFUSED(7))).tried).toEqual(['0']);
});

test('a batch that was refused for another reason than its messages is not split', async () => {
  const stopped: Attempt = { outcome: { status: 'rejected', msg: 'cancelled' } };
  expect((await play(many(4), () => stopped)).tried).toEqual(['0,1,2,3']);
});

test('the first message is sent alone, and then the batch is split into halves', async () => {
  const { tried, statuses } = await play(many(5), (phones) =>
    has(['2'])(phones) ? REFUSED(7) : ACCEPTED,
  );
  expect(tried).toEqual(['0,1,2,3,4', '0', '1,2', '1', '2', '3,4']);
  expect(statuses).toEqual(['accepted', 'accepted', 'rejected', 'accepted', 'accepted']);
});

test('the first message is refused alone: then a message to another number is sent alone', async () => {
  const { tried, statuses } = await play(to('x', 'y', 'x'), (phones) =>
    has(['x'])(phones) ? REFUSED(7) : ACCEPTED,
  );
  expect(tried).toEqual(['x,y,x', 'x', 'y', 'x']);
  expect(statuses).toEqual(['rejected', 'accepted', 'rejected']);
});

test('the first message is refused alone, and all have the same number: each message is sent alone', async () => {
  const { tried } = await play(to('x', 'x', 'x'), () => REFUSED(7));
  expect(tried).toEqual(['x,x,x', 'x', 'x', 'x']);
});

test('two messages are refused alone: the rest is refused without a request', async () => {
  const { tried, statuses } = await play(many(5), () => REFUSED(7));
  expect(tried).toEqual(['0,1,2,3,4', '0', '4']);
  expect(statuses).toEqual(Array(5).fill('rejected'));
});

test('two messages are refused alone with another code: the rest is sent', async () => {
  const { tried } = await play(many(4), (phones) => {
    if (phones.length > 2) return REFUSED(7);
    return phones.length === 1 ? REFUSED(8) : ACCEPTED;
  });
  expect(tried).toEqual(['0,1,2,3', '0', '1,2', '3']);
});

test('a refusal of the account ends the splitting in all batches of the run, for its code', async () => {
  const refusals = new Refusals();
  await play(many(3), () => REFUSED(7), refusals);
  expect((await play(many(3), () => REFUSED(7), refusals)).tried).toEqual(['0,1,2']);
  expect((await play(many(3), () => REFUSED(8), refusals)).tried).toEqual(['0,1,2', '0', '2']);
  const other = { ...REFUSED(7), outcome: { ...REFUSED(7).outcome, http_status: 400 } };
  expect((await play(many(3), () => other, refusals)).tried).toEqual(['0,1,2', '0', '2']);
});

describe('after 50 consecutive refusals', () => {
  /** The first request, with all 100 messages, is refused. Then `accepted` decides. */
  const afterFirst = (accepted: (phones: string[], requests: number) => boolean) => {
    let requests = 0;
    return (phones: string[]) => (accepted(phones, requests++) ? ACCEPTED : REFUSED(7));
  };

  test('the rest is refused without a request', async () => {
    const { tried } = await play(
      many(100),
      afterFirst((phones) => phones.join() === '0'),
    );
    // After the whole batch and the first message: fewer than 60 requests with several messages.
    const refused = tried.slice(2);
    expect(refused.filter((phones) => phones.includes(',')).length).toBeLessThan(60);
    expect(tried.length).toBeLessThan(75);
    expect(tried.length).toBeGreaterThan(50);
  });

  test('unless a message between them was accepted', async () => {
    const good = Array.from({ length: 10 }, (_, index) => String(index * 10));
    const { statuses } = await play(
      many(100),
      afterFirst((phones) => phones.every((phone) => good.includes(phone))),
    );
    const accepted = statuses.flatMap((status, index) =>
      status === 'accepted' ? [String(index)] : [],
    );
    expect(accepted).toEqual(good);
  });
});
