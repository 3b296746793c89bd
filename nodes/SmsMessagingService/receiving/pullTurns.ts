import { sleep } from 'n8n-workflow';
import type { EventName } from './events';
import type { Pulled } from './pullPage';

/** How long no pull is made after "too fast", unless the service says how long. */
export const TOO_FAST_WAIT_MS = 10_000;

/** A longer Retry-After is not believed: it may be in other units. */
export const MAX_WAIT_MS = 600_000;

/** How often a wait checks again. */
const STEP_MS = 1_000;
const SHORT_STEP_MS = 10;

/**
 * When the events of an account may be pulled. They are pulled side by side until the service says "too
 * fast". From then on they are pulled one after the other, because they may share one limit, and the event
 * whose last answer is oldest goes first.
 */
export class PullTurns {
  /**
   * No pull may begin earlier. In milliseconds of `performance.now()`, which no clock change moves. Undefined
   * until the service has said "too fast".
   */
  private opensAt?: number;

  private readonly waiting = new Set<EventName>();
  private readonly underWay = new Set<EventName>();

  /** When the service last gave a page of an event, with records or empty. */
  private readonly answeredAt = new Map<EventName, number>();

  /**
   * Pulls when it is the event's turn.
   *
   * @param shouldContinue asked before, and during the wait
   * @returns undefined if the wait ended without a turn
   */
  async take(
    event: EventName,
    shouldContinue: () => boolean,
    pull: () => Promise<Pulled>,
  ): Promise<Pulled | undefined> {
    if (!(await this.wait(event, shouldContinue))) return undefined;
    try {
      const pulled = await pull();
      this.note(event, pulled);
      return pulled;
    } finally {
      this.underWay.delete(event);
    }
  }

  /** Waits for the event's turn. If it comes, the event is under way at that moment. */
  private async wait(event: EventName, shouldContinue: () => boolean): Promise<boolean> {
    this.waiting.add(event);
    // After this time the other event is waiting, too.
    if (this.opensAt !== undefined) await sleep(SHORT_STEP_MS);
    while (shouldContinue() && this.isHeldUp(event)) await sleep(this.stepMs);
    this.waiting.delete(event);
    const isItsTurn = shouldContinue();
    if (isItsTurn) this.underWay.add(event);
    return isItsTurn;
  }

  private note(event: EventName, pulled: Pulled): void {
    const now = performance.now();
    if (pulled.kind === 'page' || pulled.page.length > 0) this.answeredAt.set(event, now);
    if (pulled.kind !== 'tooFast') return;
    const waitMs = Math.min(pulled.retryAfterMs ?? TOO_FAST_WAIT_MS, MAX_WAIT_MS);
    this.opensAt = Math.max(this.opensAt ?? 0, now + waitMs);
  }

  private isHeldUp(event: EventName): boolean {
    if (this.opensAt === undefined) return false;
    if (performance.now() < this.opensAt) return true;
    const lastAnswer = (each: EventName) => this.answeredAt.get(each) ?? -Infinity;
    const waitsLonger = (other: EventName) => lastAnswer(other) < lastAnswer(event);
    return this.underWay.size > 0 || [...this.waiting].some(waitsLonger);
  }

  /** How long to wait before looking again. */
  private get stepMs(): number {
    const leftMs = (this.opensAt ?? 0) - performance.now();
    return Math.min(STEP_MS, Math.max(SHORT_STEP_MS, leftMs));
  }
}
