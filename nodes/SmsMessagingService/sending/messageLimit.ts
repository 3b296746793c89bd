import type { IContextObject } from 'n8n-workflow';
import type { Batch, Outcome, Outcomes, Recipient } from './outcome';
import { collect } from './planRun';

/**
 * Keeps a node from sending more than a number of messages in one execution of the workflow, over all
 * rounds of a loop, all calls of an AI agent and all tries. The count is in the node's context, which n8n
 * keeps as long as the execution.
 */
export class MessageLimit {
  /** Counted in this run before they were sent, so that a call at the same time finds them counted. */
  private counted: Recipient[] = [];

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
   * @param stop is called with the reason when the run must send nothing
   */
  async *admit(
    batches: AsyncIterable<Batch>,
    stop: (reason: Outcome) => void,
  ): AsyncGenerator<Batch, void> {
    if (this.most === Infinity) return yield* batches;
    const all = await collect(batches);
    const recipients = all.flatMap((batch) => batch.recipients);
    const reason = this.obstacle(recipients.length);
    if (reason) stop(reason);
    else this.count(recipients);
    yield* all;
  }

  /** Why a run with this many messages must send nothing. Undefined where it may send them. */
  obstacle(messages: number): Outcome | undefined {
    const { sent, most } = this;
    if (messages === 0 || sent + messages <= most) return undefined;
    const before = sent > 0 ? `, after ${sent} that this execution has sent` : '';
    return {
      status: 'rejected',
      msg: `This run would send ${messages === 1 ? '1 message' : `${messages} messages`}${before}, but 'Max Messages per Run' is ${most}`,
      advice:
        "Check why there are so many. If they are right, raise 'Max Messages per Run' under Options.",
    };
  }

  /** Takes back, after the run, the messages that were not sent. */
  release(outcomes: Outcomes): void {
    const isNotSent = (recipient: Recipient) =>
      ['rejected', 'skipped'].includes(outcomes.of(recipient).status);
    if (this.counted.length === 0) return;
    this.context.messages = this.sent - this.counted.filter(isNotSent).length;
  }

  private count(recipients: Recipient[]): void {
    this.counted = recipients;
    this.context.messages = this.sent + recipients.length;
  }

  private get sent(): number {
    return Number(this.context.messages ?? 0);
  }
}
