import { sleep } from 'n8n-workflow';
import type { INodeExecutionData, IPollFunctions, IRun, NodeOperationError } from 'n8n-workflow';
import { inputError } from '../service/errors';
import { normaliseRecord } from './events';
import type { EventDescription } from './events';
import type { Page, PageLedger } from './pageLedger';

/**
 * How long an execution is waited for. n8n tells when one has ended, not when it has started, and
 * stores one some 20 ms after it gets the items: one that has not ended by now (a Wait node, a slow
 * workflow) has most likely started. Waited for in many short steps, so that on a machine that is
 * stalled n8n still gets its turns in between.
 */
const GRACE_STEPS = 40;
const GRACE_STEP_MS = 50;

/** Gives pages of one event to n8n, and tells the ledger what became of them. */
export class HandOver {
  /** Records that came back when nobody was waiting for them any more, and were not told of yet. */
  private late = 0;

  constructor(
    private readonly context: IPollFunctions,
    private readonly ledger: PageLedger,
    private readonly event: EventDescription,
    private readonly itemsPerExecution: number,
  ) {}

  /**
   * Starts executions with the records of one page, all at once, and waits until they have most likely
   * started.
   *
   * @throws NodeOperationError when n8n did not start one, for instance because the workflow is no
   * longer published. When that is known only later, it is a failed execution instead.
   */
  async give(page: Page): Promise<void> {
    let isAwaited = true;
    let reason = '';
    const parts = this.ledger.handOver(page, (records) => this.divide(records));
    const ends = parts.map(async (part) => {
      const refusal = await this.start(part);
      if (refusal === undefined) {
        this.ledger.confirm(page);
        return;
      }
      reason = refusal;
      this.ledger.refuse(page, part);
      if (!isAwaited) await this.tellLate(part.length, refusal);
    });
    await graceOr(Promise.all(ends));
    isAwaited = false;
    if (page.state !== 'refused') return;
    this.ledger.save();
    throw this.notStarted(page.records.length, reason);
  }

  private divide(records: unknown[]): unknown[][] {
    const size = this.itemsPerExecution;
    const count = Math.ceil(records.length / size);
    return Array.from({ length: count }, (_, part) =>
      records.slice(part * size, (part + 1) * size),
    );
  }

  /** @returns why n8n did not start the execution, if it did not */
  private async start(records: unknown[]): Promise<string | undefined> {
    try {
      const done = this.context.helpers.createDeferredPromise<IRun | undefined>();
      this.context.__emit([toItems(this.event, records)], undefined, done);
      // No run: n8n gave up on this poll meanwhile, or was not allowed to run the workflow.
      if ((await done.promise) === undefined) return 'no execution came of it';
    } catch (error) {
      if (!isCancellation(error) && !isNotFollowed(error)) return messageOf(error);
    }
    return undefined;
  }

  /** Executions of one page come back together, so they are told of together. */
  private async tellLate(count: number, reason: string): Promise<void> {
    this.late += count;
    if (this.late > count) return;
    await sleep(GRACE_STEP_MS);
    const error = this.notStarted(this.late, reason);
    this.late = 0;
    this.ledger.save();
    this.context.__emitError(error);
  }

  private notStarted(count: number, reason: string): NodeOperationError {
    const { plural } = this.event;
    return inputError(
      this.context.getNode(),
      `n8n did not start the workflow with ${count} ${plural}: ${reason}`,
      {
        description:
          'Nothing more is pulled. They are kept, and start the workflow at its next poll.',
      },
    );
  }
}

export function toItems({ name }: EventDescription, records: unknown[]): INodeExecutionData[] {
  return records.map((record) => ({ json: normaliseRecord(name, record) }));
}

/**
 * An execution that was cancelled, by somebody or by n8n, has started. Told by the name: where a second
 * copy of n8n-workflow is installed beside this package, the class is another one.
 */
function isCancellation(error: unknown): boolean {
  return (Object(error) as object).constructor.name.endsWith('ExecutionCancelledError');
}

/** n8n's second engine runs executions where the first one cannot follow them: they have started. */
function isNotFollowed(error: unknown): boolean {
  return messageOf(error).startsWith('No active execution found');
}

function messageOf(error: unknown): string {
  return String((Object(error) as Partial<Error>).message ?? error);
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
