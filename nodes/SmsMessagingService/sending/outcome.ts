import type { IDataObject } from 'n8n-workflow';
import type { Adaptation } from '../operations/endpoint';

/**
 * What happened to a message:
 *
 * - `accepted`: the service accepted it;
 * - `rejected`: it was certainly not sent, and may be sent again;
 * - `unknown`: it may have been accepted, so a person must look before it is sent again;
 * - `skipped`: it was not sent, because its idempotency key was used before.
 */
export type Status = 'accepted' | 'rejected' | 'unknown' | 'skipped';

/** What one request, or one check before it, meant for its messages. It is never changed, only replaced. */
export interface Outcome {
  status: Status;
  /** Identifies the request by the key of its first recipient. Not part of the output. */
  request?: string;
  /** ID of the batch. Delivery reports and replies have it too. */
  batch_id?: string;
  /** The service's business code, if it gave one. */
  code?: number | string;
  msg?: string;
  /** Number of messages that the service says it accepted. */
  count?: number;
  /** Number of messages in the request. Undefined if no request was made. */
  sent?: number;
  /** For the user to check: for instance, `count` differs from `sent`. */
  warning?: string;
  /** The service's ID of the request, if it gave one. */
  request_id?: string;
  /** HTTP status of an answer that is not an acceptance. */
  http_status?: number;
  /** An earlier try of this execution had this outcome. Nothing was sent in this try. */
  remembered?: boolean;
  /** An earlier recipient of this run has the same number and message. That one was sent to. */
  merged?: boolean;
  /** What was entered cannot be sent: texts that are no phone numbers, or the whole item. Not part of the output. */
  unsendable?: 'numbers' | 'item';
  /** It was not tried, because others failed. Not part of the output. */
  isUntried?: boolean;
  /** What the user can do about a failure. */
  advice?: string;
  /** What else the service said. The recipients of a request share the object. */
  answer?: IDataObject;
}

/** Whether an outcome is a failure. A skipped message is not one: its idempotency key was used before. */
export function isFailure({ status }: Outcome): boolean {
  return status === 'rejected' || status === 'unknown';
}

/** Whether an outcome is a failure of its own, and not only because others failed. */
export function isCause(outcome: Outcome): boolean {
  return isFailure(outcome) && !outcome.isUntried;
}

/** One message to one phone number. */
export interface Recipient {
  readonly itemIndex: number;
  readonly phoneNumber: string;
  /** Its entry in the request: an object for a template SMS, the number for a custom SMS. */
  readonly message: unknown;
  /** Identifies the recipient across the tries of one execution. */
  readonly key: string;
  /** The earlier recipient with the same message. Nothing is sent for this one. */
  readonly mergedInto?: Recipient;
}

/** What the messages of one request share. */
export interface SharedFields extends Adaptation {
  /** Fields of the body. */
  fields: Record<string, unknown>;
}

/** Messages that share one request. */
export interface Batch {
  shared: SharedFields;
  recipients: Recipient[];
}

/** An outcome, and the recipients that have it. */
export interface Conclusion {
  recipients: Recipient[];
  outcome: Outcome;
}

/** Which recipients may be sent to, and the outcomes of the others. */
export interface Admission {
  allowed: Recipient[];
  denied: Conclusion[];
}

/** An outcome, and the phone numbers of one item that have it. */
export interface OutcomeGroup {
  outcome: Outcome;
  phoneNumbers: string[];
}

/** What cannot be sent of an item: texts that are not phone numbers, or all of it. */
export interface Unsendable extends OutcomeGroup {
  itemIndex: number;
}

/** The outcomes of one input item. */
export interface ItemOutcomes {
  itemIndex: number;
  groups: OutcomeGroup[];
}
