import type { ServiceClient } from '../service/client';
import type { Sighting } from '../service/newRecords';
import { timeOf } from './events';
import type { EventDescription } from './events';
import { pullPage } from './pullPage';
import type { EmptyAnswer, Pulled, PullRequest } from './pullPage';
import type { PullTurns } from './pullTurns';
import type { RecordMemory } from './recordMemory';

/** How an event is drained. */
export interface DrainOptions extends PullRequest {
  /** Number of records in one request, as the user has set it (`count`). */
  pullSize: number;
  /** No page is asked for after this many new records, and none that could bring more. */
  maxRecords: number;
  /** Of a trigger, which waits where the service says "too fast". Left out for a pull by hand, which fails. */
  turns?: PullTurns;
  /** Asked before every page, and during a wait. */
  shouldContinue: () => boolean;
  /** Knows which records are old. */
  memory: RecordMemory;
  /** Makes the new records of a page safe, and marks the page in the memory. */
  give: (page: Sighting<unknown>) => Promise<void>;
  /** Called if a refusal was taken for an empty queue. */
  onEmpty?: (answer: EmptyAnswer) => void;
}

/** The state of a drain. A value: each answer gives a new one. */
interface DrainState {
  /** Number of new records. */
  readonly fresh: number;
  /** The pages that came, each by its records. */
  readonly pages: ReadonlySet<string>;
  /** Whether a page came, with records or empty. */
  readonly isAnswered: boolean;
  /** What the service said, if it was too fast for it. */
  readonly tooFast?: Error;
  /** The length of a full page that was repeated: other records may stand behind it. */
  readonly repeated?: number;
  /** Whether the service may have more: its last page was neither empty nor a repeated one. */
  readonly hasMore: boolean;
  /** The time of the newest record, in milliseconds. */
  readonly newestAt: number;
}

const NOTHING = { fresh: 0, isAnswered: false, hasMore: false, newestAt: -Infinity };

/** How a drain ended. */
export type Drained = Omit<DrainState, 'pages'>;

interface Step {
  kind: 'pull' | 'end';
  state: DrainState;
}

/**
 * Pulls page by page, and gives each page that has new records. A pull consumes what it returns, so the
 * next page is asked for only when the records of this one are safe.
 *
 * @throws NodeApiError or UserError if a page cannot be pulled. The pages before it were given, and so were
 * the records that arrived with the failure
 */
export async function drain(
  client: ServiceClient,
  event: EventDescription,
  options: DrainOptions,
): Promise<Drained> {
  const { pullSize, maxRecords, turns, shouldContinue, memory } = options;
  let step: Step = { kind: 'pull', state: { ...NOTHING, pages: new Set() } };
  while (step.kind === 'pull') {
    const count = Math.min(pullSize, maxRecords - step.state.fresh);
    const pull = async () => await pullPage(client, event, count, options);
    const pulled: Pulled | undefined = turns
      ? await turns.take(event.name, shouldContinue, pull)
      : shouldContinue()
        ? await pull()
        : undefined;
    if (!pulled) break;
    const page = memory.look(pulled.page);
    if (pulled.emptyBy) options.onEmpty?.(pulled.emptyBy);
    if (page.fresh.length > 0) await options.give(page);
    if (pulled.kind === 'failed' || (pulled.kind === 'tooFast' && !turns))
      throw pulled.error as Error;
    step = next(step.state, pulled, page, { count, maxRecords });
  }
  return step.state;
}

/**
 * What follows an answer. An empty page is the end, and so is one that repeats a page of this drain: the
 * service does not take records out. Other old records are not: they were delivered twice, and new ones may
 * follow.
 */
function next(
  before: DrainState,
  { kind, error, page }: Pulled,
  { length, fresh, counts }: Sighting<unknown>,
  { count, maxRecords }: { count: number; maxRecords: number },
): Step {
  const seen = { ...before, fresh: before.fresh + fresh.length };
  const isFull = seen.fresh >= maxRecords;
  if (length === 0) {
    return kind === 'page'
      ? { kind: 'end', state: { ...seen, isAnswered: true, hasMore: false } }
      : { kind: 'pull', state: { ...seen, tooFast: error } };
  }
  const records = Array.from(counts, (each) => each.join())
    .sort()
    .join();
  const isRepeated = fresh.length === 0 && before.pages.has(records);
  const repeated = isRepeated && length === count ? length : undefined;
  const pages = new Set(before.pages).add(records);
  const newestAt = page.reduce<number>(
    (newest, record) => Math.max(newest, timeOf(record) ?? newest),
    before.newestAt,
  );
  const state = { ...seen, newestAt, pages, isAnswered: true, repeated, hasMore: !isRepeated };
  return { kind: isRepeated || isFull ? 'end' : 'pull', state };
}
