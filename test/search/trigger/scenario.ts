import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { EventName } from '../../engine/harness/pulls';
import type { Fault } from '../../sandbox/faults';

/** What may happen in the life of a trigger. */

/** The most records of a history. The trigger's memory recognises that many. */
export const MOST_RECORDS = 3_000;

interface Answer {
  data: IDataObject[];
}

/** Answers with the records in a shape that no documentation shows. */
const SHAPES: ((answer: Answer) => unknown)[] = [
  ({ data }) => ({ code: 0, msg: '', data: { list: data } }),
  ({ data }) => ({ code: '0', data: Object.fromEntries(data.map((each, n) => [`k${n}`, each])) }),
  ({ data }) => data,
  ({ data }) => ({ code: 0, data: JSON.stringify(data) }),
  ({ data }) => ({ code: 9000, msg: 'busy', data }),
  ({ data }) => ({ code: 0, result: { records: data } }),
  ({ data }) => ({ code: 0, data: [], list: data }),
  ({ data }) => ({ code: 0, data: [data, []] }),
  ({ data }) => ({ code: 0, data: data.map((each) => JSON.stringify(each)) }),
  ({ data }) => JSON.stringify({ code: 0, data }),
];

/** Faults that lose the records of the answer: its bytes do not arrive. */
export const LOSING: Fault[] = [
  { kind: 'resetAfterAccept' },
  { kind: 'truncatedJson' },
  { kind: 'truncatedJson', mismatchedLength: true },
  { kind: 'html' },
  { kind: 'emptyBody' },
  { kind: 'status', status: 500, accept: true },
];

const FAULTS: Fault[] = [
  ...LOSING,
  ...SHAPES.map((body): Fault => ({ kind: 'wrongShape', body })),
  { kind: 'businessCode', code: 9000 },
  { kind: 'businessCode', code: 9000, times: 6 },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 401 },
  { kind: 'tooManyRequests', retryAfter: '1' },
  { kind: 'resetBeforeAccept' },
  { kind: 'redirect' },
  { kind: 'notConsuming' },
  { kind: 'repeatPage' },
  { kind: 'slow', delayMs: 15 },
];

/** What n8n does with an execution, and after how many of the trigger's milliseconds it says so. */
export const FATES = [
  { isStarted: true, afterMs: 0 },
  { isStarted: true, afterMs: 3_000 },
  { isStarted: true, afterMs: Infinity },
  { isStarted: true, afterMs: 0, throws: 'No active execution found: 1' },
  { isStarted: false, afterMs: 0, throws: 'The database is locked' },
  { isStarted: false, afterMs: 0, isThrownAtOnce: true, throws: 'No longer active' },
  { isStarted: false, afterMs: 0 },
  { isStarted: false, afterMs: 1_000, throws: 'The database is slow' },
  { isStarted: false, afterMs: 2_500, throws: 'The database is down' },
  { isStarted: false, afterMs: 2_500 },
] as const satisfies Fate[];

export interface Fate {
  isStarted: boolean;
  afterMs: number;
  /** The error with which n8n ends the execution. Without one, n8n says that there was no run. */
  throws?: string;
  isThrownAtOnce?: boolean;
}

/** The execution starts at once. */
export const STARTED: Fate = FATES[0];

export type Step =
  | { kind: 'records'; reports: number; replies: number }
  | { kind: 'poll'; times: number; overlapping: boolean }
  /** `after` more executions start. Those after them meet this fate, until n8n is sound again. */
  | { kind: 'n8n'; fate: number; after: number; isSaving: boolean }
  | { kind: 'soundN8n' }
  | { kind: 'service'; fault: Fault; nth: number; event: EventName }
  /** The service returns its latest records again. */
  | { kind: 'redelivery'; count: number }
  /** A graceful stop of n8n. Another process takes over. */
  | { kind: 'restart' }
  /** kill -9 at this hand-over, counted from now: before n8n has saved, or right after. */
  | { kind: 'kill'; handOvers: number; isSaved: boolean }
  /** Another main process polls from now on. This one lives on. */
  | { kind: 'otherProcess' };

export interface Scenario {
  consume: boolean;
  /** The largest page of the service. */
  maxCount: number;
  pullSize: number;
  itemsPerExecution: number;
  events: EventName[];
  steps: Step[];
}

const records = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 25 }), weight: 6 },
  { arbitrary: fc.integer({ min: 100, max: 300 }), weight: 2 },
  { arbitrary: fc.constantFrom(950, MOST_RECORDS), weight: 2 },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('records' as const),
      reports: records,
      replies: fc.integer({ min: 0, max: 12 }),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('poll' as const),
      times: fc.integer({ min: 1, max: 4 }),
      overlapping: fc.boolean(),
    }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('n8n' as const),
      fate: fc.nat(FATES.length - 1),
      after: fc.nat(3),
      isSaving: fc.boolean(),
    }),
    weight: 3,
  },
  { arbitrary: fc.constant({ kind: 'soundN8n' as const }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('redelivery' as const),
      count: fc.constantFrom(10, MOST_RECORDS),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('service' as const),
      fault: fc.constantFrom(...FAULTS),
      nth: fc.integer({ min: 1, max: 4 }),
      event: fc.constantFrom('deliveryReport', 'reply'),
    }),
    weight: 3,
  },
  { arbitrary: fc.constant({ kind: 'restart' as const }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      handOvers: fc.integer({ min: 1, max: 4 }),
      isSaved: fc.boolean(),
    }),
    weight: 1,
  },
  { arbitrary: fc.constant({ kind: 'otherProcess' as const }), weight: 1 },
);

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    consume: fc.boolean(),
    maxCount: fc.constantFrom(Infinity, 7, 4),
    pullSize: fc.constantFrom(5, 20, 20, 100, 1_000),
    itemsPerExecution: fc.constantFrom(2, 1_000, 1_000),
    events: fc.constantFrom<EventName[][]>(['deliveryReport'], ['deliveryReport', 'reply']),
    steps: fc.array(step, { minLength: 2, maxLength: 9 }),
  })
  // A service that does not consume and has a largest page never shows its newer records.
  .map((each) => (each.consume ? each : { ...each, maxCount: Infinity }))
  // Large queues in tiny pages only take time.
  .map((each) => ({ ...each, steps: each.steps.map((one) => scaled(one, each)) }));

function scaled(step: Step, { pullSize, maxCount }: Scenario): Step {
  if (step.kind !== 'records') return step;
  return { ...step, reports: Math.min(step.reports, 30 * Math.min(pullSize, maxCount)) };
}
