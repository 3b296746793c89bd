/**
 * What happened to a message:
 *
 * - `accepted`: the service took it;
 * - `rejected`: it was not sent, for certain; it may be sent again;
 * - `unknown`: it may or may not have been taken, so nobody must repeat it unseen;
 * - `skipped`: it was not sent because it had been sent before.
 */
export type Status = 'accepted' | 'rejected' | 'unknown' | 'skipped';

/** The outcome of one request, or of one check before it, shared by the messages it is about. */
export interface Outcome {
  status: Status;
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
  /** The outcome is that of an earlier try of this execution; nothing was sent in this one. */
  remembered?: boolean;
  /** An earlier item of this run names the same number with the same message; that one was sent. */
  merged?: boolean;
  /** What to do about it. Part of errors, not of the output. */
  advice?: string;
}

/** One message to one phone number. */
export interface Recipient {
  itemIndex: number;
  phoneNumber: string;
  /** Its entry in the request: an object for a template SMS, the bare number for a custom SMS. */
  message: unknown;
  /** Names the recipient across the tries of one execution. */
  key: string;
  /** The recipient whose message stands for this one too; nothing is sent for this one. */
  mergedInto?: Recipient;
  outcome?: Outcome;
}

/** Messages that travel in one request. */
export interface Batch {
  /** The fields of the body that they share. */
  head: Record<string, unknown>;
  recipients: Recipient[];
}
