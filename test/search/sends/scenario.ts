import fc from 'fast-check';
import type { StoreFailure } from '../../kit/engine/deduplicationStore';
import { phone } from '../../kit/engine/sends';
import { weighed } from '../../kit/search/settings';
import type { Made } from '../../kit/search/settings';
import { fault, isEndless, REFUSED } from './services';

/** What the user wants to send, with which settings, and what goes wrong meanwhile. */

/** Numbers that the service takes. */
const GOOD = [0, 1, 2, 3, 4].map(phone);

const UNREADABLE = ['nonsense', '1390013 1390'];

const KEYS = ['k1', 'k2', 'k3', 'k4', 'k5'];
const UNUSABLE_KEYS = ['', 'undefined', null, undefined];

const CODES = ['a', 'b', 'c'];
const UNUSABLE_CODES = ['', true];

const seldom = <T>(other: fc.Arbitrary<T>) => weighed([6, fc.constant(null)], [1, other]);

const items = (isTidy: boolean) => {
  const each = fc.record({
    phones: fc.array(
      weighed(
        [8, fc.constantFrom(...GOOD)],
        [2, fc.constantFrom(...REFUSED)],
        [isTidy ? 0 : 1, fc.constantFrom(...UNREADABLE)],
      ),
      { minLength: 1, maxLength: 4 },
    ),
    code: weighed(
      [8, fc.constantFrom(...CODES)],
      [1, fc.constantFrom<unknown>(...(isTidy ? CODES : UNUSABLE_CODES))],
    ),
    key: weighed(
      [8, fc.constantFrom(...KEYS)],
      [1, fc.constantFrom<unknown>(...(isTidy ? KEYS : UNUSABLE_KEYS))],
    ),
  });
  return weighed(
    [2, fc.array(each, { minLength: 1, maxLength: 6 })],
    [1, fc.array(each, { minLength: 7, maxLength: 12, size: 'max' })],
  );
};

const storeFailure: fc.Arbitrary<StoreFailure> = fc.record({
  operation: fc.constantFrom('check', 'remove'),
  when: fc.constantFrom('before', 'after'),
  hangs: weighed([6, fc.constant(false)], [1, fc.constant(true)]),
  nth: fc.integer({ min: 1, max: 3 }),
});

export const scenario = fc.record({
  // With Stop Workflow, only lists without a bad item are sent.
  items: fc.oneof(items(true), items(false)),
  options: fc.record({
    batchSize: fc.integer({ min: 1, max: 6 }),
    maxConcurrency: fc.integer({ min: 1, max: 3 }),
    maxRetries: fc.integer({ min: 0, max: 3 }),
    duplicateNumbers: fc.constantFrom('allow', 'merge'),
    /** A limit that is never reached: the run is planned whole. */
    maxMessages: fc.constantFrom(undefined, 1000),
    maxPerNumberAndDay: fc.constantFrom(undefined, undefined, 1, 3),
  }),
  hasKeys: fc.boolean(),
  node: fc.record({
    onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
    retryOnFail: fc.boolean(),
    maxTries: fc.integer({ min: 2, max: 3 }),
  }),
  faults: fc.array(fault, { maxLength: 5 }),
  storeFailures: fc.array(storeFailure, { maxLength: 2 }),
  /** What n8n finds when it reads the credential, from the `nth` time on. */
  credential: seldom(
    fc.record({ how: fc.constantFrom('throws', 'hangs'), nth: fc.integer({ min: 1, max: 5 }) }),
  ),
  /** The execution is cancelled after this many requests. */
  cancelAfter: seldom(fc.integer({ min: 1, max: 4 })),
});

export type Scenario = Made<typeof scenario>;

type Item = Scenario['items'][number];

/** Whether something lasts until a time limit of the node ends it. */
export const needsTimeLimits = ({ faults, storeFailures, credential }: Scenario): boolean =>
  faults.some(isEndless) || storeFailures.some(({ hangs }) => hangs) || credential?.how === 'hangs';

/** Whether a text is a phone number that can be sent to. */
export const isNumber = (text: string) => GOOD.includes(text) || REFUSED.includes(text);

/** Whether the service takes a number. */
export const isTaken = (number: string) => GOOD.includes(number);

/** The idempotency key of an item. Undefined where the scenario gives it none of its own. */
export const keyOf = ({ hasKeys }: Scenario, { key }: Item): string | undefined =>
  hasKeys && !UNUSABLE_KEYS.includes(key as string) ? String(key) : undefined;

/** Whether no number of an item can be sent to, whatever the service says. */
export const isUnusable = (scenario: Scenario, each: Item): boolean =>
  (scenario.hasKeys && keyOf(scenario, each) === undefined) ||
  UNUSABLE_CODES.includes(each.code as never);

/** Whether an item is refused before any request is made. */
export const isBad = (scenario: Scenario, each: Item): boolean =>
  isUnusable(scenario, each) || !each.phones.every(isNumber);

/** Names the message to one number with the code of an item. */
export const messageName = (number: string, code: unknown) => `${number} ${String(code)}`;
