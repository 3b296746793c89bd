import { sleep } from 'n8n-workflow';
import type { INodeExecutionData, IPollFunctions, IRun, NodeOperationError } from 'n8n-workflow';
import { inputError } from '../n8n/errors';
import { isSecondEngine } from '../n8n/olderVersions';
import { insideSentence } from '../service/sentences';
import { toItems } from './events';
import type { EventDescription } from './events';
import type { PageLedger, PulledPage } from './pageLedger';
import type { PollSettings } from './triggerFields';

/* How a page becomes executions of the workflow, and how n8n's answer shows what happened to them. */

/**
 * How long to wait for an execution. n8n reports when one has ended, not when it has started, and stores
 * it about 20 ms after it gets the items. So an execution that has not ended by then (a Wait node, a
 * slow workflow) has most likely started. The wait has many short steps, so that n8n makes progress
 * between them on a busy machine.
 */
export const GRACE_STEPS = 40;
export const GRACE_STEP_MS = 50;

/** Records that n8n did not start the workflow with, and why. */
interface Refusal {
  count: number;
  reason: string;
}

/** Hands the pages of one event over to n8n, and reports to the ledger what n8n did with them. */
export class PageGiver {
  /** n8n has taken records. */
  hasGiven = false;

  /** What n8n refused after the wait, and no error has named yet. */
  private late: Refusal[] = [];

  constructor(
    private readonly context: IPollFunctions,
    private readonly ledger: PageLedger,
    private readonly event: EventDescription,
    private readonly settings: Pick<PollSettings, 'itemsPerExecution' | 'repeatFailed'>,
  ) {}

  /**
   * Starts executions with the records of one page, all at once, and waits until they have most likely
   * started.
   *
   * @throws NodeOperationError when n8n did not start one, for instance because the workflow is no
   * longer published. A refusal after the wait becomes a failed execution instead. An execution that
   * failed and is to be repeated is one already.
   */
  async give(page: PulledPage): Promise<void> {
    const { repeatFailed } = this.settings;
    const { records } = page.state;
    const parts = repeatFailed ? [records] : this.divide(records);
    const handOver = this.ledger.handOver(page, parts, repeatFailed);
    const refusals: Refusal[] = [];
    let isAwaited = true;
    const ends = parts.map(async (part) => {
      const items = toItems(this.event, part, repeatFailed ? page.id : undefined);
      const end = endOf(await emit(this.context, items), isSecondEngine(this.context));
      const isGood = end.kind === 'succeeded' || (end.kind === 'started' && !repeatFailed);
      this.ledger[isGood ? 'complete' : 'fail'](handOver, part);
      if (end.kind !== 'notStarted') return;
      const refusal = { count: part.length, reason: end.reason };
      if (isAwaited) refusals.push(refusal);
      else await this.reportLate(refusal);
    });
    await graceOr(Promise.all(ends));
    isAwaited = false;
    // What n8n has not reported on by now has most likely started.
    this.hasGiven ||= refusals.length < parts.length;
    if (refusals.length === 0) return;
    void this.ledger.save();
    throw this.notStarted(refusals);
  }

  private divide(records: unknown[]): unknown[][] {
    const size = this.settings.itemsPerExecution;
    const count = Math.ceil(records.length / size);
    return Array.from({ length: count }, (_, part) =>
      records.slice(part * size, (part + 1) * size),
    );
  }

  /** n8n mostly refuses several executions at the same moment, so one failed execution names them all. */
  private async reportLate(refusal: Refusal): Promise<void> {
    if (this.late.push(refusal) > 1) return;
    await sleep(GRACE_STEP_MS);
    const error = this.notStarted(this.late);
    this.late = [];
    void this.ledger.save();
    this.context.__emitError(error);
  }

  private notStarted(refusals: Refusal[]): NodeOperationError {
    const count = refusals.reduce((sum, refusal) => sum + refusal.count, 0);
    const [{ reason } = { reason: '' }] = refusals;
    return inputError(
      this.context.getNode(),
      `n8n did not start the workflow: ${insideSentence(reason)}`,
      {
        description: `Nothing more is pulled. The ${this.event.plural} (${count}) are kept, and start the workflow at its next poll.`,
      },
    );
  }
}

