import { sleep } from 'n8n-workflow';
import type { Exchange, Unanswered } from '../service/answer';
import type { Outcome } from './outcome';

const CANCELLED: Unanswered = {
  kind: 'unclear',
  reason: 'The execution was cancelled before the service answered',
};

const NOT_SENT_CANCELLED: Outcome = {
  status: 'rejected',
  msg: 'Not sent: the execution was cancelled',
};

/**
 * When the requests of one run may be made: not during a pause, which all of them keep, and not any
 * more once there is an obstacle: the execution was cancelled, or a request did not get through.
 */
export class Pace {
  private pause: Promise<unknown> = Promise.resolve();

  private readonly cancelled: Promise<Unanswered>;

  private readonly cancel: () => void;

  /** @param obstacle why none may be made at all */
  constructor(
    private readonly signal: AbortSignal | undefined,
    private obstacle?: Outcome,
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
  async admit(): Promise<Outcome | undefined> {
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

  /** Makes all requests wait. */
  hold(pauseMs: number): void {
    this.pause = Promise.all([this.pause, sleep(pauseMs)]);
  }

  /** No further request is made. The first reason stays. */
  stop(obstacle: Outcome): void {
    this.obstacle ??= obstacle;
  }

  /** To be called at the end of the run. */
  close(): void {
    this.signal?.removeEventListener('abort', this.cancel);
  }
}
