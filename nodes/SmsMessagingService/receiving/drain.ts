import type { ServiceClient } from '../service/client';
import type { Sighting } from '../service/newRecords';
import { isFruitless, nextPull, sizeOf, startDrain } from './drainStep';
import type { Kept, PullAnswer, PullStep } from './drainStep';
import type { EventDescription } from './events';
import { pullPage } from './pullPage';
import type { EmptyAnswer, Pulled, PullRequest } from './pullPage';
import { PullPace } from './pullPace';
import type { RecordMemory } from './recordMemory';

/** How an event is drained. */
export interface DrainOptions extends PullRequest {
  /** How many records the user wants one request to ask for (`count`). */
  pullSize: number;
  /** What a trigger keeps between polls. The drain changes it. Omitted for a pull by hand. */
  kept?: Kept;
  /** Leaves time between the pulls of a trigger. Omitted for a pull by hand, which does not wait. */
  pace?: PullPace;
  /** No page is asked for after this many new records. */
  maxRecords: number;
  /** Asked before every page, and during a pause. */
  shouldContinue: () => boolean;
  /** Knows which records are old. The caller marks a page in it when its records are safe. */
  memory: RecordMemory;
  /** Called at the end if this many old records may hide new ones that cannot be reached. */
  onHidden?: (count: number) => void;
  /** Called if a refusal was taken for an empty queue. */
  onEmpty?: (answer: EmptyAnswer) => void;
}

/**
 * Pulls page by page and yields each page that has new records. A pull consumes what it returns, so the
 * next page is asked for only when the caller comes back: by then, the records of this page are safe.
 * `nextPull` decides what follows an answer.
 *
 * If the service asks a trigger to slow down, the drain continues after a pause. If no time is left for
 * that, it throws only if the service has accepted no request in the meantime.
 *
 * @throws NodeApiError or UserError if a page cannot be pulled. The pages before it were yielded, and
 * so were the records that arrived with the failure
 */
export async function* drain(
  client: ServiceClient,
  event: EventDescription,
  options: DrainOptions,
): AsyncGenerator<Sighting<unknown>, void> {
  const { memory, shouldContinue, kept, pace = new PullPace() } = options;
  const { acceptedCount } = pace;
  const comparison = new Comparison();
  let state = startDrain(options.pullSize, options.maxRecords, kept);
  while (await pace.turn(event.name, shouldContinue)) {
    const pulled = await pullPage(client, event, sizeOf(state), options);
    const sighting = memory.look(pulled.page);
    const step = nextPull(state, comparison.answerOf(pulled, sighting));
    ({ state } = step);
    // Kept before the page is handed over: the caller may not come back.
    if (kept) kept.learnt = state.learnt;
    pace.note(pulled);
    if (pulled.emptyBy) options.onEmpty?.(pulled.emptyBy);
    if (sighting.fresh.length > 0) yield sighting;
    if (step.kind !== 'pull') return finish(step, options.onHidden);
  }
  if (isFruitless(state) && pace.acceptedCount === acceptedCount) throw state.error as Error;
}

/** @throws the error of a drain that has failed */
function finish({ kind, state, hiding }: PullStep, onHidden: DrainOptions['onHidden']): void {
  if (kind === 'fail') throw state.error as Error;
  if (hiding !== undefined) onHidden?.(hiding);
}

/** Compares the pages of one drain. */
class Comparison {
  /** Fingerprints of all records of this drain. */
  private readonly shown = new Set<string>();

  /** How often each fingerprint was in the latest page that had records. */
  private before = new Map<string, number>();

  /** The answer to a pull, compared with the earlier ones. */
  answerOf({ kind, error }: Pulled, { length, fresh, counts }: Sighting<unknown>): PullAnswer {
    const { before } = this;
    const shownBefore = this.shown.size;
    for (const key of counts.keys()) this.shown.add(key);
    if (length > 0) this.before = counts;
    const repeatsPrevious = [...before].every(([key, count]) => (counts.get(key) ?? 0) >= count);
    return {
      kind,
      length,
      fresh: fresh.length,
      isAllShown: this.shown.size === shownBefore,
      repeatsPrevious: before.size > 0 && repeatsPrevious,
      at: performance.now(),
      error,
    };
  }
}
