import type { IContextObject } from 'n8n-workflow';
import { RUN_OPTIONS } from './options';
import type { News } from './outcome';
import type { Batch } from './plan';

/**
 * Keeps a node from sending more than a number of messages in one execution of the workflow, over all
 * rounds of a loop, all calls of an AI agent and all tries. The count is in the node's context, which n8n
 * keeps as long as the execution. It counts messages that were sent or may have been.
 */
export class MessageLimit {
  /**
   * @param context context of the node
   * @param max Infinity: no limit
   */
  constructor(
    private readonly context: IContextObject,
    private readonly max: number,
  ) {}

  get isSet(): boolean {
    return this.max < Infinity;
  }

  /**
   * Why a run with these requests must send nothing. Undefined if it may send them. An idempotency key may still
   * skip some of their messages.
   */
  findObstacle(batches: Batch[]): News | undefined {
    const { before, max } = this;
    const messages = batches.reduce((sum, { recipients }) => sum + recipients.length, 0);
    if (messages === 0 || before + messages <= max) return undefined;
    const after = before > 0 ? `, after ${before} of this execution` : '';
    return {
      happening: 'heldBack',
      msg: `This run has ${messages} ${messages === 1 ? 'message' : 'messages'}${after}, but '${RUN_OPTIONS.maxMessages.label}' is ${max}`,
      advice: `Check why there are so many. If they are right, raise '${RUN_OPTIONS.maxMessages.label}' under Options.`,
    };
  }

  /** Adds messages to the count when their request begins. A negative number takes back what was certainly not sent. */
  add(messages: number): void {
    if (this.isSet) this.context.messages = this.before + messages;
  }

  private get before(): number {
    return Number(this.context.messages ?? 0);
  }
}
