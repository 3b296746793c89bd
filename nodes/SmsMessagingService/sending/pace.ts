import { sleep } from 'n8n-workflow';
import { untilAborted } from '../n8n/abort';
import type { Exchange } from '../service/reading/answer';
import { afterSetback, afterSuccess } from './backOff';
import type { Setback, Tempo } from './backOff';
import type { Outcome } from './outcome';

const CANCELLED: Exchange = {
  kind: 'unclear',
  reason: 'The execution was cancelled before the service answered',
};

const NOT_SENT_CANCELLED: Outcome = {
  status: 'rejected',
  msg: 'The execution was cancelled',
};

/** A request that may be made. Whoever has it ends it. */
export interface Turn {
  kind: 'turn';
  /** Number of pauses of the run before this request. */
  pauses: number;
}

/** No request may be made. */
export interface Stopped {
  kind: 'stopped';
  /** Of the messages that are not tried. */
  outcome: Outcome;
}

/**
 * Decides when the requests of one run are made: a bounded number at a time, none during a pause, and none
 * after a stop or when the execution was cancelled. `backOff.ts` says when a run pauses or stops.
 */
export class Pace {
  private tempo: Tempo;

  private active = 0;

  private pauses = 0;

  private pause: Promise<unknown> = Promise.resolve();

  private stopped?: Outcome;

  /** Resolves when a request ends. */
  private change = defer();

  /**
   * @param maxConcurrency most requests at a time
   * @param maxRetries pauses in a row after which requests that were not let through are given up
   * @param signal aborts when the execution is cancelled
   */
  constructor(
    maxConcurrency: number,
    private readonly maxRetries: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.tempo = { atOnce: maxConcurrency, atMost: maxConcurrency, pauses: 0, unclear: 0 };
  }

  /** Why no request may be made any more: the outcome of the messages that are not tried. */
  get obstacle(): Outcome | undefined {
    return this.signal?.aborted ? NOT_SENT_CANCELLED : this.stopped;
  }

  /** Waits until a request may be made. */
  async begin(): Promise<Turn | Stopped> {
    for (;;) {
      const { pause } = this;
      await untilAborted(this.signal, pause).catch(() => undefined);
      if (this.obstacle) return { kind: 'stopped', outcome: this.obstacle };
      // The pause may have become longer meanwhile.
      if (pause !== this.pause) continue;
      if (this.active < this.tempo.atOnce) break;
      await this.change.promise;
    }
    this.active += 1;
    return { kind: 'turn', pauses: this.pauses };
  }

  /** Waits for the exchange. If the execution is cancelled first, the result is unclear. */
  async untilCancelled(exchange: Promise<Exchange>): Promise<Exchange> {
    return await untilAborted(this.signal, exchange).catch((error: Error) =>
      this.signal?.aborted ? CANCELLED : Promise.reject(error),
    );
  }

  /** A request has ended with a clear answer. */
  succeed(): void {
    this.tempo = afterSuccess(this.tempo);
    this.end();
  }

  /**
   * A request has ended without one: it was not let through, or its outcome is unclear.
   *
   * @param reason outcome of the messages that are not tried, if the run stops for this
   * @returns whether the run goes on
   */
  fail({ pauses }: Turn, setback: Setback, reason: Outcome): boolean {
    // A request that began before the latest pause tells nothing that the pause does not know.
    const isNews = pauses === this.pauses;
    const next = afterSetback(this.tempo, setback, isNews, this.maxRetries, Math.random());
    if (next.kind === 'stop') this.stopped ??= reason;
    else {
      this.tempo = next.tempo;
      if (next.pauseMs > 0) this.hold(next.pauseMs, isNews);
    }
    this.end();
    return next.kind !== 'stop';
  }

  private hold(pauseMs: number, isNews: boolean): void {
    if (isNews) this.pauses += 1;
    this.pause = Promise.all([this.pause, sleep(pauseMs)]);
  }

  private end(): void {
    this.active -= 1;
    const { resolve } = this.change;
    this.change = defer();
    resolve();
  }
}

interface Deferred {
  promise: Promise<void>;
  resolve: () => void;
}

function defer(): Deferred {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
