import fc from 'fast-check';
import type { EventName } from '../../kit/engine/pulls';
import { weighed } from '../../kit/search/settings';
import type { Made } from '../../kit/search/settings';
import { FATES, STORED } from './n8n';
import type { Fate } from './n8n';
import { EMPTY_NAMES, SHAPES } from './service';
import type { EmptyName, Fault, ServiceOptions } from './service';

/** What may happen in the life of a trigger. */

/** The most records of a history. The trigger's memory recognises that many. */
export const MAX_RECORDS = 2_900;

const mostly = <T>(usual: T, ...others: T[]) =>
  weighed([3, fc.constant(usual)], [1, fc.constantFrom(...others)]);

/** A kind of step or of fault, with its weight, and what there is to say of it. */
const happens = <Kind extends string, Details extends object>(
  weight: number,
  kind: Kind,
  details: { [Name in keyof Details]: fc.Arbitrary<Details[Name]> },
) =>
  [weight, fc.record({ kind: fc.constant(kind), ...details })] as [
    number,
    fc.Arbitrary<{ kind: Kind } & Details>,
  ];

const faults = <Kind extends Fault['kind']>(...kinds: Kind[]) =>
  fc.record({ kind: fc.constantFrom(...kinds) });

const event = fc.constantFrom<EventName>('deliveryReport', 'reply');

const shape = fc.constantFrom(...Object.keys(SHAPES));

/** What a proxy, a wrong address and another kind of service answer: neither a code nor data. */
const silent = fc.constantFrom(
  ...['', '{}', '[{}]', '[[]]', '{"errcode":40001,"errmsg":"invalid credential"}'],
  ...['{"status":"UP"}', '{"error":null}', '{"success":true,"result":[]}', '{"":{}}'],
);

const fault: fc.Arbitrary<Fault> = weighed(
  happens(3, 'shape', { shape }),
  happens(2, 'silent', { text: silent }),
  [2, faults('reset', 'html', 'emptyBody', 'cutOff', 'tooLate', 'gatewayError')],
  [2, faults('refused', 'unavailable', 'notFound', 'tooFast', 'neverOpened')],
  [1, fc.constant({ kind: 'repeat' as const })],
);

const fatesThat = (are: (fate: Fate) => boolean) =>
  [...FATES.keys()].filter((each) => are(FATES[each] as Fate));

const LATE = fatesThat(({ afterMs }) => afterMs > 5_000);
const FAILING = fatesThat(
  ({ isStored, says, afterMs }) => isStored && says !== 'run' && afterMs < 5_000,
);

const fate = weighed([2, fc.nat(FATES.length - 1)], [1, fc.constantFrom(...LATE)]);

const step = weighed(
  happens(8, 'records', {
    reports: weighed(
      [6, fc.nat(25)],
      [3, fc.integer({ min: 100, max: 300 })],
      [1, fc.constantFrom(950, MAX_RECORDS)],
    ),
    replies: fc.nat(12),
    // The workflow cannot handle one in so many of them.
    poisonEvery: weighed([5, fc.constant(Infinity)], [4, fc.constantFrom(1, 2, 3, 7, 50)]),
  }),
  // Nothing works for some hours, in which n8n polls now and then; or all is well.
  happens(2, 'hours', {
    hours: fc.constantFrom(0.2, 1, 2, 25, 60),
    isOut: fc.boolean(),
    newRecords: fc.nat(3),
  }),
  happens(9, 'poll', { times: fc.integer({ min: 1, max: 4 }), overlapping: mostly(false, true) }),
  // So many executions meet these fates in turn, or all until n8n is sound again.
  happens(4, 'n8n', {
    fates: fc.array(weighed([1, fc.constant(FATES.indexOf(STORED))], [3, fate]), {
      minLength: 1,
      maxLength: 5,
    }),
    times: fc.constantFrom(1, 3, Infinity),
    isSaving: mostly(true, false),
  }),
  happens(1, 'soundN8n', {}),
  happens(4, 'service', { fault, nth: fc.integer({ min: 1, max: 4 }), event }),
  // The service returns its latest records again.
  happens(2, 'redelivery', { count: fc.constantFrom(10, MAX_RECORDS) }),
  // With a change: between two polls, or in one, at this hand-over.
  happens(5, 'publish', {
    change: fc.constantFrom(
      ...(['none', 'rename', 'replace', 'events', 'pullSize', 'itemsPerExecution'] as const),
      ...(['repeatFailed', 'repeatFailed'] as const),
    ),
    atHandOver: fc.nat(4),
  }),
  happens(1, 'unpublish', {}),
  // A graceful stop of n8n. Another process takes over.
  happens(1, 'restart', {}),
  // kill -9, so long after this hand-over, counted from now.
  happens(2, 'kill', {
    handOvers: fc.integer({ min: 1, max: 4 }),
    afterMs: fc.constantFrom(0, 3, 10, 30, 500),
  }),
  // Another main process polls from now on. This one lives on.
  happens(1, 'otherProcess', {}),
  happens(1, 'clock', { hours: fc.constantFrom(-1, 1, -24) }),
);

