import type { UserError } from 'n8n-workflow';
import type { Adaptation } from '../operations/endpoint';
import { refusesContent } from '../service/reading/answer';
import type { Unanswered } from '../service/reading/answer';
import type { ServiceClient } from '../service/client';
import type { OperationAdvice } from '../service/errors';
import { withExtraFields } from '../service/client';
import type { Sighting } from '../service/newRecords';
import { heldIn, holdsNothing, isUnreadable, recordsIn, unreadable } from '../service/reading/pull';
import { shapeError } from '../service/reading/shapes';
import { wordsIn } from '../service/reading/statement';
import { meaningOfWords } from '../service/reading/words';
import { isFruitless, nextPull, sizeOf, startDrain } from './drainStep';
import type { Kept, PullAnswer } from './drainStep';
import type { EventDescription } from './events';
import { pullAdvice } from './pullAdvice';
import { PullPace } from './pullPace';
import type { RecordMemory } from './recordMemory';

export interface DrainOptions {
  /** Number of records to ask for in one request (`count`): the user's. */
  pullSize: number;
  /** What a trigger keeps between polls. The drain changes it. Left out: a pull by hand. */
  kept?: Kept;
  /** Keeps the pulls of a trigger apart. Left out: "too fast" is a failure like any other. */
  pace?: PullPace;
  /** No page is asked for after this many new records. */
  maxRecords: number;
  /** Asked before every page, and during a pause. */
  shouldContinue: () => boolean;
  /** The field of the editor that sets the page size. */
  sizeField: string;
  /** Knows which records are old. The caller marks a page in it when its records are safe. */
  memory: RecordMemory;
  /** Called at the end if new records may be behind this many old ones, and cannot be reached. */
  onCeiling?: (count: number) => void;
  itemIndex?: number;
  /** Left out: the event's own path, without extra fields. */
  adaptation?: Adaptation;
  /** What the caller adds to the advice in errors. */
  advice?: OperationAdvice;
}

/** How long a pull waits for its answer. The records of an answer that comes later are lost. */
export const PULL_TIMEOUT_MS = 15_000;

/**
 * Pulls page by page and yields each page that has new records. A pull consumes what it returns, so the
 * next page is asked for only when the caller comes back: the records of this page are safe then.
 * `nextPull` says what follows an answer.
 *
 * If the service asks to slow down, the drain goes on after a pause. It ends in silence if no time is
 * left and the poll has returned anything.
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
    if (sighting.fresh.length > 0) yield sighting;
    if (step.kind === 'fail') throw state.error as Error;
    if (step.hiding !== undefined) options.onCeiling?.(step.hiding);
    if (step.kind === 'end') return;
  }
  if (isFruitless(state) && pace.acceptedCount === acceptedCount) throw state.error as Error;
}

/** Compares the pages of one drain. */
class Comparison {
  /** Fingerprints of all records of this drain. */
  private readonly shown = new Set<string>();

  private before = new Map<string, number>();

  /** The answer to a pull, compared with those before. */
  answerOf({ kind, error }: Pulled, { length, fresh, counts }: Sighting<unknown>): PullAnswer {
    const { before } = this;
    const shownBefore = this.shown.size;
    for (const key of counts.keys()) this.shown.add(key);
    if (length > 0) this.before = counts;
    const isAgain = [...before].every(([key, count]) => (counts.get(key) ?? 0) >= count);
    return {
      kind,
      length,
      fresh: fresh.length,
      isShown: this.shown.size === shownBefore,
      isAgain: before.size > 0 && isAgain,
      at: performance.now(),
      error,
    };
  }
}

/** The records of a pull, and what went wrong with it. */
interface Pulled extends Pick<PullAnswer, 'kind' | 'error'> {
  page: unknown[];
  /** How many milliseconds the service asked to wait. */
  retryAfterMs?: number;
}

type PullRequest = Pick<DrainOptions, 'sizeField' | 'itemIndex' | 'adaptation' | 'advice'>;

async function pullPage(
  client: ServiceClient,
  event: EventDescription,
  count: number,
  request: PullRequest,
): Promise<Pulled> {
  const { path, extra } = request.adaptation ?? { path: event.path, extra: {} };
  const exchange = await client.exchange(path, withExtraFields({ count }, extra), PULL_TIMEOUT_MS);
  if (exchange.kind === 'answered') return readPage(exchange.body, event);
  const page = heldIn(exchange.body, event.fields);
  if (exchange.isEmpty && page.length === 0) return { kind: 'page', page };
  const error = client.errorFor(exchange, {
    itemIndex: request.itemIndex,
    advice: {
      ...request.advice,
      ...pullAdvice(exchange, page, {
        plural: event.plural,
        count: 'count' in extra ? undefined : count,
        sizeField: request.sizeField,
      }),
    },
  });
  return { kind: kindOf(exchange, page), page, error, retryAfterMs: exchange.retryAfterMs };
}

function readPage(answer: unknown, event: EventDescription): Pulled {
  const page = recordsIn(answer, event.fields) ?? (saysEmpty(answer) ? [] : undefined);
  if (page) return { kind: 'page', page };
  return { kind: 'failed', page: [unreadable(answer)], error: notRecognised(answer, event) };
}

/** Whether words say, instead of records, that there are none. */
function saysEmpty(answer: unknown): boolean {
  return holdsNothing(answer) && meaningOfWords(wordsIn(answer)) === 'empty';
}

/** What cannot be read is a failure, also if the service asks to slow down beside it. */
function kindOf(exchange: Unanswered, page: unknown[]): PullAnswer['kind'] {
  if (exchange.kind === 'throttled' && !page.some(isUnreadable)) return 'throttled';
  if (refusesContent(exchange) && page.length === 0) return 'refused';
  return exchange.isTimeout ? 'late' : 'failed';
}

function notRecognised(answer: unknown, { plural }: EventDescription): UserError {
  return shapeError(
    answer,
    `a list of ${plural} under 'data'`,
    'The answer itself is handed over, as an item with the event "unreadable": it may hold records.',
  );
}
