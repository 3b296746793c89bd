import {
  newLearnt,
  next,
  sizeOf,
  startDrain,
} from '../../../nodes/SmsMessagingService/receiving/drainStep';
import type {
  Action,
  Answer,
  DrainState,
} from '../../../nodes/SmsMessagingService/receiving/drainStep';

/** The steps of a drain: a state, the answer to a pull, and what follows. Pull Size is 100. */

const START = startDrain(100, 10_000, newLearnt());
const BY_HAND = startDrain(100, Infinity);
const BROUGHT: DrainState = { ...START, fresh: 100, freshLength: 100, isAccepted: true };
const LOOKING: DrainState = { ...START, oldLength: 100, look: 200, isAccepted: true };
const learntOf = (state: DrainState) => ({ ...newLearnt(), sizes: state.sizes });

const answer = (kind: Answer['kind'], more: Partial<Answer> = {}): Answer => ({
  kind,
  length: 0,
  fresh: 0,
  isShown: false,
  isAgain: false,
  ...more,
});
const newPage = (length: number, fresh = length) => answer('page', { length, fresh });
const oldPage = (length: number) => answer('page', { length });
const samePage = (length: number) => answer('page', { length, isShown: true, isAgain: true });
/** A look shows old records that it did not show before, behind those of the page before. */
const furtherPage = (length: number) => answer('page', { length, isAgain: true });

/** What follows, and the size that is asked for then. */
type Expected = Action & { size?: number };

const END: Action = { kind: 'end' };
const FAIL: Action = { kind: 'fail' };
const WAIT: Action = { kind: 'wait' };
const ask = (size: number): Expected => ({ kind: 'pull', size });
const tell = (count: number): Action => ({ kind: 'tell', count });

test.each<[string, DrainState, Answer, Expected]>([
  ['an empty page is the last', START, newPage(0), END],
  ['a full page is followed by another', START, newPage(100), ask(100)],
  ['a short first page too', START, newPage(30), ask(100)],
  ['a page shorter than the one before is the last', BROUGHT, newPage(99), END],
  ['a page longer than its size is not the last', BROUGHT, newPage(3_000), ask(100)],
  ['at Max Records it ends', { ...BROUGHT, fresh: 9_950 }, newPage(50), END],
  [
    'the last page is as large as Max Records allows',
    { ...BROUGHT, fresh: 9_850 },
    newPage(100),
    ask(50),
  ],
  ['old records are no end', START, oldPage(100), ask(100)],
  ['other old records are no end', BROUGHT, oldPage(100), ask(100)],
  ['the same full page starts a look', START, samePage(100), ask(200)],
  ['the same short page ends it', START, samePage(30), END],
  [
    'old records of this poll in another mixture end it',
    START,
    { ...samePage(100), isAgain: false },
    END,
  ],
  ['no look if this poll has brought something', BROUGHT, samePage(100), END],
  ['nor soon after one that did', { ...START, isQuiet: false }, samePage(100), END],
  ['by hand that is told', { ...BY_HAND, fresh: 100 }, samePage(100), tell(100)],
  ['by hand a short page again is the end', { ...BY_HAND, fresh: 30 }, samePage(30), END],
  ['a look goes on behind old records', LOOKING, furtherPage(200), ask(400)],
  ['a look ends with new records', LOOKING, newPage(200, 1), END],
  ['a look ends at a page that is not full', LOOKING, furtherPage(150), END],
  ['a look that brings no more is told', LOOKING, samePage(100), tell(100)],
  ['a look into other old records is over', LOOKING, oldPage(200), ask(100)],
  ['a look that is refused is told', LOOKING, answer('refused'), tell(100)],
  ['a look that is late fails', LOOKING, answer('late'), FAIL],
  ['a refusal is followed by half the size', START, answer('refused'), ask(50)],
  ['by hand it is not', BY_HAND, answer('refused'), FAIL],
  ['too fast is followed by a wait', BROUGHT, answer('throttled'), { ...WAIT, size: 100 }],
  ['by hand it fails', BY_HAND, answer('throttled'), FAIL],
  [
    'too fast beside the last records ends it',
    { ...BROUGHT, fresh: 9_999 },
    answer('throttled', { length: 1, fresh: 1 }),
    END,
  ],
  ['what is late fails', START, answer('late'), FAIL],
  ['anything else fails', START, answer('failed'), FAIL],
])('%s', (_, state, given, { size, ...action }) => {
  const step = next(state, given);
  expect(step.action).toEqual(action);
  if (size !== undefined) expect(sizeOf(step.state)).toBe(size);
});

/** The sizes that are asked for while the answers are these. */
function sizesOf(start: DrainState, answers: Answer[]): number[] {
  let state = start;
  return answers.map((given) => {
    const size = sizeOf(state);
    ({ state } = next(state, given));
    return size;
  });
}

test('a look doubles up to 100,000', () => {
  const start = { ...startDrain(30_000, 50_000, newLearnt()), isAccepted: true };
  let state = next(start, samePage(30_000)).state;
  expect(sizeOf(state)).toBe(60_000);
  ({ state } = next(state, furtherPage(60_000)));
  expect(sizeOf(state)).toBe(100_000);
  expect(next(state, furtherPage(100_000)).action).toEqual(tell(100_000));
});

test('no smaller size is tried below what was accepted', () => {
  const { state } = next(START, newPage(100));
  expect(next(state, answer('refused')).action).toEqual(FAIL);
});

test('if no size helps, the next poll asks once, with the first size', () => {
  const refused = Array<Answer>(5).fill(answer('refused'));
  expect(sizesOf(START, refused)).toEqual([100, 50, 25, 12, 6]);
  const { state } = refused.reduce(
    (step, given) => next(step.state, given),
    next(START, refused[0] as Answer),
  );
  const again = startDrain(100, 10_000, learntOf(state));
  expect(sizeOf(again)).toBe(100);
  expect(next(again, answer('refused')).action).toEqual(FAIL);
});

test('what a poll learns holds for the next one, until the user changes the number', () => {
  const { state } = next(START, answer('late'));
  expect(sizeOf(startDrain(100, 10_000, learntOf(state)))).toBe(50);
  expect(sizeOf(startDrain(80, 10_000, learntOf(state)))).toBe(80);
});

test.each([
  [14, false],
  [16, true],
])('%d s after a new record, a look behind old ones is allowed: %p', (seconds, isQuiet) => {
  const learnt = { freshAt: performance.now() - seconds * 1_000 };
  expect(startDrain(100, 10_000, learnt)).toMatchObject({ isQuiet });
});
