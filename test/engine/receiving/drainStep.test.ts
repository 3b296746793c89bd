import {
  nextPull,
  sizeOf,
  startDrain,
} from '../../../nodes/SmsMessagingService/receiving/drainStep';
import type { Kept, PullAnswer } from '../../../nodes/SmsMessagingService/receiving/drainStep';

/** The steps of a drain: the answers to its pulls, the sizes that it asks for, and how it ends. */

type Answer = Omit<PullAnswer, 'at'>;

const answer = (kind: PullAnswer['kind'], more: Partial<Answer> = {}): Answer => ({
  kind,
  length: 0,
  fresh: 0,
  isAllShown: false,
  repeatsPrevious: false,
  ...more,
});
const newPage = (length: number, fresh = length) => answer('page', { length, fresh });
const oldPage = (length: number) => answer('page', { length });
const samePage = (length: number) =>
  answer('page', { length, isAllShown: true, repeatsPrevious: true });
/** A look shows the records of the page before, and behind them old records that were not shown. */
const furtherPage = (length: number) => answer('page', { length, repeatsPrevious: true });
const mixedPage = (length: number) => answer('page', { length, isAllShown: true });

const REFUSED = answer('refused');
const LATE = answer('late');
const THROTTLED = answer('throttled');

interface Poll {
  pullSize?: number;
  maxRecords?: number;
  /** Left out: a pull by hand. */
  kept?: Kept;
  /** When it begins, in seconds. */
  at?: number;
}

/** The size of each pull; then the size of the next one, or how the drain ends. */
function play({ pullSize = 100, maxRecords = 10_000, kept, at = 0 }: Poll, answers: Answer[]) {
  let state = startDrain(pullSize, maxRecords, kept, at * 1_000);
  const asked: (number | string)[] = [sizeOf(state)];
  for (const each of answers) {
    const step = nextPull(state, { ...each, at: at * 1_000 });
    ({ state } = step);
    const ending = step.hiding === undefined ? step.kind : `hiding ${step.hiding}`;
    asked.push(step.kind === 'pull' ? sizeOf(state) : ending);
  }
  if (kept) kept.learnt = state.learnt;
  return asked;
}

const LOOK = [oldPage(100), samePage(100)];

test.each<[string, Answer[], ...(number | string)[]]>([
  ['an empty page is the last', [newPage(0)], 100, 'end'],
  ['a full page is followed by another', [newPage(100)], 100, 100],
  ['a short first page too', [newPage(30)], 100, 100],
  ['a page shorter than the one before is the last', [newPage(100), newPage(99)], 100, 100, 'end'],
  ['a page longer than its size is not', [newPage(100), newPage(3_000)], 100, 100, 100],
  ['old records are not the end', [oldPage(100)], 100, 100],
  ['nor are they behind new ones', [newPage(100), oldPage(100)], 100, 100, 100],
  ['the same full page starts a look', LOOK, 100, 100, 200],
  ['the same short page is the end', [oldPage(30), samePage(30)], 100, 100, 'end'],
  ['old records of this poll, mixed, are too', [oldPage(100), mixedPage(100)], 100, 100, 'end'],
  ['no look if this poll had new ones', [newPage(100), samePage(100)], 100, 100, 'end'],
  ['a look goes on behind old records', [...LOOK, furtherPage(200)], 100, 100, 200, 400],
  ['it ends with new records', [...LOOK, newPage(200, 1)], 100, 100, 200, 'end'],
  ['it ends at a page that is not full', [...LOOK, furtherPage(150)], 100, 100, 200, 'end'],
  [
    'records may be hidden if it finds no more',
    [...LOOK, samePage(100)],
    100,
    100,
    200,
    'hiding 100',
  ],
  ['they may be if it is refused', [...LOOK, REFUSED], 100, 100, 200, 'hiding 100'],
  ['other old records end it', [...LOOK, oldPage(200)], 100, 100, 200, 100],
  ['if it is late, it fails', [...LOOK, LATE], 100, 100, 200, 'fail'],
  ['what is refused is halved', Array(5).fill(REFUSED), 100, 50, 25, 12, 6, 'fail'],
  ['but not below what was accepted', [newPage(100), REFUSED], 100, 100, 'fail'],
  ['too fast is followed by the same pull', [newPage(100), THROTTLED], 100, 100, 100],
  ['what is late fails', [LATE], 100, 'fail'],
  ['anything else fails', [answer('failed')], 100, 'fail'],
])('%s', (_, answers, ...asked) => {
  expect(play({ kept: {} }, answers)).toEqual(asked);
});

test.each<[string, Poll, Answer[], ...(number | string)[]]>([
  [
    'the last page is as large as Max Records allows',
    { maxRecords: 150, kept: {} },
    [newPage(100), newPage(50)],
    100,
    50,
    'end',
  ],
  [
    'records beside "too fast" count',
    { maxRecords: 101, kept: {} },
    [newPage(100), answer('throttled', { length: 1, fresh: 1 })],
    100,
    1,
    'end',
  ],
  [
    'a look doubles up to 100,000',
    { pullSize: 30_000, maxRecords: 50_000, kept: {} },
    [oldPage(30_000), samePage(30_000), furtherPage(60_000), furtherPage(100_000)],
    30_000,
    30_000,
    60_000,
    100_000,
    'hiding 100000',
  ],
  ['by hand there is no look', {}, [newPage(100), samePage(100)], 100, 100, 'hiding 100'],
  ['by hand the same short page is the end', {}, [newPage(30), samePage(30)], 100, 100, 'end'],
  ['by hand no smaller size is tried', {}, [REFUSED], 100, 'fail'],
  ['by hand too fast fails', {}, [THROTTLED], 100, 'fail'],
])('%s', (_, poll, answers, ...asked) => {
  expect(play(poll, answers)).toEqual(asked);
});

test.each<[string, Answer[], Poll, Answer[], ...(number | string)[]]>([
  ['a size that was late is halved', [LATE], {}, [], 50],
  ['unless the user has changed it', [LATE], { pullSize: 80 }, [], 80],
  ['if no size helped, one is asked for', Array(5).fill(REFUSED), {}, [REFUSED], 100, 'fail'],
  ['no look 14 s after a new record', [newPage(100)], { at: 14 }, LOOK, 100, 100, 'end'],
  ['a look 15 s after it', [newPage(100)], { at: 15 }, LOOK, 100, 100, 200],
  ['no look after one that failed', [...LOOK, LATE], { at: 89 }, LOOK, 100, 100, 'hiding 100'],
  ['a look again after 90 s', [...LOOK, REFUSED], { at: 90 }, LOOK, 100, 100, 200],
])('in the next poll: %s', (_, before, poll, answers, ...asked) => {
  const kept = {};
  play({ kept }, before);
  expect(play({ ...poll, kept }, answers)).toEqual(asked);
});

test.each([
  ['works in between: 90 s again', [...LOOK, furtherPage(200), newPage(0)], 190, 200],
  ['fails twice: twice as long', [...LOOK, REFUSED], 190, 'hiding 100'],
])('a look that fails, and %s', (_, between, at, next) => {
  const kept = {};
  play({ kept }, [...LOOK, REFUSED]);
  play({ kept, at: 90 }, between);
  play({ kept, at: 100 }, [...LOOK, REFUSED]);
  expect(play({ kept, at }, LOOK)).toEqual([100, 100, next]);
});
