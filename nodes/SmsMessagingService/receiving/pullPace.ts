import { sleep } from 'n8n-workflow';
import type { EventName } from './events';
import type { Pulled } from './pullPage';

/** How far apart the pulls of a trigger are. */
export interface Spacing {
  /** Minimum time between two requests, in milliseconds. 0: no limit is known. */
  readonly gapMs: number;
  /** Accepted requests in a row since the gap changed. */
  readonly accepted: number;
}

export const MIN_GAP_MS = 1_000;

export const MAX_GAP_MS = 60_000;

/** After this many accepted requests in a row, half the gap is tried. */
export const ACCEPTED_BEFORE_FASTER = 20;

/** A longer Retry-After is not believed: it may be in other units. */
export const MAX_WAIT_MS = 600_000;

/** The service accepted a request. */
export function spacingAfterAccepted({ gapMs, accepted }: Spacing): Spacing {
  if (accepted + 1 < ACCEPTED_BEFORE_FASTER) return { gapMs, accepted: accepted + 1 };
  return { gapMs: gapMs / 2 < MIN_GAP_MS ? 0 : gapMs / 2, accepted: 0 };
}

/**
 * The service asked to slow down.
 *
 * @param retryAfterMs what it asked for, at least
 */
export function spacingAfterThrottled({ gapMs }: Spacing, retryAfterMs = 0): Spacing {
  const longer = Math.max(MIN_GAP_MS, 2 * gapMs, retryAfterMs);
  return { gapMs: Math.min(MAX_GAP_MS, longer), accepted: 0 };
}

/** How often a wait checks again. */
const STEP_MS = 1_000;

/** After this time both events are waiting, so the one whose turn it is goes first. */
const SHORT_STEP_MS = 10;

/**
 * Keeps the pulls of a trigger apart, if the service wants that. It lives across polls, for all events of the
 * trigger: the event whose latest request is the oldest is next.
 */
export class PullPace {
  /** Number of requests that the service has accepted. */
  acceptedCount = 0;

  private spacing: Spacing = { gapMs: 0, accepted: 0 };

  /** No request may begin earlier. In milliseconds of `performance.now()`, which no clock change moves. */
  private opensAt = -Infinity;

  /** The events that wait. */
  private readonly waiting = new Set<EventName>();

  /** The events that had a turn, the latest one last. */
  private readonly served = new Set<EventName>();

  /**
   * Waits until a request may be made.
   *
   * @param shouldContinue asked during the wait
   * @returns false when the wait ended without a turn
   */
  async turn(event: EventName, shouldContinue: () => boolean): Promise<boolean> {
    this.waiting.add(event);
    try {
      if (this.spacing.gapMs > 0) await sleep(SHORT_STEP_MS);
      while (shouldContinue() && this.isHeldUp(event)) await sleep(this.stepMs);
      if (!shouldContinue()) return false;
    } finally {
      this.waiting.delete(event);
    }
    this.holdFor(this.spacing.gapMs);
    this.served.delete(event);
    this.served.add(event);
    return true;
  }

  /** Records whether the service accepted a request, or asked to slow down. */
  note({ kind, retryAfterMs }: Pick<Pulled, 'kind' | 'retryAfterMs'>): void {
    if (kind === 'page') {
      this.acceptedCount += 1;
      this.spacing = spacingAfterAccepted(this.spacing);
      this.holdFor(this.spacing.gapMs);
    }
    if (kind === 'throttled') {
      this.spacing = spacingAfterThrottled(this.spacing, retryAfterMs);
      this.holdFor(Math.max(this.spacing.gapMs, Math.min(retryAfterMs ?? 0, MAX_WAIT_MS)));
    }
  }

  private holdFor(milliseconds: number): void {
    if (milliseconds > 0) this.opensAt = Math.max(this.opensAt, performance.now() + milliseconds);
  }

  private isHeldUp(event: EventName): boolean {
    return performance.now() < this.opensAt || this.isTurnOfOther(event);
  }

  private isTurnOfOther(event: EventName): boolean {
    const order = [...this.served];
    return [...this.waiting].some((other) => order.indexOf(other) < order.indexOf(event));
  }

  /** How long to wait before looking again. */
  private get stepMs(): number {
    const leftMs = this.opensAt - performance.now();
    return Math.min(STEP_MS, Math.max(SHORT_STEP_MS, leftMs));
  }
}
