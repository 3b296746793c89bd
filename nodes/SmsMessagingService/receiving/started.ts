import type { IRun } from 'n8n-workflow';

/** How n8n's promise of an execution's result has ended. */
export type ExecutionEnd = PromiseSettledResult<IRun | undefined>;

/** What n8n 1.x and 2.x say when an execution has ended before anybody could wait for it. */
const ENDED_AT_ONCE = 'No active execution found';

const MAY_NOT_RUN =
  'it may not run. Its newest failed execution names the node and the reason, often a credential that is missing or not shared';

/** The worker of an execution died more than once. It had started. */
const WORKERS_DIED = 'failed to be processed too many times';

/**
 * Why n8n did not start an execution. Undefined: it has started, and n8n has stored its items.
 *
 * - `undefined` as the run: the workflow is no longer published, or n8n has given up on this poll.
 * - A run in which no node ran: n8n stores it without the items.
 * - A rejection with "No active execution found": n8n has stored a failed execution without the items,
 *   because the workflow may not run. n8n's second engine always says so, because the first one cannot
 *   follow its executions: they have started.
 * - A cancellation: the execution was running.
 * - Any other rejection: n8n could not store the execution.
 *
 * Source: n8n 1.100 to 2.40, `WorkflowRunner` and `ActiveExecutions`. The end-to-end tests show all but
 * the second engine and the run in which no node ran.
 */
export function whyNotStarted(end: ExecutionEnd, isSecondEngine: boolean): string | undefined {
  if (end.status === 'fulfilled') return whyNothingRan(end.value);
  const reason: unknown = end.reason;
  if (isCancellation(reason)) return undefined;
  const message = messageOf(reason);
  if (!message.startsWith(ENDED_AT_ONCE)) return message;
  return isSecondEngine ? undefined : MAY_NOT_RUN;
}

function whyNothingRan(run: IRun | undefined): string | undefined {
  if (run === undefined) return 'no execution came of it';
  const { error, runData, lastNodeExecuted } = run.data?.resultData ?? {};
  const hasRun = lastNodeExecuted !== undefined || Object.keys(runData ?? {}).length > 0;
  if (error === undefined || hasRun) return undefined;
  const message = messageOf(error);
  return message.includes(WORKERS_DIED) ? undefined : message;
}

/** Recognised by the name of the class: a second copy of n8n-workflow beside this package has another. */
function isCancellation(error: unknown): boolean {
  return (Object(error) as object).constructor.name.endsWith('ExecutionCancelledError');
}

function messageOf(error: unknown): string {
  const { message = error } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? message : 'no reason was given';
}
