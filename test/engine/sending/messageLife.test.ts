import {
  isSent,
  isUnsent,
  next,
  statusOf,
} from '../../../nodes/SmsMessagingService/sending/messageLife';
import type { Happening, State } from '../../../nodes/SmsMessagingService/sending/messageLife';
import { MESSAGE_HAPPENINGS, MESSAGE_STATES } from '../../kit/lives';

/** The table of a message's life, row by row, as docs/build/architecture.md prints it. */

/** By state: what can happen, and the state after it. Nothing else can happen. */
const ROWS: Record<State, Partial<Record<Happening, State>>> = {
  planned: {
    ...{ heldBack: 'unsent', keyUsed: 'skipped', keyUnclear: 'unclearKey', requested: 'underWay' },
    ...{ triedAgain: 'planned', runAgain: 'planned' },
  },
  underWay: {
    ...{ accepted: 'accepted', refused: 'refused', unclear: 'unknown' },
    ...{ throttled: 'planned', unreachable: 'planned' },
    ...{ triedAgain: 'unknown', runAgain: 'unknown' },
  },
  accepted: { triedAgain: 'accepted', runAgain: 'accepted' },
  refused: { triedAgain: 'refused', runAgain: 'planned' },
  unsent: { triedAgain: 'planned', runAgain: 'planned' },
  unknown: { triedAgain: 'unknown', runAgain: 'unknown' },
  skipped: { triedAgain: 'planned', runAgain: 'planned' },
  unclearKey: { triedAgain: 'planned', runAgain: 'planned' },
};

test.each(
  MESSAGE_STATES.flatMap((state) =>
    MESSAGE_HAPPENINGS.map((happening): [State, Happening, State | undefined] => [
      state,
      happening,
      ROWS[state][happening],
    ]),
  ),
)('%s, then %s: %s', (state, happening, after) => {
  const step = () => next(state, happening);
  if (after === undefined)
    expect(step).toThrow(`A message that is ${state} cannot be ${happening}`);
  else expect(step()).toBe(after);
});

/** All states that can follow, in any number of steps. */
function futureOf(state: State): Set<State> {
  const future = new Set<State>();
  const open = [state];
  for (let from = open.pop(); from; from = open.pop()) {
    for (const after of Object.values(ROWS[from])) {
      if (future.has(after)) continue;
      future.add(after);
      open.push(after);
    }
  }
  return future;
}

test('what was sent or may have been is never requested again, in any try', () => {
  const sent = MESSAGE_STATES.filter(isSent);
  expect(sent).toEqual(['accepted', 'unknown']);
  for (const state of sent) expect(futureOf(state)).not.toContain('underWay');
});

test('a message under way is never taken for one that was not sent, unless an answer says so', () => {
  const SAYS_SO: Happening[] = ['refused', 'throttled', 'unreachable'];
  for (const happening of MESSAGE_HAPPENINGS.filter((each) => !SAYS_SO.includes(each))) {
    const after = ROWS.underWay[happening];
    if (after) expect(isSent(after)).toBe(true);
  }
});

test('a run ends in states with a status', () => {
  const unfinished: State[] = ['planned', 'underWay'];
  for (const state of unfinished) {
    expect(() => statusOf(state)).toThrow(`A message was left ${state}`);
    expect(isUnsent(state)).toBe(false);
  }
  const ended = MESSAGE_STATES.filter((state) => !unfinished.includes(state));
  expect(ended.map((state) => [state, statusOf(state)])).toEqual([
    ['accepted', 'accepted'],
    ['refused', 'rejected'],
    ['unsent', 'rejected'],
    ['unknown', 'unknown'],
    ['skipped', 'skipped'],
    ['unclearKey', 'unknown'],
  ]);
});
