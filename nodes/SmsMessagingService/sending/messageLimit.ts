import type { IContextObject } from 'n8n-workflow';
import type { Batch, Outcome, Recipient } from './outcome';
import { collect } from './planRun';

/**
 * By node context, which is the same object for all runs of a node in one execution: the most that the
 * runs at hand may come to, and their number. An agent may call a tool several times at once.
 */
const inProgress = new WeakMap<IContextObject, { most: number; runs: number }>();

/**
 * Keeps a node from sending more than a number of messages in one execution of the workflow, over all
 * rounds of a loop, all calls of an AI agent and all tries. The count is in the node's context, which n8n
 * keeps as long as the execution. It has what was sent or may have been.
 */
export class MessageLimit {
  private isRunning = false;

  /**
   * @param context of the node
   * @param most Infinity: no limit
   */
  constructor(
    private readonly context: IContextObject,
    private readonly most: number,
  ) {}

  /**
   * The same requests. With a limit, all are planned before the first is given out.
   *
   * @param preview leaves out recipients that will not be sent to
   * @param stop is called with the reason when the run must send nothing
   */
  async *admit(
    batches: AsyncIterable<Batch>,
    preview: (recipients: Recipient[]) => Promise<Recipient[]>,
    stop: (reason: Outcome) => void,
  ): AsyncGenerator<Batch, void> {
    if (this.most === Infinity) return yield* batches;
    const all = await collect(batches);
    const wanted = await preview(all.flatMap(({ recipients }) => recipients));
    // Nothing is awaited from the look at the count to the reservation.
    const reason = this.obstacle(wanted.length);
    if (reason) stop(reason);
    else this.begin(wanted.length);
    yield* all;
  }

  /** Why a run with this many messages must send nothing. Undefined where it may send them. */
  obstacle(messages: number): Outcome | undefined {
    const { before, most } = this;
    if (messages === 0 || before + messages <= most) return undefined;
    const after = before > 0 ? `, after ${before} of this execution` : '';
    return {
      status: 'rejected',
      msg: `This run has ${messages === 1 ? '1 message' : `${messages} messages`}${after}, but 'Max Messages per Run' is ${most}`,
      advice:
        "Check why there are so many. If they are right, raise 'Max Messages per Run' under Options.",
    };
  }

  /** Counts messages whose request begins, or takes them back where they were certainly not sent. */
  count(messages: number): void {
    if (this.most < Infinity) this.context.messages = this.sent + messages;
  }

  /** The run has ended. */
  end(): void {
    const others = inProgress.get(this.context);
    if (!this.isRunning || !others) return;
    if (others.runs > 1) others.runs -= 1;
    else inProgress.delete(this.context);
  }

  private begin(messages: number): void {
    const runs = (inProgress.get(this.context)?.runs ?? 0) + 1;
    inProgress.set(this.context, { most: this.before + messages, runs });
    this.isRunning = true;
  }

  /** What was sent in this execution, or may yet be by runs at hand. */
  private get before(): number {
    return Math.max(this.sent, inProgress.get(this.context)?.most ?? 0);
  }

  private get sent(): number {
    return Number(this.context.messages ?? 0);
  }
}