/**
 * Makes n8n save static data: it does so with every hand-over, even if it starts no execution, as in an
 * unpublished workflow. If it starts one, the execution has no items and ends at once. By then, static
 * data is saved.
 */
export async function saveStaticData(context: IPollFunctions): Promise<void> {
  await graceOr(emit(context, []));
}

/** Starts an execution and waits for its end. */
async function emit(
  context: IPollFunctions,
  items: INodeExecutionData[],
): Promise<PromiseSettledResult<IRun | undefined>> {
  const done = context.helpers.createDeferredPromise<IRun | undefined>();
  try {
    context.__emit([items], undefined, done);
  } catch (error) {
    done.reject(error as Error);
  }
  const [end] = await Promise.allSettled([done.promise]);
  return end;
}

/** Waits for a promise, but no longer than an execution takes to start. */
async function graceOr(promised: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = promised.finally(() => {
    isDone = true;
  });
  const grace = async () => {
    for (let step = 0; step < GRACE_STEPS && !isDone; step++) await sleep(GRACE_STEP_MS);
  };
  await Promise.race([done, grace()]);
}

/** What n8n 1.x and 2.x say when an execution has ended before anybody could wait for it. */
const ENDED_AT_ONCE = 'No active execution found';

const MAY_NOT_RUN =
  'it may not run. Its newest failed execution names the node and the reason, often a credential that is missing or not shared';

/** The worker of an execution died more than once. It had started. */
const WORKERS_DIED = 'failed to be processed too many times';

/** `started`: it failed, was cancelled, or went wrong in a way that does not tell. n8n has stored its items. */
type ExecutionEnd = { kind: 'succeeded' | 'started' } | { kind: 'notStarted'; reason: string };

/**
 * How an execution ended, from how the promise of its result ended. It has not started, so that n8n has not
 * stored its items, after
 *
 * - `undefined` as the run: the workflow is no longer published, or n8n has given up on this poll;
 * - a run in which no node ran: n8n stores it without the items;
 * - a rejection with "No active execution found": n8n has stored a failed execution without the items,
 *   because the workflow may not run. n8n's second engine always says so, because the first one cannot
 *   follow its executions. They have started, and count as succeeded, because nothing more is known of them;
 * - any other rejection, if it is not a cancellation: n8n could not store the execution.
 *
 * Source: n8n 1.100 to 2.40, `WorkflowRunner` and `ActiveExecutions`. The end-to-end tests show all but
 * the second engine and the run in which no node ran.
 */
function endOf(end: PromiseSettledResult<IRun | undefined>, isSecondEngine: boolean): ExecutionEnd {
  if (end.status === 'fulfilled') return endOfRun(end.value);
  if (isCancellation(end.reason)) return { kind: 'started' };
  const message = messageOf(end.reason);
  const hasEnded = message.startsWith(ENDED_AT_ONCE);
  if (hasEnded && isSecondEngine) return { kind: 'succeeded' };
  return { kind: 'notStarted', reason: hasEnded ? MAY_NOT_RUN : message };
}

function endOfRun(run: IRun | undefined): ExecutionEnd {
  if (run === undefined) return { kind: 'notStarted', reason: 'no execution came of it' };
  const { error, runData, lastNodeExecuted } = run.data?.resultData ?? {};
  const hasRun = lastNodeExecuted !== undefined || Object.keys(runData ?? {}).length > 0;
  const reason = messageOf(error);
  const isStarted = error === undefined || hasRun || reason.includes(WORKERS_DIED);
  if (!isStarted) return { kind: 'notStarted', reason };
  // One that waits has succeeded so far.
  const hasSucceeded = run.status === 'success' || run.status === 'waiting';
  return { kind: hasSucceeded ? 'succeeded' : 'started' };
}

/** By the name of the class: in a second copy of n8n-workflow beside this package it is another class. */
function isCancellation(error: unknown): boolean {
  return (Object(error) as object).constructor.name.endsWith('ExecutionCancelledError');
}

function messageOf(error: unknown): string {
  const { message = error } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? message : 'no reason was given';
}