export type Step = Made<typeof step>;

export type Change = Extract<Step, { kind: 'publish' }>['change'];

const OTHER_PROCESS: Step = { kind: 'otherProcess' };

const HOUR: Step = { kind: 'hours', hours: 1, isOut: false, newRecords: 0 };

const polls = (times: number): Step => ({ kind: 'poll', times, overlapping: false });

/**
 * The trigger is published, or another process takes over, while n8n has more to say about the parts of a page. Then
 * others fail, and the first process may poll again.
 */
const changeWhilePending: fc.Arbitrary<Step[]> = fc
  .record({
    reports: fc.integer({ min: 3, max: 25 }),
    fates: fc.array(fc.constantFrom(...LATE), { minLength: 1, maxLength: 3 }),
    times: fc.integer({ min: 1, max: 4 }),
    change: fc.oneof(
      fc.constant(OTHER_PROCESS),
      fc.record({
        kind: fc.constant('publish' as const),
        change: fc.constantFrom<Change>('repeatFailed', 'repeatFailed', 'replace', 'rename'),
        atHandOver: fc.nat(1),
      }),
    ),
    later: fc.array(weighed([1, fate], [2, fc.constantFrom(...FAILING)]), {
      minLength: 1,
      maxLength: 2,
    }),
    laterTimes: fc.constantFrom(1, 5, Infinity),
    tries: fc.integer({ min: 1, max: 3 }),
    back: fc.constantFrom([], [OTHER_PROCESS], [OTHER_PROCESS]),
    last: fc.constantFrom(polls(1), polls(3), HOUR),
  })
  .map(({ reports, fates, times, change, later, laterTimes, tries, back, last }) => [
    { kind: 'records', reports, replies: 0, poisonEvery: Infinity },
    { kind: 'n8n', fates, times, isSaving: true },
    polls(1),
    { kind: 'n8n', fates: later, times: laterTimes, isSaving: true },
    change,
    polls(tries),
    ...back,
    last,
  ]);

/** A trigger is published while the service refuses. */
const changeWhileRefused: fc.Arbitrary<Step[]> = fc
  .record({
    change: fc.constantFrom<Change>('none', 'rename', 'replace', 'pullSize'),
    fault: faults('refused', 'notFound', 'unavailable', 'neverOpened', 'html'),
  })
  .map(({ change, fault }) => [
    { kind: 'service', fault, nth: 1, event: 'deliveryReport' },
    { kind: 'publish', change, atHandOver: 0 },
  ]);

const service: fc.Arbitrary<ServiceOptions> = fc
  .record({
    deletesAfterMs: weighed(
      [4, fc.constant(0)],
      [2, fc.constant(Infinity)],
      [2, fc.constantFrom(1_500, 5_000, 20_000)],
    ),
    maxCount: mostly(Infinity, 7, 4),
    everyMs: weighed([5, fc.constant(0)], [1, fc.constant(10_000)]),
    tooFastAs: fc.constantFrom('status', 'code'),
    shape: weighed([4, fc.constant('usual')], [1, shape]),
    empty: mostly<EmptyName>('list', ...EMPTY_NAMES),
    latencyMs: mostly(40, 400),
  })
  // A service that never deletes and has a largest page never shows its newer records, nor does one that
  // allows few pulls repeat a page in one poll. The trigger does not know records that it cannot read.
  .map((each) =>
    each.deletesAfterMs === 0 ? each : { ...each, maxCount: Infinity, shape: 'usual' },
  )
  .map((each) => (each.deletesAfterMs === Infinity ? { ...each, everyMs: 0 } : each));

export const scenario = fc
  .record({
    service,
    pullSize: fc.constantFrom(5, 20, 20, 100, 1_000),
    itemsPerExecution: fc.constantFrom(2, 2, 1_000),
    maxRecords: weighed([3, fc.constant(10_000)], [1, fc.constantFrom(10, 50)]),
    events: fc.constantFrom<EventName[][]>(['deliveryReport'], ['deliveryReport', 'reply']),
    isDurable: mostly(false, true),
    /** 'Repeat Failed Executions' is on at first. */
    repeats: fc.boolean(),
    steps: fc
      .array(
        weighed([9, step.map((one) => [one])], [3, changeWhilePending], [1, changeWhileRefused]),
        {
          minLength: 2,
          maxLength: 10,
        },
      )
      .map((groups) => groups.flat()),
  })
  // Large queues in tiny pages only take time.
  .map(({ steps, ...each }) => {
    const page = Math.min(each.pullSize, each.service.maxCount, each.maxRecords);
    return { ...each, steps: steps.map((one) => scaled(one, page, each.service)) };
  });

export type Scenario = Made<typeof scenario>;

function scaled(step: Step, page: number, { everyMs }: ServiceOptions): Step {
  if (step.kind !== 'records') return step;
  const pages = everyMs > 0 ? 6 : 30;
  return { ...step, reports: Math.min(step.reports, pages * page) };
}
