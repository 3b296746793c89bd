import type { UserError } from 'n8n-workflow';
import type { Adaptation } from '../operations/endpoint';
import { refusesContent } from '../service/reading/answer';
import type { Unanswered } from '../service/reading/answer';
import type { ServiceClient } from '../service/client';
import type { OperationAdvice } from '../service/errors';
import { withExtraFields } from '../service/extraFields';
import type { Sighting } from '../service/newRecords';
import { shapeError } from '../service/reading/shapes';
import { wordsIn } from '../service/reading/statement';
import { meaningOfWords } from '../service/reading/words';
import { newLearnt, next, sizeOf, startDrain } from './drainStep';
import type { Action, Answer, DrainState, Learnt } from './drainStep';
import type { EventDescription } from './events';
import { Pace } from './pace';
import { pullAdvice } from './pullAdvice';
import { heldIn, holdsNothing, isUnreadable, recordsIn, unreadable } from '../service/reading/pull';
import type { RecordMemory } from './recordMemory';

export interface DrainOptions {
  /** Number of records to ask for in one request (`count`): the user's. */
  pullSize: number;
  /** What is kept between polls of the sizes that work. Left out: a pull by hand. */
  learnt?: Learnt;
  /** Keeps the pulls of a trigger apart. Left out: "too fast" is a failure like any other. */
  pace?: Pace;
  /** No page is asked for after this many new records. */
  maxRecords: number;
  /** Asked before every page, and while a pause lasts. */
  shouldContinue: () => boolean;
  /** The field of the editor that sets the page size. */
  sizeField: string;
  /** Knows which records are old. The caller marks a page in it when its records are safe. */
  memory: RecordMemory;
  /** Told at the end where new records may stand behind this many old ones, and cannot be reached. */
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
 * `drainStep.ts` says what follows an answer.
 *
 * If the service asks to slow down, the drain goes on after a pause. It ends in silence when no time is
 * left and the poll has brought anything.
 *
 * @throws NodeApiError or UserError when a page cannot be pulled. The pages before it were yielded, and
 * so were the records that arrived of this one.
 */
export async function* drain(
  client: ServiceClient,
  event: EventDescription,
  options: DrainOptions,
): AsyncGenerator<Sighting<unknown>, void> {
  const run = new DrainRun(client, event, options);
  while (await run.mayPull()) {
    const sighting = await run.pull();
    if (sighting.fresh.length > 0) yield sighting;
    if (run.isOver()) return;
  }
  run.endInTime();
}

/** One drain: its state, and what its pulls teach. */
class DrainRun {
  private readonly pace: Pace;

  private readonly acceptedBefore: number;

  private readonly history = new History();

  private state: DrainState;

  private action: Action = { kind: 'pull' };

  /** Of the latest pull. Of several sizes that are refused, the first, which is the user's. */
  private failure?: Error;

  constructor(
    private readonly client: ServiceClient,
    private readonly event: EventDescription,
    private readonly options: DrainOptions,
  ) {
    const { pullSize, maxRecords, learnt, pace = new Pace() } = options;
    this.state = startDrain(pullSize, maxRecords, learnt);
    this.pace = pace;
    this.acceptedBefore = pace.acceptedCount;
  }

  /** Waits until the service may be asked. False when the time is over. */
  async mayPull(): Promise<boolean> {
    const { shouldContinue } = this.options;
    return shouldContinue() && (await this.pace.turn(this.event.name, shouldContinue));
  }

  /** Pulls a page, and decides what follows. What it teaches is kept before the page is handed over. */
  async pull(): Promise<Sighting<unknown>> {
    const { memory, learnt = newLearnt() } = this.options;
    const pulled = await pullPage(this.client, this.event, sizeOf(this.state), this.options);
    const sighting = memory.look(pulled.page);
    ({ state: this.state, action: this.action } = next(
      this.state,
      this.history.enter(pulled, sighting),
    ));
    learnt.sizes = this.state.sizes;
    if (sighting.fresh.length > 0) learnt.freshAt = performance.now();
    if (pulled.kind === 'page') this.pace.accept();
    if (pulled.kind === 'throttled') this.pace.slowDown(pulled.retryAfterMs);
    this.failure = (pulled.kind === 'refused' ? this.failure : undefined) ?? pulled.failure;
    return sighting;
  }

  /**
   * Whether no other page is to be asked for.
   *
   * @throws the failure that has ended the drain
   */
  isOver(): boolean {
    const { action, failure } = this;
    if (action.kind === 'tell') this.options.onCeiling?.(action.count);
    if (failure && action.kind === 'fail') throw failure;
    return action.kind === 'end' || action.kind === 'tell';
  }

  /** @throws the failure of the latest pull, if nothing was accepted in this poll */
  endInTime(): void {
    const { isAccepted, fresh } = this.state;
    const hasBrought = isAccepted || fresh > 0 || this.pace.acceptedCount > this.acceptedBefore;
    if (this.failure && !hasBrought) throw this.failure;
  }
}

/** What a drain has seen, to know pages again. */
class History {
  /** Fingerprints of all records of this drain. */
  private readonly shown = new Set<string>();

  private before = new Map<string, number>();

  /** The answer to a pull, compared with the ones before. */
  enter({ kind }: Pulled, { length, fresh, counts }: Sighting<unknown>): Answer {
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
    };
  }
}

/** The records of a pull, and what went wrong with it. */
interface Pulled {
  kind: Answer['kind'];
  page: unknown[];
  failure?: Error;
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
  const failure = client.errorFor(exchange, {
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
  return { kind: kindOf(exchange, page), page, failure, retryAfterMs: exchange.retryAfterMs };
}

function readPage(answer: unknown, event: EventDescription): Pulled {
  const page = recordsIn(answer, event.fields) ?? (saysEmpty(answer) ? [] : undefined);
  if (page) return { kind: 'page', page };
  return { kind: 'failed', page: [unreadable(answer)], failure: notRecognised(answer, event) };
}

/** Whether words stand in place of the records, which say that there are none. */
function saysEmpty(answer: unknown): boolean {
  return holdsNothing(answer) && meaningOfWords(wordsIn(answer)) === 'empty';
}

/** What cannot be read is told, also if the service asks to slow down beside it. */
function kindOf(exchange: Unanswered, page: unknown[]): Answer['kind'] {
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
