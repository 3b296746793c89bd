import type { IContextObject } from 'n8n-workflow';
import { RUN_OPTIONS } from './options';
import type { Outcome } from './outcome';

/**
 * By node context, which is the same object for all runs of a node in one execution: how many runs are
 * unfinished, and how many messages the execution may have sent when they end. An agent may call a tool
 * several times at once.
 */
const unfinished = new WeakMap<IContextObject, { runs: number; messages: number }>();

/**
 * Keeps a node from sending more than a number of messages in one execution of the workflow, over all
 * rounds of a loop, all calls of an AI agent and all tries. The count is in the node's context, which n8n
 * keeps as long as the execution. It counts messages that were sent or may have been.
 */
export class MessageLimit {
  private hasReserved = false;

  /**
   * @param context context of the node
   * @param max Infinity: no limit
   */
  constructor(
    private readonly context: IContextObject,
    private readonly max: number,
  ) {}

  /** Whether there is a limit. */
  get isSet(): boolean {
    return this.max < Infinity;
  }

  /**
   * The outcome of all messages if a run with this many must send nothing. Undefined if it may send them.
   *
   * @param isAll whether these are all messages of the run
   */
  findObstacle(messages: number, isAll = true): Outcome | undefined {
    const { before, max } = this;
    if (messages === 0 || before + messages <= max) return undefined;
    const after = before > 0 ? `, after ${before} of this execution` : '';
    const counted = `${isAll ? '' : 'at least '}${messages} ${messages === 1 ? 'message' : 'messages'}`;
    return {
      status: 'rejected',
      msg: `This run has ${counted}${after}, but '${RUN_OPTIONS.maxMessages.label}' is ${max}`,
      advice: `Check why there are so many. If they are right, raise '${RUN_OPTIONS.maxMessages.label}' under Options.`,
    };
  }

  /**
   * Reserves messages for a run, unless there is an obstacle. Synchronous, so that no other run can reserve
   * the same messages. Messages that are skipped later are reserved too, until the run ends.
   */
  reserve(messages: number, isAll = true): Outcome | undefined {
    const obstacle = this.findObstacle(messages, isAll);
    if (obstacle) return obstacle;
    const runs = (unfinished.get(this.context)?.runs ?? 0) + 1;
    unfinished.set(this.context, { runs, messages: this.before + messages });
    this.hasReserved = true;
    return undefined;
  }

  /** Adds messages to the count when their request begins. A negative number takes back what was certainly not sent. */
  add(messages: number): void {
    if (this.isSet) this.context.messages = this.sent + messages;
  }

  /** Gives back what the run has reserved and not sent. */
  release(): void {
    const all = unfinished.get(this.context);
    if (!this.hasReserved || !all) return;
    if (all.runs > 1) all.runs -= 1;
    else unfinished.delete(this.context);
  }

  /** How many messages were sent in this execution, or may still be sent by unfinished runs. */
  private get before(): number {
    return Math.max(this.sent, unfinished.get(this.context)?.messages ?? 0);
  }

  private get sent(): number {
    return Number(this.context.messages ?? 0);
  }
}
