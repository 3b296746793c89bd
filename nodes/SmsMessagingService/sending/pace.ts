import { sleep } from 'n8n-workflow';
import { untilAborted } from '../n8n/abort';
import type { Exchange } from '../service/answer';
import { insideSentence } from '../service/sentences';
import type { Outcome } from './outcome';

/**
 * A request without a clear answer. `throttled` and `unreachable`: it certainly sent nothing, and may be made
 * again. `unclear`: it may have sent its messages.
 */
export interface Setback {
  kind: 'throttled' | 'unreachable' | 'unclear';
  /** Milliseconds that the service asked to wait. */
  retryAfterMs?: number;
}

/** Pauses after setbacks in a row: the first one, and the factor by which each later one is longer. */
const PAUSES: Record<Setback['kind'], { firstMs: number; factor: number }> = {
  // A limit is often one request per minute, so three pauses must last longer than a minute.
  throttled: { firstMs: 1_000, factor: 8 },
  unreachable: { firstMs: 500, factor: 2 },
  unclear: { firstMs: 1_000, factor: 2 },
};

/** If the service asks for a longer pause, the run stops. */
export const MAX_PAUSE_MS = 60_000;

/** After this many unclear answers in a row, the run pauses after each. */
export const UNCLEAR_BEFORE_PAUSE = 3;

/** After this many unclear answers in a row, the run stops: each may cost the messages of a request. */
export const UNCLEAR_BEFORE_STOP = 6;

/**
 * How long a run pauses after a setback: the longer of Retry-After and a back-off.
 *
 * @param inARow number of setbacks of this sort since the latest clear answer, with this one
 * @param maxRetries maximum number of pauses in a row because requests did not get through
 * @param random from 0 to 1, so that several runs do not continue at the same moment
 * @returns milliseconds; undefined if the run stops
 */
export function pauseAfter(
  { kind, retryAfterMs = 0 }: Setback,
  inARow: number,
  maxRetries: number,
  random: number,
): number | undefined {
  const isUnclear = kind === 'unclear';
  const most = isUnclear ? UNCLEAR_BEFORE_STOP - 1 : maxRetries;
  if (inARow > most || retryAfterMs > MAX_PAUSE_MS) return undefined;
  const earlier = inARow - (isUnclear ? UNCLEAR_BEFORE_PAUSE : 1);
  if (earlier < 0) return 0;
  const { firstMs, factor } = PAUSES[kind];
  return Math.max(retryAfterMs, Math.min(firstMs * factor ** earlier * (1 + random), MAX_PAUSE_MS));
}

const CANCELLED_EXCHANGE: Exchange = {
  kind: 'unclear',
  reason: 'The execution was cancelled before the service answered',
};

const CANCELLED_OUTCOME: Outcome = { status: 'rejected', msg: 'The execution was cancelled' };

/**
 * Whether a request may be made. If it may, `end` ends it; `pauses` is the number of pauses of the run before
 * it. If it may not, its messages have the outcome.
 */
export type Turn = { kind: 'go'; pauses: number } | { kind: 'stopped'; outcome: Outcome };

/**
 * Decides when the requests of one run are made: none during a pause, and none after a stop or after the
 * execution was cancelled. After a pause one request is made alone, until one gets a clear answer.
 */
export class Pace {
  /** Setbacks in a row: of requests that sent nothing, and of those that may have sent. */
  private notSent = 0;

  private unclear = 0;

  /** Number of requests under way. */
  private active = 0;

  /** Number of pauses so far. */
  private pauses = 0;

  private pause: Promise<unknown> = Promise.resolve();

  private stopped?: Outcome;

  /** Each is called when a request ends. */
  private waiting: (() => void)[] = [];

  /**
   * @param maxRetries maximum number of pauses in a row for requests that did not get through
   * @param signal aborts when the execution is cancelled
   */
  constructor(
    private readonly maxRetries: number,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** The outcome of the messages that are not tried. Undefined if requests may still be made. */
  get obstacle(): Outcome | undefined {
    return this.signal?.aborted ? CANCELLED_OUTCOME : this.stopped;
  }

  /** Waits until a request may be made. */
  async begin(): Promise<Turn> {
    for (;;) {
      const { pause } = this;
      await untilAborted(this.signal, pause).catch(() => undefined);
      if (this.obstacle) return { kind: 'stopped', outcome: this.obstacle };
      // The pause may have become longer meanwhile.
      if (pause !== this.pause) continue;
      const isProbing = this.notSent > 0 || this.unclear >= UNCLEAR_BEFORE_PAUSE;
      if (!isProbing || this.active === 0) break;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.active += 1;
    return { kind: 'go', pauses: this.pauses };
  }

  /** Waits for the exchange. If the execution is cancelled first, the result is unclear. */
  async untilCancelled(exchange: Promise<Exchange>): Promise<Exchange> {
    return await untilAborted(this.signal, exchange).catch((error: Error) =>
      this.signal?.aborted ? CANCELLED_EXCHANGE : Promise.reject(error),
    );
  }

  /**
   * Ends a request.
   *
   * @param pauses number of pauses of the run before it
   * @param outcome of its messages
   * @param setback undefined if the answer was clear
   */
  end(pauses: number, outcome: Outcome, setback?: Setback): void {
    this.active -= 1;
    // A request from before the latest pause says nothing about the service after it.
    const isNew = pauses === this.pauses;
    if (setback) this.note(setback, isNew, outcome);
    else if (isNew) this.notSent = this.unclear = 0;
    for (const resume of this.waiting.splice(0)) resume();
  }

  /** @param isNew whether the request began after the latest pause */
  private note(setback: Setback, isNew: boolean, outcome: Outcome): void {
    const row = setback.kind === 'unclear' ? 'unclear' : 'notSent';
    if (isNew) this[row] += 1;
    const pauseMs = pauseAfter(setback, this[row], this.maxRetries, Math.random());
    if (pauseMs === undefined) {
      this.stopped ??= untried(row === 'unclear' ? OUTAGE : NOT_THROUGH, outcome);
      return;
    }
    const holdMs = isNew ? pauseMs : (setback.retryAfterMs ?? 0);
    if (holdMs === 0) return;
    if (isNew) this.pauses += 1;
    this.pause = Promise.all([this.pause, sleep(holdMs)]);
  }
}

const OUTAGE = `the last ${UNCLEAR_BEFORE_STOP} requests of this run may or may not have been accepted`;
const NOT_THROUGH = 'an earlier request of this run did not get through';

/** The outcome of messages that are not tried, because the run has stopped. */
function untried(why: string, { code, msg = '', advice }: Outcome): Outcome {
  const reason = `Not sent: ${why} (${insideSentence(msg)})`;
  return { status: 'rejected', code, msg: reason, advice, isUntried: true };
}
