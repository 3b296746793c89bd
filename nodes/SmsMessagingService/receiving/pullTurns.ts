import type { EventName } from './events';
import type { Pulled } from './pullPage';

/** How long no pull is made after "too fast", unless the service says how long. */
export const TOO_FAST_WAIT_MS = 10_000;

/** A longer Retry-After is not believed: it may be in other units. */
export const MAX_WAIT_MS = 600_000;

const STEP_MS = 1_000;
const SHORT_STEP_MS = 10;

/**
 * When the events of an account may be pulled. They are pulled side by side until the service says "too
 * fast". From then on they are pulled one after the other, because they may share one limit, and the event
 * whose last answer is oldest goes first.
 */
export class PullTurns {
  /** No pull may begin earlier. Times are of `performance.now()`, which no change of the clock moves. */
  private opensAt?: number;

  private underWay = 0;

  /** The event of which the service gave the latest page, with records or empty. */
  private answered?: EventName;

  /** When each event had to wait last. */
  private readonly waitedAt = new Map<EventName, number>();

  /** Whether it is the event's turn. If so, it is under way until `end`. */
  begin(event: EventName): boolean {
    const now = performance.now();
    const { opensAt, waitedAt } = this;
    const otherWaits = [...waitedAt].some(
      ([each, at]) => each !== event && now - at <= 2 * STEP_MS,
    );
    const isLater = event === this.answered && otherWaits;
    if (opensAt !== undefined && (now < opensAt || this.underWay > 0 || isLater)) {
      waitedAt.set(event, now);
      return false;
    }
    waitedAt.delete(event);
    this.underWay += 1;
    return true;
  }

  end(event: EventName, pulled: Pulled): void {
    this.underWay -= 1;
    if (pulled.kind === 'page' || pulled.page.length > 0) this.answered = event;
    if (pulled.kind !== 'tooFast') return;
    const waitMs = Math.min(pulled.retryAfterMs ?? TOO_FAST_WAIT_MS, MAX_WAIT_MS);
    this.opensAt = Math.max(this.opensAt ?? 0, performance.now() + waitMs);
  }

  get stepMs(): number {
    const leftMs = (this.opensAt ?? 0) - performance.now();
    return Math.min(STEP_MS, Math.max(SHORT_STEP_MS, leftMs));
  }
}
