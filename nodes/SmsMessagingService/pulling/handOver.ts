import { sleep, UserError } from 'n8n-workflow';
import type { IDataObject, INodeExecutionData, IPollFunctions, IRun } from 'n8n-workflow';
import { normaliseRecord } from './events';
import type { EventDescription, EventName } from './events';

/**
 * How long an execution is waited for. n8n tells when one has ended, not when it has started, and
 * stores one some 20 ms after it gets the items: one that has not ended by now (a Wait node, a slow
 * workflow) has started. Waited for in many short steps, so that on a machine that is stalled n8n
 * still gets its turns in between.
 */
const GRACE_STEPS = 40;
const GRACE_STEP_MS = 50;

/**
 * Records that were pulled and that n8n did not take, per trigger and event. An empty list says that
 * this process knows of the trigger: what is stored in static data is for the next process.
 */
const leftOver = new Map<string, unknown[]>();

/** How they are stored. */
interface StoredLeftOver {
  version: 1;
  records: unknown[];
}

/** Gives pulled records to n8n, and keeps those that it does not take: through a restart, too. */
export class HandOver {
  /**
   * The workflow's static data. Not the node's: with n8n's durable cursors that is rolled back when a
   * hand-over is refused.
   */
  private readonly store: IDataObject;

  constructor(
    private readonly context: IPollFunctions,
    private readonly trigger: string,
    private readonly itemsPerExecution: number,
  ) {
    this.store = context.getWorkflowStaticData('global');
  }

  /** The records that an earlier poll pulled and n8n did not take. They are the caller's from now on. */
  takeLeftOver(event: EventName): unknown[] {
    const key = this.keyOf(event);
    const records = leftOver.get(key) ?? this.readStored(event);
    leftOver.set(key, []);
    // Counts as a change also where there is nothing: n8n then saves that there is nothing, together
    // with the execution that these records start.
    if (records.length > 0) Reflect.deleteProperty(this.store, this.storedName(event));
    return records;
  }

  /**
   * Starts executions with the records of one page, all at once, and waits until they are known to
   * have started.
   *
   * @throws UserError when n8n did not start one, for instance because the workflow is no longer
   * published. Its records are kept for the next poll.
   */
  async give(event: EventDescription, records: unknown[]): Promise<void> {
    const starts: Promise<void>[] = [];
    for (let start = 0; start < records.length; start += this.itemsPerExecution) {
      const part = records.slice(start, start + this.itemsPerExecution);
      const started = this.startExecution(event, part);
      // Also when nobody is waiting any more.
      started.catch(() => this.keep(event.name, part));
      starts.push(started);
    }
    await graceOr(Promise.all(starts));
  }

  private async startExecution(event: EventDescription, records: unknown[]): Promise<void> {
    let run: IRun | undefined;
    try {
      const done = this.context.helpers.createDeferredPromise<IRun | undefined>();
      this.context.__emit([toItems(event, records)], undefined, done);
      run = await done.promise;
    } catch (error) {
      if (isCancellation(error)) return;
      throw notStarted(event, records.length, (error as Error).message);
    }
    // No run: n8n gave up on this poll meanwhile, or was not allowed to run the workflow.
    if (run === undefined) throw notStarted(event, records.length, 'no execution came of it');
  }

  /**
   * In memory for the next poll, and in static data for that of another process. n8n saves the latter
   * with what is handed over, even if no execution comes of that, as in an unpublished workflow. Where
   * one does, it has no items and ends at once.
   */
  private keep(event: EventName, refused: unknown[]): void {
    const key = this.keyOf(event);
    const records = [...(leftOver.get(key) ?? []), ...refused];
    leftOver.set(key, records);
    const stored: StoredLeftOver = { version: 1, records };
    this.store[this.storedName(event)] = stored as unknown as IDataObject;
    this.context.__emit([[]]);
  }

  private readStored(event: EventName): unknown[] {
    const stored = this.store[this.storedName(event)] as StoredLeftOver | undefined;
    return stored?.version === 1 ? stored.records : [];
  }

  private keyOf(event: EventName): string {
    return `${this.trigger}/${event}`;
  }

  private storedName(event: EventName): string {
    const { type, id } = this.context.getNode();
    return `${type}/${id}/${event}`;
  }
}

export function toItems({ name }: EventDescription, records: unknown[]): INodeExecutionData[] {
  return records.map((record) => ({ json: normaliseRecord(name, record) }));
}

/** An execution that was cancelled, by somebody or by n8n, has started. */
function isCancellation(error: unknown): boolean {
  return ['manual', 'timeout', 'shutdown'].includes(String((error as { reason?: unknown }).reason));
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
