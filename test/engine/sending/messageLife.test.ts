import {
  isSent,
  isUnsent,
  next,
  statusOf,
  TABLE,
} from '../../../nodes/SmsMessagingService/sending/messageLife';
import type { Happening, State } from '../../../nodes/SmsMessagingService/sending/messageLife';
import { MESSAGE_HAPPENINGS, MESSAGE_STATES } from '../../kit/lives';

/** What holds for a message's life. docs/build/architecture.md has the table, and generated.test.ts compares it. */

test.each(MESSAGE_STATES)('what the table does not say cannot happen to a message: %s', (state) => {
  for (const happening of MESSAGE_HAPPENINGS) {
    const step = () => next(state, happening);
    const after = TABLE[state][happening];
    if (after) expect(step()).toBe(after);
    else expect(step).toThrow(`A message that is ${state} cannot be ${happening}`);
  }
});

test('what was sent or may have been is never requested again, in any try', () => {
  const sent = MESSAGE_STATES.filter(isSent);
  expect(sent).toEqual(['accepted', 'unknown']);
  for (const state of sent) {
    expect(Object.values(TABLE[state]).filter((after) => after !== state)).toEqual([]);
  }
});

test('a message under way is never taken for one that was not sent, unless an answer says so', () => {
  const SAYS_SO: Happening[] = ['refused', 'throttled', 'unreachable'];
  for (const happening of MESSAGE_HAPPENINGS.filter((each) => !SAYS_SO.includes(each))) {
    const after = TABLE.underWay[happening];
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
