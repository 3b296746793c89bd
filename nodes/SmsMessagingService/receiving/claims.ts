import type { EventName } from './events';

/** What one trigger pulls. */
interface Claim {
  /** Names the account, without its key: see `ServiceClient.account`. */
  account: string;
  events: EventName[];
  /** Name of the workflow, for people. */
  workflow: string;
}

/**
 * The triggers that poll in this process, by their names. The service hands out each record once, so
 * two triggers for the same account and event take records from each other.
 */
const claims = new Map<string, Claim>();

/** Says what a trigger pulls from now on. */
export function claim(trigger: string, what: Claim): void {
  claims.set(trigger, what);
}

/** Says that a trigger pulls nothing any more. */
export function release(trigger: string): void {
  claims.delete(trigger);
}

/** The workflow that starts with this event of the account, other than that of the trigger itself. */
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
