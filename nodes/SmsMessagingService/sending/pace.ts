import { sleep } from 'n8n-workflow';
import { untilAborted } from '../n8n/abort';
import type { Exchange } from '../service/reading/answer';
import { afterSetback, afterSuccess } from './backOff';
import type { Setback, Tempo } from './backOff';
import type { Outcome } from './outcome';

const CANCELLED_EXCHANGE: Exchange = {
  kind: 'unclear',
  reason: 'The execution was cancelled before the service answered',
};

const CANCELLED_OUTCOME: Outcome = { status: 'rejected', msg: 'The execution was cancelled' };

/**
 * Whether a request may be made. If it may, `succeed` or `fail` ends it; `pauses` is the number of pauses of the
 * run before it. If it may not, its messages have the outcome.
 */
export type Turn = { kind: 'go'; pauses: number } | { kind: 'stopped'; outcome: Outcome };

/**
 * Decides when the requests of one run are made: a limited number at a time, none during a pause, and none
 * after a stop or after the execution was cancelled. `backOff.ts` decides when a run pauses or stops.
 */
export class Pace {
  private tempo: Tempo;

  private active = 0;

  private pauses = 0;

  private pause: Promise<unknown> = Promise.resolve();

  private stopped?: Outcome;

  /** Each is called when a request ends. */
  private waiting: (() => void)[] = [];

  /**
   * @param maxConcurrency maximum number of requests at a time
   * @param maxRetries maximum number of pauses in a row for requests that did not get through
   * @param signal aborts when the execution is cancelled
   */
  constructor(
    maxConcurrency: number,
    private readonly maxRetries: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.tempo = { concurrency: maxConcurrency, maxConcurrency, pauses: 0, unclear: 0 };
  }

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
      if (this.active < this.tempo.concurrency) break;
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

  /** Ends a request that got a clear answer. */
  succeed(): void {
    this.tempo = afterSuccess(this.tempo);
    this.end();
  }

  /**
   * Ends a request without a clear answer: it did not get through, or its outcome is unclear.
   *
   * @param pauses number of pauses of the run before this request
   * @param untried outcome of the messages that are not tried, if this stops the run
   * @returns whether the run continues
   */
  fail(pauses: number, setback: Setback, untried: Outcome): boolean {
    // The latest pause already takes into account the requests that began before it.
    const isNew = pauses === this.pauses;
    const step = afterSetback(this.tempo, setback, isNew, this.maxRetries, Math.random());
    if (step.kind === 'stop') this.stopped ??= untried;
    else {
      this.tempo = step.tempo;
      if (step.pauseMs > 0) this.hold(step.pauseMs, isNew);
    }
    this.end();
    return step.kind !== 'stop';
  }

  private hold(pauseMs: number, isNew: boolean): void {
    if (isNew) this.pauses += 1;
    this.pause = Promise.all([this.pause, sleep(pauseMs)]);
  }

  private end(): void {
    this.active -= 1;
    for (const resume of this.waiting.splice(0)) resume();
  }
}
