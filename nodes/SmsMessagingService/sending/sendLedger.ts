import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { isTool } from '../n8n/node';
import { ADVICE_UNKNOWN } from '../service/advice';
import { canonicalJson } from '../service/json';
import { next } from './messageLife';
import type { Facts, Outcome } from './outcome';
import type { Recipient } from './plan';

/** What a request meant for its messages, as n8n saves it. */
export interface Entry {
  /** ID of the execution that made the request. */
  execution: string;
  outcome: Outcome;
  /**
   * The recipients' keys, with a space between. One text, because n8n saves the context with the execution,
   * where an array needs twice the space.
   */
  keys: string;
}

const INTERRUPTED: Facts = {
  msg: 'An earlier try of this execution was interrupted while this message was being sent',
  advice: ADVICE_UNKNOWN,
};

/**
 * Identifies a run of the node across its tries. It is n8n's run index, so that the next round of a
 * loop is a new send. As a tool of an AI agent, a run is identified by what the model asks for: some
 * agents count every try as a run, and a model that reads that a message may have been sent tends to
 * ask once more.
 */
export function nameRun(context: IExecuteFunctions): string {
  if (!isTool(context)) return String(context.getWorkflowDataProxy(0).$runIndex);
  // The call ID is the only part that differs each time the model asks.
  const calls = context.getInputData().map(({ json }) => ({ ...json, toolCallId: undefined }));
  return createHash('sha256').update(canonicalJson(calls)).digest('base64url');
}

/**
 * Identifies a recipient across the tries of one run: by its place and not by its message, because an
 * expression such as `{{ $now }}` gives another text in every try.
 */
export function recipientKey({ item, phoneNumber }: Recipient): string {
  return `${item.itemIndex}/${phoneNumber}`;
}

/** What the ledger keeps in the node's context, by run: its requests, and notes of keys in n8n's store. */
interface Saved {
  sends?: Record<string, Entry[] | undefined>;
  notes?: Record<string, Record<string, string> | undefined>;
}

/**
 * Remembers who must not be sent to again: recipients whose message was accepted or may have been, and
 * those whose message the service has refused in this execution. Also remembers which idempotency keys
 * this execution has recorded.
 *
 * It is in the node's context, which n8n keeps through Retry On Fail and "Retry execution", on any worker,
 * and drops with the execution. After a kill -9 of n8n it is lost.
 */
export class SendLedger {
  private readonly entries: Entry[] = [];

  /** By recipient key, the outcomes of earlier tries. */
  private readonly earlier = new Map<string, Outcome>();

  /**
   * @param context context of the node
   * @param run identifies the run across its tries: `nameRun`
   * @param execution ID of the execution, the same in all tries of Retry On Fail. A user who presses "Retry
   * execution" makes another one, and wants what was refused to be sent again
   */
  constructor(
    private readonly context: Saved,
    private readonly run: string,
    private readonly execution: string,
  ) {
    const runs = (context.sends ??= {});
    for (const entry of runs[run] ?? []) {
      const { state } = entry.outcome;
      const after = next(state, entry.execution === execution ? 'triedAgain' : 'runAgain');
      if (after === 'planned') continue;
      if (after !== state) entry.outcome = { ...INTERRUPTED, state: after };
      this.entries.push(entry);
      const remembered = { ...entry.outcome, remembered: true };
      for (const key of entry.keys.split(' ')) this.earlier.set(key, remembered);
    }
    runs[run] = this.entries;
  }

  get isFirstTry(): boolean {
    return this.earlier.size === 0;
  }

  /** @returns the outcome of an earlier try. Undefined for a recipient that may be sent to */
  recall(recipient: Recipient): Outcome | undefined {
    // A look-up costs a hash of each key.
    return this.isFirstTry ? undefined : this.earlier.get(recipientKey(recipient));
  }

  /** Notes a request before it is made, so that an interruption never leads to a second send. */
  add(recipients: Recipient[], outcome: Outcome): Entry {
    const keys = recipients.map(recipientKey).join(' ');
    const entry = { execution: this.execution, outcome, keys };
    this.entries.push(entry);
    return entry;
  }

  /** Notes what became of a request. What is tried again is not kept. */
  end(entry: Entry, outcome: Outcome): void {
    entry.outcome = outcome;
    if (next(outcome.state, 'triedAgain') === 'planned') {
      this.entries.splice(this.entries.indexOf(entry), 1);
    }
  }

  /** What this try or an earlier one has noted under a name. */
  noteOf(name: string): string | undefined {
    return this.context.notes?.[this.run]?.[name];
  }

  /** @param note undefined: it is not needed any more */
  note(name: string, note: string | undefined): void {
    const notes = ((this.context.notes ??= {})[this.run] ??= {});
    if (note === undefined) Reflect.deleteProperty(notes, name);
    else notes[name] = note;
  }

  /** Forgets this run. To be called only if nothing of it can be tried again. */
  clear(): void {
    const { sends = {}, notes = {} } = this.context;
    for (const runs of [sends, notes]) Reflect.deleteProperty(runs, this.run);
  }
}
