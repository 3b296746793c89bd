import fc from 'fast-check';
import type { StoreFailure } from '../../engine/harness/deduplicationStore';
import { phone } from '../../engine/harness/sends';
import type { Fault } from '../../sandbox/faults';
import type { Codes } from './meaning';
import type { RateLimit } from './services';
import { codes, fault, isEndless, outage, rateLimit, REFUSED } from './services';

/** What the user wants to send, with which settings, and what goes wrong meanwhile. */

/** Numbers that the service takes. */
const GOOD = [0, 1, 2, 3, 4].map(phone);

const UNREADABLE = ['nonsense', '1390013 1390'];

const KEYS = ['k1', 'k2', 'k3', 'k4', 'k5'];
const UNUSABLE_KEYS = ['', 'undefined', null, undefined];

const CODES = ['a', 'b', 'c'];
const UNUSABLE_CODES = ['', 7];

export interface Item {
  phones: string[];
  code: unknown;
  key: unknown;
}

/** The option Idempotency Key. `text`: the expression was entered as fixed text. */
export const KEY_OPTIONS = {
  none: undefined,
  whole: '={{ $json.key }}',
  part: '=k-{{ $json.key }}',
  text: 'k-{{ $json.key }}',
};

export interface Scenario {
  items: Item[];
  options: {
    batchSize: number;
    maxConcurrency: number;
    maxRetries: number;
    duplicateNumbers: 'allow' | 'merge';
  };
  keys: keyof typeof KEY_OPTIONS;
  /** A limit that is never reached: the run is planned whole. */
  hasLimit: boolean;
  /** `missing`: the option is filled from a field that no item has. */
  timeout: 'long' | 'missing';
  node: {
    onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
    retryOnFail: boolean;
    maxTries: number;
  };
  /** What the credential says about codes. */
  codes: Codes;
  faults: { fault: Fault; nth: number }[];
  outage: { nth: number; faults: Fault[] } | null;
  rateLimit: RateLimit | null;
  storeFailures: StoreFailure[];
  /** What n8n finds when it reads the credential, from the `nth` time on, this many times. */
  credential: { how: 'throws' | 'hangs' | 'late' | 'edited'; nth: number; times: number } | null;
  /** The execution is cancelled after this many requests. */
  cancelAfter: number | null;
}

/** Mostly one of the usual values, and sometimes another. */
const mostly = <T, U>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<U>, weight = 8) =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: other, weight: 1 });

const seldom = <T>(other: fc.Arbitrary<T>, weight = 8) => mostly(fc.constant(null), other, weight);

const item = (isTidy: boolean): fc.Arbitrary<Item> =>
  fc.record({
    phones: fc.array(
      fc.oneof(
        { arbitrary: fc.constantFrom(...GOOD), weight: 8 },
        { arbitrary: fc.constantFrom(...REFUSED), weight: 2 },
        { arbitrary: fc.constantFrom(...UNREADABLE), weight: isTidy ? 0 : 1 },
      ),
      { minLength: 1, maxLength: 4 },
    ),
    code: mostly(
      fc.constantFrom<unknown>(...CODES),
      fc.constantFrom<unknown>(...(isTidy ? CODES : UNUSABLE_CODES)),
    ),
    key: mostly(
      fc.constantFrom<unknown>(...KEYS),
      fc.constantFrom<unknown>(...(isTidy ? KEYS : UNUSABLE_KEYS)),
    ),
  });

const items = (isTidy: boolean) => {
  const each = item(isTidy);
  return fc.oneof(
    { arbitrary: fc.array(each, { minLength: 1, maxLength: 6 }), weight: 2 },
    { arbitrary: fc.array(each, { minLength: 7, maxLength: 12, size: 'max' }), weight: 1 },
  );
};

const storeFailure: fc.Arbitrary<StoreFailure> = fc.record({
  operation: fc.constantFrom('check', 'remove'),
  when: fc.constantFrom('before', 'after'),
  hangs: mostly(fc.constant(false), fc.constant(true), 6),
  nth: fc.integer({ min: 1, max: 3 }),
});

const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  // With Stop Workflow, only lists without a bad item are sent.
  items: fc.oneof(items(true), items(false)),
  options: fc.record({
    batchSize: fc.integer({ min: 1, max: 6 }),
    maxConcurrency: fc.integer({ min: 1, max: 3 }),
    maxRetries: fc.integer({ min: 0, max: 3 }),
    duplicateNumbers: fc.constantFrom('allow', 'merge'),
  }),
  keys: mostly(fc.constantFrom('none', 'whole', 'part'), fc.constant('text'), 12),
  hasLimit: fc.boolean(),
  timeout: mostly(fc.constant('long'), fc.constant('missing'), 12),
  node: fc.record({
    onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
    retryOnFail: fc.boolean(),
    maxTries: fc.integer({ min: 2, max: 3 }),
  }),
  codes,
  faults: fc.array(fc.record({ fault, nth: fc.integer({ min: 1, max: 5 }) }), { maxLength: 5 }),
  outage: seldom(outage, 4),
  rateLimit: seldom(rateLimit),
  storeFailures: mostly(
    fc.constant<StoreFailure[]>([]),
    fc.array(storeFailure, { minLength: 1, maxLength: 2 }),
    3,
  ),
  credential: seldom(
    fc.record({
      how: fc.constantFrom('throws', 'hangs', 'late', 'edited'),
      nth: fc.integer({ min: 1, max: 5 }),
      times: fc.constantFrom(1, Infinity),
    }),
    6,
  ),
  cancelAfter: seldom(fc.integer({ min: 1, max: 4 })),
});

/** During an outage, in small requests: there must be many, or nobody notices. */
export const scenario = anyScenario.map((each): Scenario => {
  const { options, outage: isDown } = each;
  if (!isDown) return each;
  return { ...each, options: { ...options, batchSize: Math.ceil(options.batchSize / 3) } };
});

/** Whether something lasts until a time limit of the node ends it. */
export const needsTimeLimits = ({ faults, storeFailures, credential }: Scenario): boolean =>
  faults.some((each) => isEndless(each.fault)) ||
  storeFailures.some(({ hangs }) => hangs) ||
  credential?.how === 'hangs' ||
  credential?.how === 'late';

/** Whether a text is a phone number that can be sent to. */
export const isNumber = (text: string) => GOOD.includes(text) || REFUSED.includes(text);

/** Whether the service takes a number. */
export const isTaken = (number: string) => GOOD.includes(number);

/** The idempotency key of an item. Undefined where the scenario gives it none of its own. */
export function keyOf({ keys }: Scenario, { key }: Item): string | undefined {
  if (typeof key !== 'string' || UNUSABLE_KEYS.includes(key)) return undefined;
  return { none: undefined, whole: key, part: `k-${key}`, text: undefined }[keys];
}

/** Whether no number of an item can be sent to, whatever the service says. */
export function isUnusable(scenario: Scenario, each: Item): boolean {
  const lacksKey = scenario.keys !== 'none' && keyOf(scenario, each) === undefined;
  return lacksKey || UNUSABLE_CODES.includes(each.code as never);
}

/** Whether something of an item cannot be sent, whatever the service says. */
export const isBad = (scenario: Scenario, each: Item): boolean =>
  isUnusable(scenario, each) || !each.phones.every(isNumber);

/** Names the message to one number with the code of an item. */
export const messageName = (number: string, code: unknown) => `${number} ${String(code)}`;
