import { sleep } from 'n8n-workflow';
import type { INodeExecutionData, IPollFunctions, IRun } from 'n8n-workflow';

/* Executions of the workflow that a poll starts, and what n8n says at their end. */

/**
 * How long to wait for executions. n8n reports when one has ended, not when it has started, and stores it
 * about 20 ms after it gets the items. So an execution that has not ended by then (a Wait node, a slow
 * workflow) has most likely started. The wait has many short steps, so that n8n makes progress between them
 * on a busy machine.
 */
export const GRACE_STEPS = 40;
export const GRACE_STEP_MS = 50;

/** `failed`: or it was cancelled, or went wrong in a way that does not tell. n8n has stored its items. */
export type ExecutionEnd = { kind: 'succeeded' | 'failed' } | { kind: 'refused'; reason: string };

/** Starts an execution with these items, and waits for its end. */
export async function execute(
  context: IPollFunctions,
  items: INodeExecutionData[],
): Promise<ExecutionEnd> {
  const done = context.helpers.createDeferredPromise<IRun | undefined>();
  try {
    context.__emit([items], undefined, done);
  } catch (error) {
    done.reject(error as Error);
  }
  const [end] = await Promise.allSettled([done.promise]);
  return end.status === 'fulfilled' ? endOfRun(end.value) : endOfError(context, end.reason);
}

/** Waits for executions, but no longer than they take to start. */
export async function graceFor(executions: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = executions.finally(() => {
    isDone = true;
  });
  const grace = async () => {
    for (let step = 0; step < GRACE_STEPS && !isDone; step++) await sleep(GRACE_STEP_MS);
  };
  await Promise.race([done, grace()]);
}

/**
 * Makes n8n save static data: it does so with every hand-over, even if it starts no execution, as in an
 * unpublished workflow. If it starts one, the execution has no items and ends at once. By then, static
 * data is saved.
 */
export async function saveStaticData(context: IPollFunctions): Promise<void> {
  await graceFor(execute(context, []));
}

/** What n8n 1.x and 2.x say when an execution has ended before anybody could wait for it. */
const ENDED_AT_ONCE = 'No active execution found';

const MAY_NOT_RUN =
  'it may not run. Its newest failed execution names the node and the reason, often a credential that is missing or not shared';

/** The worker of an execution died more than once. It had started. */
const WORKERS_DIED = 'failed to be processed too many times';

/*
 * An execution has not started, so that n8n has not stored its items, after
 *
 * - `undefined` as the run: the workflow is no longer published, or n8n has given up on this poll;
 * - a run in which no node ran: n8n stores it without the items;
 * - an error with "No active execution found": n8n has stored a failed execution without the items,
 *   because the workflow may not run. n8n's second engine always says so, because the first one cannot
 *   follow its executions. They have started, and count as succeeded, because nothing more is known of them;
 * - any other error, if it is not a cancellation: n8n could not store the execution.
 *
 * Source: n8n 1.100 to 2.40, `WorkflowRunner` and `ActiveExecutions`. The end-to-end tests show all but
 * the second engine and the run in which no node ran.
 */

function endOfRun(run: IRun | undefined): ExecutionEnd {
  if (run === undefined) return { kind: 'refused', reason: 'no execution came of it' };
  const { error, runData, lastNodeExecuted } = run.data?.resultData ?? {};
  const hasRun = lastNodeExecuted !== undefined || Object.keys(runData ?? {}).length > 0;
  const reason = messageOf(error);
  const isStarted = error === undefined || hasRun || reason.includes(WORKERS_DIED);
  if (!isStarted) return { kind: 'refused', reason };
  // One that waits has succeeded so far.
  const hasSucceeded = run.status === 'success' || run.status === 'waiting';
  return { kind: hasSucceeded ? 'succeeded' : 'failed' };
}

function endOfError(context: IPollFunctions, error: unknown): ExecutionEnd {
  // In a second copy of n8n-workflow beside this package, the class is another one.
  const { name } = (Object(error) as object).constructor;
  if (name.endsWith('ExecutionCancelledError')) return { kind: 'failed' };
  const message = messageOf(error);
  const hasEnded = message.startsWith(ENDED_AT_ONCE);
  // n8n's second engine.
  if (hasEnded && settingsOf(context).engineType === 'v2') return { kind: 'succeeded' };
  return { kind: 'refused', reason: hasEnded ? MAY_NOT_RUN : message };
}

function messageOf(error: unknown): string {
  const { message = error } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? message : 'no reason was given';
}

/** The settings of the workflow, as they are saved. Before 1.122, n8n does not tell them. */
export function settingsOf(context: Partial<IPollFunctions>): Record<string, unknown> {
  return { ...context.getWorkflowSettings?.() };
}
