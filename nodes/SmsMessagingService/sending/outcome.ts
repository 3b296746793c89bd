/**
 * What happened to a message:
 *
 * - `accepted`: the service took it;
 * - `rejected`: it was not sent, for certain; it may be sent again;
 * - `unknown`: it may or may not have been taken, so nobody must repeat it unseen;
 * - `skipped`: it was not sent because it had been sent before.
 */
export type Status = 'accepted' | 'rejected' | 'unknown' | 'skipped';

/** The outcome of one request, or of one check before it, for the messages it is about. A value: nobody changes it. */
export interface Outcome {
  status: Status;
  /** Names the request, by the key of its first recipient. Not part of the output. */
  request?: string;
  /** Identifier of the batch (§2.1); the reports and replies carry it too. */
  batch_id?: string;
  /** The service's business code, where it gave one. */
  code?: number | string;
  msg?: string;
  /** Number of messages the service says it accepted in the request. */
  count?: number;
  /** Number of messages that were in the request. */
  sent?: number;
  /** Said where it needs a person's eye: for instance, `count` differs from `sent`. */
  warning?: string;
  /** The service's own name for the request, where it gave one. */
  request_id?: string;
  /** HTTP status of an answer that is not an acceptance. */
  http_status?: number;
  /** The outcome is that of an earlier try of this execution; nothing was sent in this one. */
  remembered?: boolean;
  /** An earlier item of this run names the same number with the same message; that one was sent. */
  merged?: boolean;
  /** What to do about it. Part of errors, not of the output. */
  advice?: string;
}

/** One message to one phone number. */
export interface Recipient {
  readonly itemIndex: number;
  readonly phoneNumber: string;
  /** Its entry in the request: an object for a template SMS, the bare number for a custom SMS. */
  readonly message: unknown;
  /** Names the recipient across the tries of one execution. */
  readonly key: string;
  /** The recipient whose message stands for this one too; nothing is sent for this one. */
  readonly mergedInto?: Recipient;
}

/** Messages that travel in one request. */
export interface Batch {
  /** The fields of the body that they share. */
  head: Record<string, unknown>;
  recipients: Recipient[];
}

/** An outcome and the recipients it is about. */
export interface Verdict {
  recipients: Recipient[];
  outcome: Outcome;
}

/** What became of each recipient of a run. Outcomes get to recipients here and nowhere else. */
export class Outcomes {
  private readonly outcomes = new Map<Recipient, Outcome>();

  add(verdicts: Verdict[]): void {
    for (const { recipients, outcome } of verdicts) {
      for (const recipient of recipients) this.outcomes.set(recipient, outcome);
    }
  }

  /** @throws TypeError for a recipient that was never given one, which would be a mistake of ours */
  of(recipient: Recipient): Outcome {
    const outcome = this.outcomes.get(recipient.mergedInto ?? recipient);
    if (outcome === undefined) throw new TypeError('A recipient was left without outcome');
    return recipient.mergedInto ? { ...outcome, merged: true } : outcome;
  }
}
