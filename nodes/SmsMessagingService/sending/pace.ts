import { sleep } from 'n8n-workflow';
import { adviceFor } from '../shared/errors';
import type { Exchange, Unanswered } from '../shared/answer';
import type { Outcome } from './outcome';

const FIRST_PAUSE_MS = 500;

/** A service that asks for a longer pause is not asked again in this run. */
const LONGEST_PAUSE_MS = 60_000;

/** So many requests in a row that did not get through, and the rest of the run is not tried. */
const FAILURES_IN_A_ROW = 4;

const CANCELLED: Unanswered = {
  kind: 'unclear',
  reason: 'The execution was cancelled before the service answered',
};

const NOT_SENT_CANCELLED: Outcome = {
  status: 'rejected',
  msg: 'Not sent: the execution was cancelled',
};

/**
 * Decides when the requests of one run may be made. A request that provably sent nothing, because the
 * service asked to slow down or no connection was opened, may be made again after a pause that all
 * requests of the run keep; nothing else may. When the service stays out of reach, or the execution
 * is cancelled, the requests that were not made yet are not made.
 */
export class Pace {
  private pause: Promise<unknown> = Promise.resolve();

  private failuresInARow = 0;

  private obstacle: Outcome | undefined;

  private readonly cancelled: Promise<Unanswered>;

  private readonly cancel: () => void;

  /** @param maxRetries how often one request may be repeated */
  constructor(
    private readonly maxRetries: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    let resolveCancelled!: (exchange: Unanswered) => void;
    this.cancelled = new Promise((resolve) => (resolveCancelled = resolve));
    this.cancel = () => {
      this.obstacle = NOT_SENT_CANCELLED;
      resolveCancelled(CANCELLED);
    };
    if (signal?.aborted) this.cancel();
    signal?.addEventListener('abort', this.cancel);
  }

  /** Waits until a request may be made. Gives the outcome of not making it, when it must not be. */
  async turn(): Promise<Outcome | undefined> {
    let kept: Promise<unknown> | undefined;
    // A pause may be prolonged while it is kept.
    while (kept !== this.pause && this.obstacle === undefined) {
      kept = this.pause;
      await Promise.race([kept, this.cancelled]);
    }
    return this.obstacle;
  }

  /** The exchange; or that it is unclear, as soon as the execution is cancelled. */
  async untilCancelled(exchange: Promise<Exchange>): Promise<Exchange> {
    return await Promise.race([exchange, this.cancelled]);
  }

  /**
   * Takes note of how a request went, and says whether to make it again.
   *
   * @param retries how often this request has been made again already
   */
  mayRepeat(exchange: Exchange, retries: number): boolean {
    if (exchange.kind !== 'throttled' && exchange.kind !== 'unreachable') {
      this.failuresInARow = 0;
      return false;
    }
    this.failuresInARow += 1;
    const pauseMs = exchange.retryAfterMs ?? backOff(retries);
    const isTooLong = pauseMs > LONGEST_PAUSE_MS;
    const mayRepeat = retries < this.maxRetries && !isTooLong;
    if (mayRepeat) this.pause = Promise.all([this.pause, sleep(pauseMs)]);
    else if (isTooLong || this.failuresInARow >= FAILURES_IN_A_ROW) this.giveUp(exchange);
    return mayRepeat;
  }

  /** To be called at the end of the run. */
  close(): void {
    this.signal?.removeEventListener('abort', this.cancel);
  }

  private giveUp(exchange: Unanswered): void {
    this.obstacle ??= {
      status: 'rejected',
      code: exchange.code,
      msg: `Not sent, because earlier requests of this run did not get through: ${exchange.reason}`,
      advice: adviceFor(exchange),
    };
  }
}

/** Twice as long each time, and never the same for two that were turned away together. */
function backOff(retries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** retries * (1 + Math.random()), LONGEST_PAUSE_MS);
}
