import { sleep } from 'n8n-workflow';
import { untilAborted } from '../n8n/abort';
import type { Exchange } from '../service/answer';
import type { Outcome } from './outcome';

const CANCELLED: Exchange = {
  kind: 'unclear',
  reason: 'The execution was cancelled before the service answered',
};

const NOT_SENT_CANCELLED: Outcome = {
  status: 'rejected',
  msg: 'The execution was cancelled',
};

/**
 * Decides when the requests of one run may be made: not during a pause, which holds for all of them, and
 * not after an obstacle, such as a cancelled execution or a service that cannot be reached.
 */
export class Pace {
  private pause: Promise<unknown> = Promise.resolve();

  /**
   * @param signal aborts when the execution is cancelled
   * @param stopped why no request may be made from the start
   */
  constructor(
    private readonly signal: AbortSignal | undefined,
    private stopped?: Outcome,
  ) {}

  /** Waits until a request may be made. Returns the outcome of its messages if it must not be made. */
  async admit(): Promise<Outcome | undefined> {
    let kept: Promise<unknown> | undefined;
    // A pause may become longer while a request waits.
    while (kept !== this.pause && this.obstacle === undefined) {
      kept = this.pause;
      await untilAborted(this.signal, kept).catch(() => undefined);
    }
    return this.obstacle;
  }

  /** Waits for the exchange. When the execution is cancelled first, the result is unclear. */
  async untilCancelled(exchange: Promise<Exchange>): Promise<Exchange> {
    return await untilAborted(this.signal, exchange).catch((error: Error) =>
      this.signal?.aborted ? CANCELLED : Promise.reject(error),
    );
  }

  /** Makes all requests wait. */
  hold(pauseMs: number): void {
    this.pause = Promise.all([this.pause, sleep(pauseMs)]);
  }

  /** Stops all further requests. The first reason stays. */
  stop(reason: Outcome): void {
    this.stopped ??= reason;
  }

  private get obstacle(): Outcome | undefined {
    return this.signal?.aborted ? NOT_SENT_CANCELLED : this.stopped;
  }
}
