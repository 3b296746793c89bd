import {
  againMs,
  ALONE_AGAIN_MS,
  newLife,
  next,
  readLife,
  VAIN_AGAIN_MS,
} from '../../../nodes/SmsMessagingService/receiving/recordLife';
import type {
  Happening,
  Life,
  State,
} from '../../../nodes/SmsMessagingService/receiving/recordLife';
import { HAPPENINGS, STATES } from '../../kit/lives';

/** The table of a record's life, row by row, as docs/build/architecture.md prints it. */

const NOW = 1_767_225_600_000;
const MINUTE = 60_000;

const underWay = (before: State, after: State): Partial<Record<Happening, State>> => ({
  started: 'done',
  refused: before,
  succeeded: 'done',
  failed: after,
  failedByItself: 'alone',
  silent: 'alone',
  restarted: before,
});

/** By state: what can happen, and the state after it. Nothing else can happen. */
const ROWS: Record<State, Partial<Record<Happening, State>>> = {
  waiting: { handOver: 'handedOver', succeeded: 'done', chosen: 'probe', divided: 'alone' },
  handedOver: underWay('waiting', 'waiting'),
  probe: { handOver: 'probed', succeeded: 'done', divided: 'alone' },
  probed: underWay('probe', 'waiting'),
  alone: { handOver: 'handedOverAlone', succeeded: 'done', givenUp: 'left' },
  handedOverAlone: underWay('alone', 'alone'),
  left: { succeeded: 'done', told: 'done' },
  done: { started: 'done', succeeded: 'done', refused: 'waiting' },
};

const CELLS = STATES.flatMap((state) =>
  HAPPENINGS.map((happening) => [state, happening, ROWS[state][happening]] as const),
);

test.each(CELLS)('%s, then %s: %s', (state, happening, after) => {
  const step = () => next({ ...newLife(NOW), state }, happening, NOW);
  if (after === undefined) expect(step).toThrow(`A record that is ${state} cannot be ${happening}`);
  else expect(step().state).toBe(after);
});

/** A life to which these happen, a minute after each other. */
function lived(...happenings: Happening[]): Life {
  let life = newLife(NOW);
  for (const [index, happening] of happenings.entries()) {
    life = next(life, happening, NOW + (index + 1) * MINUTE);
  }
  return life;
}

test.each([
  ['handOver', 'refused'],
  ['chosen', 'handOver', 'refused'],
  ['divided', 'handOver', 'refused'],
] as Happening[][])('what n8n refuses was not tried: %s', (...happenings) => {
  expect(lived(...happenings)).toEqual(lived(...happenings.slice(0, -2)));
});

test('what fails by itself comes again after 1, 5, 15, 60 and 240 minutes, and then every 4 hours', () => {
  let life = lived('divided');
  const waits: number[] = [];
  for (let tries = 0; tries < 7; tries++) {
    life = next(next(life, 'handOver', NOW), 'failedByItself', NOW + tries);
    waits.push(againMs(life, true) / MINUTE);
  }
  expect(waits).toEqual([1, 5, 15, 60, 240, 240, 240]);
  expect(waits.slice(0, 5).map((wait) => wait * MINUTE)).toEqual(ALONE_AGAIN_MS);
  expect(life).toMatchObject({ tries: 7, since: NOW, at: NOW + 6 });
});

test('what fails when nothing else works counts for nothing, and comes again within half an hour', () => {
  let life = lived('divided', 'handOver', 'failedByItself');
  const waits: number[] = [];
  for (let tries = 0; tries < 9; tries++) {
    life = next(next(life, 'handOver', NOW), 'failed', NOW);
    expect(life.tries).toBe(1);
    waits.push(againMs(life, false));
    expect(againMs(life, true)).toBe(MINUTE);
  }
  expect(waits).toEqual([...waits].sort((one, other) => one - other));
  expect(waits.at(-1)).toBe(VAIN_AGAIN_MS);
});

test('what n8n says nothing of comes alone once, and then only when n8n says something', () => {
  const life = lived('handOver', 'silent', 'handOver');
  expect(next(life, 'silent', NOW)).toEqual(life);
  expect(next(life, 'failed', NOW).state).toBe('alone');
  expect(next(life, 'restarted', NOW).state).toBe('alone');
});

test('what was with n8n alone when a process ended counts as failed by itself: it may be the cause', () => {
  expect(lived('divided', 'handOver', 'restarted')).toMatchObject({ tries: 1 });
  // Its page has failed, and does not come whole once more.
  expect(lived('chosen', 'handOver', 'restarted')).toMatchObject({ state: 'probe', tries: 0 });
});

test.each([[[]], [['chosen']]] as Happening[][][])(
  'what ends its process comes as before once, and then alone: %s',
  (before) => {
    const again: Happening[] = ['handOver', 'restarted'];
    expect(lived(...before, ...again).state).toBe(lived(...before).state);
    expect(lived(...before, ...again, ...again).state).toBe('alone');
  },
);

test.each([
  undefined,
  null,
  7,
  'x',
  {},
  { state: 'x', at: 'x', isSilent: 1 },
  { state: 'toString' },
])('a stored life that says nothing is a new one: %j', (stored) => {
  expect(readLife(stored)).toEqual(newLife(0));
  expect(readLife({ ...Object(stored), state: 'left', tries: 5 })).toMatchObject({
    state: 'left',
    tries: 5,
  });
});
