import { randomUUID } from 'node:crypto';
import { sleep, UserError } from 'n8n-workflow';
import type { INodeExecutionData, IPollFunctions, IRun } from 'n8n-workflow';
import { normaliseRecord } from './events';
import type { EventDescription } from './events';
import { LeftOvers } from './leftOvers';
import type { LeftOver } from './leftOvers';

/**
 * How long an execution is waited for. n8n tells when one has ended, not when it has started, and
 * stores one some 20 ms after it gets the items: one that has not ended by now (a Wait node, a slow
 * workflow) has started. Waited for in many short steps, so that on a machine that is stalled n8n
 * still gets its turns in between.
 */
const GRACE_STEPS = 40;
const GRACE_STEP_MS = 50;

/** Gives the pulled records of one event to n8n, and keeps those that it does not take. */
export class HandOver {
  private readonly leftOvers: LeftOvers;

  constructor(
    private readonly context: IPollFunctions,
    trigger: string,
    private readonly event: EventDescription,
    private readonly itemsPerExecution: number,
  ) {
    const { type, id } = context.getNode();
    // The workflow's static data. Not the node's: with n8n's durable cursors that is rolled back when
    // a hand-over is refused.
    const store = context.getWorkflowStaticData('global');
    const { name } = event;
    this.leftOvers = new LeftOvers(`${trigger}/${name}`, store, `${type}/${id}/${name}`);
  }

  /** What an earlier poll pulled and n8n did not take. It is the caller's from now on, to be given. */
  takeLeftOvers(): LeftOver[] {
    return this.leftOvers.takeAll();
  }

  /**
   * Starts executions with the records of one page, all at once, and waits until they are known to
   * have started.
   *
   * @param id of the left-over that they are
   * @throws UserError when n8n did not start one, for instance because the workflow is no longer
   * published. Its records are kept for the next poll.
   */
  async give(records: unknown[], id: string = randomUUID()): Promise<void> {
    const starts: Promise<void>[] = [];
    for (let start = 0; start < records.length; start += this.itemsPerExecution) {
      const part = records.slice(start, start + this.itemsPerExecution);
      const started = this.startExecution(part);
      // Also when nobody is waiting any more.
      started.catch(() => this.keep(id, part));
      starts.push(started);
    }
    await graceOr(Promise.all(starts));
  }

  private async startExecution(records: unknown[]): Promise<void> {
    let run: IRun | undefined;
    try {
      const done = this.context.helpers.createDeferredPromise<IRun | undefined>();
      this.context.__emit([toItems(this.event, records)], undefined, done);
      run = await done.promise;
    } catch (error) {
      if (isCancellation(error) || isNotFollowed(error)) return;
      throw notStarted(this.event, records.length, (error as Error).message);
    }
    // No run: n8n gave up on this poll meanwhile, or was not allowed to run the workflow.
    if (run === undefined) throw notStarted(this.event, records.length, 'no execution came of it');
  }

  /**
   * n8n saves static data with what is handed over, even if no execution comes of that, as in an
   * unpublished workflow. Where one does, it has no items and ends at once.
   */
  private keep(id: string, refused: unknown[]): void {
    this.leftOvers.keep(id, refused);
    try {
      this.context.__emit([[]]);
    } catch {
      // Then it is saved with the next hand-over.
    }
  }
}

export function toItems({ name }: EventDescription, records: unknown[]): INodeExecutionData[] {
  return records.map((record) => ({ json: normaliseRecord(name, record) }));
}

/** An execution that was cancelled, by somebody or by n8n, has started. */
function isCancellation(error: unknown): boolean {
  return ['manual', 'timeout', 'shutdown'].includes(String((error as { reason?: unknown }).reason));
}

/** n8n's second engine runs executions where the first one cannot follow them: they have started. */
function isNotFollowed(error: unknown): boolean {
  return String((error as Error).message).startsWith('No active execution found');
}

function notStarted({ plural }: EventDescription, count: number, reason: string): UserError {
  return new UserError(`n8n did not start the workflow with ${count} ${plural}: ${reason}`, {
    description: 'Nothing more was pulled. They are kept, and start the workflow at its next poll.',
  });
}

/** Waits for what was promised, but no longer than an execution may take to start. */
async function graceOr(promised: Promise<unknown>): Promise<void> {
  let isSettled = false;
  const settled = promised.finally(() => {
    isSettled = true;
  });
  const grace = async () => {
    for (let step = 0; step < GRACE_STEPS && !isSettled; step++) await sleep(GRACE_STEP_MS);
  };
  await Promise.race([settled, grace()]);
}
