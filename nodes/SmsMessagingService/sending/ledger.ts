import { createHash } from 'node:crypto';
import type { IContextObject, IExecuteFunctions } from 'n8n-workflow';
import type { Outcome, Recipient } from './outcome';

/** An outcome and the recipients it is about, as it is saved. */
interface Entry {
  outcome: Outcome;
  /**
   * The recipients' keys, with a space between. One text, because n8n saves the context with the
   * execution, and its format takes twice the room for a list.
   */
  keys: string;
}

const IN_FLIGHT: Outcome = {
  status: 'unknown',
  msg: 'An earlier try of this execution was interrupted while this message was being sent',
};

/**
 * Names a run of the node across its tries: by n8n's run index, so that a loop's next round is a new
 * send. As a tool of an AI agent, a run is named by what the model asks for: some agents count every
 * try as a run, and a model that reads that a message may have been sent tends to ask once more.
 */
export function nameRun(context: IExecuteFunctions): string {
  // n8n makes a node type of its own, with this name, of a node that is a tool.
  if (!context.getNode().type.endsWith('Tool'))
    return String(context.getWorkflowDataProxy(0).$runIndex);
  // The one thing in it that is another each time the model asks.
  const calls = context.getInputData().map(({ json }) => ({ ...json, toolCallId: undefined }));
  return createHash('sha256').update(JSON.stringify(calls)).digest('base64url');
}

/**
 * Names a recipient across the tries of one run: by its place, not by the message, because an
 * expression such as `{{ $now }}` gives another text in every try.
 */
export function recipientKey(itemIndex: number, phoneNumber: string, occurrence: number): string {
  // The usual first occurrence goes unsaid: the keys are saved with the execution.
  return `${itemIndex}/${phoneNumber}${occurrence === 0 ? '' : `/${occurrence}`}`;
}

/**
 * What this execution has done with an idempotency key in n8n's store: `claimed`, it began to record
 * it; `ours`, it did record it, and nothing was sent under it.
 */
export type KeyState = 'claimed' | 'ours';

/**
 * Remembers, in the node's context, who must not be sent to again: those whose message was accepted,
 * and those of whom that is unknown. And which idempotency keys are this execution's own. n8n keeps
 * the context through Retry On Fail and "Retry execution", on any worker, and drops it with the
 * execution. It is lost when n8n is killed.
 */
export class Ledger {
  private readonly runs: Record<string, Entry[] | undefined>;

  private readonly entries: Entry[];

  /** By recipient key, what an earlier try has noted. */
  private readonly earlier = new Map<string, Outcome>();

  constructor(
    private readonly context: IContextObject,
    private readonly run: string,
  ) {
    this.runs = (context.sends ??= {}) as Record<string, Entry[] | undefined>;
    this.entries = this.runs[run] ??= [];
    for (const { outcome, keys } of this.entries) {
      const remembered = { ...outcome, remembered: true };
      for (const key of keys.split(' ')) this.earlier.set(key, remembered);
    }
  }

  /** The outcome of an earlier try, or undefined for a recipient that may be sent to. */
  recall({ key }: Recipient): Outcome | undefined {
    // A first try has nothing to look up, and to look is what costs: of each key a hash is made.
    return this.earlier.size > 0 ? this.earlier.get(key) : undefined;
  }

  /**
   * To be called before a request is made. Until the returned function is told the outcome, the
   * recipients count as unknown: what happens in between must not lead to a second send.
   */
  record(recipients: Recipient[]): (outcome: Outcome) => void {
    const entry: Entry = { outcome: IN_FLIGHT, keys: recipients.map(({ key }) => key).join(' ') };
    this.entries.push(entry);
    return (outcome) => {
      if (outcome.status === 'rejected') this.entries.splice(this.entries.indexOf(entry), 1);
      else entry.outcome = outcome;
    };
  }

  /** What became of an idempotency key in this try or an earlier one. */
  keyState(key: string): KeyState | undefined {
    return this.keysOfRuns()[this.run]?.[key];
  }

  /** @param state undefined: the key is another's, or need not be known apart any more */
  noteKey(key: string, state: KeyState | undefined): void {
    const keys = (this.keysOfRuns()[this.run] ??= {});
    if (state) keys[key] = state;
    else Reflect.deleteProperty(keys, key);
  }

  /** Forgets this run. Only right when nothing of it can be tried again. */
  clear(): void {
    // The runs are objects of n8n's that outlive this one.
    Reflect.deleteProperty(this.runs, this.run);
    if (this.context.keys) Reflect.deleteProperty(this.keysOfRuns(), this.run);
  }

  private keysOfRuns(): Record<string, Record<string, KeyState> | undefined> {
    return (this.context.keys ??= {}) as Record<string, Record<string, KeyState>>;
  }
}
