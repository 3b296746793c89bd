import { sleep } from 'n8n-workflow';
import type { NodeOperationError } from 'n8n-workflow';
import { inputError } from '../n8n/errors';
import { execute, GRACE_STEP_MS, graceFor } from '../n8n/executions';
import { insideSentence } from '../service/sentences';
import { toItems } from './events';
import type { EventDescription } from './events';
import type { Entry, HandOver, Ledger } from './ledger';
import type { Poll } from './productionPoll';

/** Between the starts of two executions: n8n saves static data meanwhile. */
export const START_STEP_MS = 5;

/** Records that n8n did not start the workflow with, and why. */
interface Refusal {
  count: number;
  reason: string;
}

/** Hands records of one event over to n8n, and reports to the ledger what n8n did with them. */
export class Giver {
  /** n8n has taken records. */
  hasGiven = false;

  /** What n8n refused after the wait, and no error has named yet. */
  private late: Refusal[] = [];

  constructor(
    private readonly poll: Poll,
    private readonly ledger: Ledger,
    private readonly event: EventDescription,
  ) {}

  /**
   * Starts an execution with each of these, as many at a time as n8n may be given, and waits until they have
   * most likely started. What the time does not reach stays due.
   *
   * @throws NodeOperationError when n8n did not start one, for instance because the workflow is no
   * longer published. A refusal after the wait becomes a failed execution instead. An execution that
   * failed and is to be repeated is one already.
   */
  async give(due: Entry[][]): Promise<void> {
    const { ledger } = this;
    const { hasTime, settings } = this.poll;
    const rest = [...due];
    const refusals: Refusal[] = [];
    const ends: Promise<void>[] = [];
    let isAwaited = true;
    const start = async (handOver: HandOver) => {
      const refusal = await this.start(handOver);
      if (refusal && isAwaited) refusals.push(refusal);
      else if (refusal) await this.reportLate(refusal);
    };
    const hasMore = () => rest.length > 0 && refusals.length === 0;
    while (hasMore() && (ends.length === 0 || hasTime())) {
      const group = rest.splice(0, Math.max(0, ledger.slots));
      if (group.length === 0 && !hasTime()) break;
      if (group.length === 0) await sleep(GRACE_STEP_MS);
      for (const entries of group) {
        if (ends.length > 0) await sleep(START_STEP_MS);
        // One by one: what n8n has not got yet must stay in static data.
        ends.push(start(ledger.handOver(entries, settings.repeatFailed)));
      }
    }
    await graceFor(Promise.all(ends));
    isAwaited = false;
    this.finish(ends.length, refusals);
  }

  private finish(begun: number, refusals: Refusal[]): void {
    // What n8n has not reported on by now has most likely started.
    this.hasGiven ||= refusals.length < begun;
    if (begun === 0 || refusals.length > 0) void this.ledger.save();
    if (refusals.length > 0) throw this.notStarted(refusals);
  }

  private async start(handOver: HandOver): Promise<Refusal | undefined> {
    const records = handOver.entries.map(({ record }) => record);
    const items = toItems(this.event, records, handOver.pageId);
    const end = await execute(this.poll.context, items);
    const isEnough = end.kind === 'refused' || handOver.pageId !== undefined;
    this.ledger.report(handOver, isEnough ? end.kind : 'started');
    return end.kind === 'refused' ? { count: records.length, reason: end.reason } : undefined;
  }

  /** n8n mostly refuses several executions at the same moment, so one failed execution names them all. */
  private async reportLate(refusal: Refusal): Promise<void> {
    if (this.late.push(refusal) > 1) return;
    await sleep(GRACE_STEP_MS);
    const error = this.notStarted(this.late);
    this.late = [];
    const { context, state } = this.poll;
    // Otherwise another process writes.
    if (state.isOpen) void this.ledger.save();
    context.__emitError(error);
  }

  private notStarted(refusals: Refusal[]): NodeOperationError {
    const count = refusals.reduce((sum, refusal) => sum + refusal.count, 0);
    const [{ reason } = { reason: '' }] = refusals;
    const message = `n8n did not start the workflow: ${insideSentence(reason)}`;
    const description = `Nothing more is pulled. The ${this.event.plural} (${count}) are kept, and start the workflow at its next poll.`;
    return inputError(this.poll.context.getNode(), message, { description });
  }
}
