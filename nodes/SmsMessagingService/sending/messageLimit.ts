import type { IContextObject } from 'n8n-workflow';
import { RUN_OPTIONS } from './options';
import type { Outcome } from './outcome';

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

  get isSet(): boolean {
    return this.most < Infinity;
  }

  /** Why a run with this many messages must send nothing. Undefined if it may send them. */
  obstacle(messages: number): Outcome | undefined {
    const { before, most } = this;
    if (messages === 0 || before + messages <= most) return undefined;
    const { label } = RUN_OPTIONS.maxMessages;
    const after = before > 0 ? `, after ${before} of this execution` : '';
    return {
      status: 'rejected',
      msg: `This run has ${messages === 1 ? '1 message' : `${messages} messages`}${after}, but '${label}' is ${most}`,
      advice: `Check why there are so many. If they are right, raise '${label}' under Options.`,
    };
  }

  /** Sets messages aside for a run, unless there is an obstacle. Nothing is awaited in between. */
  reserve(messages: number): Outcome | undefined {
    const obstacle = this.obstacle(messages);
    if (obstacle) return obstacle;
    const runs = (inProgress.get(this.context)?.runs ?? 0) + 1;
    inProgress.set(this.context, { most: this.before + messages, runs });
    this.isRunning = true;
    return undefined;
  }

  /** Counts messages whose request begins, or takes them back if they were certainly not sent. */
  count(messages: number): void {
    if (this.isSet) this.context.messages = this.sent + messages;
  }

  /** The run has ended. */
  end(): void {
    const others = inProgress.get(this.context);
    if (!this.isRunning || !others) return;
    if (others.runs > 1) others.runs -= 1;
    else inProgress.delete(this.context);
  }

  /** What was sent in this execution, or may yet be by runs at hand. */
  private get before(): number {
    return Math.max(this.sent, inProgress.get(this.context)?.most ?? 0);
  }

  private get sent(): number {
    return Number(this.context.messages ?? 0);
  }
}
