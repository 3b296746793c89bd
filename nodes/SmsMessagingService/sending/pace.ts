import { sleep } from 'n8n-workflow';
import { untilAborted } from '../n8n/abort';
import type { Exchange } from '../service/answer';
import { insideSentence } from '../service/sentences';
import type { Happening } from './messageLife';
import type { News } from './outcome';

/** Pauses after answers in a row that are not clear: the first one, and by how much each later one is longer. */
const PAUSES: Partial<Record<Happening, { firstMs: number; factor: number }>> = {
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
 * How long a run pauses after a request: the longer of Retry-After and a back-off.
 *
 * @param happening what the answer was
 * @param retryAfterMs milliseconds that the service asked to wait
 * @param inARow number of such answers since the latest clear one, with this one
 * @param maxRetries maximum number of pauses in a row because requests did not get through
 * @param random from 0 to 1, so that several runs do not continue at the same moment
 * @returns milliseconds, 0 after a clear answer; undefined if the run stops
 */
export function pauseAfter(
  happening: Happening,
  retryAfterMs: number,
  inARow: number,
  maxRetries: number,
  random: number,
): number | undefined {
  const pause = PAUSES[happening];
  if (!pause) return 0;
  const isUnclear = happening === 'unclear';
  const most = isUnclear ? UNCLEAR_BEFORE_STOP - 1 : maxRetries;
  if (inARow > most || retryAfterMs > MAX_PAUSE_MS) return undefined;
  const earlier = inARow - (isUnclear ? UNCLEAR_BEFORE_PAUSE : 1);
  if (earlier < 0) return 0;
  const backOffMs = pause.firstMs * pause.factor ** earlier * (1 + random);
  return Math.max(retryAfterMs, Math.min(backOffMs, MAX_PAUSE_MS));
}

const CANCELLED_EXCHANGE: Exchange = {
  kind: 'unclear',
  reason: 'The execution was cancelled before the service answered',
};

const CANCELLED: News = { happening: 'heldBack', msg: 'The execution was cancelled' };

/** Whether a request may be made. If so, `end` ends it; `pauses` is the number of pauses of the run before it. */
export type Turn = { kind: 'go'; pauses: number } | { kind: 'stopped'; news: News };

/**
 * Decides when the requests of one run are made: none during a pause, and none after a stop or after the
 * execution was cancelled. After a pause one request is made alone, until one gets a clear answer.
 */
export class Pace {
  /** Requests in a row without a clear answer: that sent nothing, and that may have sent. */
  private notSent = 0;

  private unclear = 0;

  private active = 0;

  private pauses = 0;

  private pause = Promise.resolve();

  private stopped?: News;

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

  /** Why messages are not tried any more. Undefined if requests may still be made. */
  get stop(): News | undefined {
    return this.signal?.aborted ? CANCELLED : this.stopped;
  }

  async begin(): Promise<Turn> {
    for (;;) {
      const { pause } = this;
      await untilAborted(this.signal, pause).catch(() => undefined);
      if (this.stop) return { kind: 'stopped', news: this.stop };
      // Another one may have begun meanwhile.
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
   * Ends a request. One from before the latest pause says nothing about the service after it.
   *
   * @param pauses number of pauses of the run before it
   * @param news what it meant for its messages
   * @param retryAfterMs milliseconds that the service asked to wait
   */
  end(pauses: number, news: News, retryAfterMs = 0): void {
    this.active -= 1;
    if (pauses === this.pauses) this.note(news, retryAfterMs);
    for (const resume of this.waiting.splice(0)) resume();
  }

  private note(news: News, retryAfterMs: number): void {
    const { happening } = news;
    if (!PAUSES[happening]) {
      this.notSent = this.unclear = 0;
      return;
    }
    const row = happening === 'unclear' ? 'unclear' : 'notSent';
    this[row] += 1;
    const { maxRetries } = this;
    const pauseMs = pauseAfter(happening, retryAfterMs, this[row], maxRetries, Math.random());
    if (pauseMs === undefined) {
      const { code, msg: said = '', advice } = news;
      const why = row === 'unclear' ? OUTAGE : NOT_THROUGH;
      const msg = `Not sent: ${why} (${insideSentence(said)})`;
      this.stopped ??= { happening: 'heldBack', code, msg, advice, isUntried: true };
    } else if (pauseMs > 0) {
      this.pauses += 1;
      this.pause = sleep(pauseMs);
    }
  }
}

const OUTAGE = `the last ${UNCLEAR_BEFORE_STOP} requests of this run may or may not have been accepted`;
const NOT_THROUGH = 'an earlier request of this run did not get through';
