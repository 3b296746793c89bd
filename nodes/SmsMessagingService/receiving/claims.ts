import type { EventName } from './events';

/** What one trigger pulls. */
interface Claim {
  /** Identifies the account, see `ServiceClient.account`. */
  account: string;
  events: EventName[];
  /** Name of the workflow, for the user. */
  workflow: string;
}

/**
 * The triggers that poll in this process, by their names. The service hands out each record once, so
 * two triggers for the same account and event would take records from each other.
 */
const claims = new Map<string, Claim>();

/** From now on this trigger pulls these events. */
export function claim(trigger: string, what: Claim): void {
  claims.set(trigger, what);
}

/** From now on this trigger pulls nothing. */
export function release(trigger: string): void {
  claims.delete(trigger);
}

/**
 * The name of the workflow that pulls this event of the account.
 *
 * @param trigger is left out of the search
 */
export function workflowWith(
  account: string,
  event: EventName,
  trigger?: string,
): string | undefined {
  for (const [name, held] of claims) {
    const isSame = held.account === account && held.events.includes(event);
    if (isSame && name !== trigger) return held.workflow;
  }
  return undefined;
}
