import type { IDataObject } from 'n8n-workflow';
import type { Adaptation } from '../operations/endpoint';
import { statusOf } from './messageLife';
import type { Happening, State } from './messageLife';

/** What shows what happened to messages: one answer, or one check before a request. */
export interface Facts {
  batch_id?: string;
  code?: number | string;
  msg?: string;
  /** Number of messages that the service says it accepted. */
  count?: number;
  /** Number of messages in the request. Undefined if no request was made. */
  sent?: number;
  /** For the user to check: for instance, `count` differs from `sent`. */
  warning?: string;
  request_id?: string;
  /** HTTP status of an answer that is not an acceptance. */
  http_status?: number;
  /** An earlier try of this execution had this outcome. Nothing was sent in this try. */
  remembered?: boolean;
  /** An earlier recipient of this run has the same number and message. That one was sent to. */
  merged?: boolean;
  /** What was entered cannot be sent. Not part of the output. */
  isUnsendable?: boolean;
  /** It was not tried, because others failed. Not part of the output. */
  isUntried?: boolean;
  advice?: string;
  /** What else the service said. The recipients of a request share the object. */
  answer?: IDataObject;
}

export interface News extends Facts {
  happening: Happening;
}

/** What has happened to a message. It is never changed, only replaced. */
export interface Outcome extends Facts {
  state: State;
}

/** Whether an outcome is a failure. A skipped message is not one: its idempotency key was used before. */
export function isFailure({ state }: Outcome): boolean {
  return ['rejected', 'unknown'].includes(statusOf(state));
}

/** Whether an outcome is a failure of its own, and not only because others failed. */
export function isCause(outcome: Outcome): boolean {
  return isFailure(outcome) && !outcome.isUntried;
}

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

export interface SharedFields extends Adaptation {
  fields: Record<string, unknown>;
}

export interface Batch {
  shared: SharedFields;
  recipients: Recipient[];
}

export interface Part {
  outcome: Outcome;
  phoneNumbers: string[];
}
