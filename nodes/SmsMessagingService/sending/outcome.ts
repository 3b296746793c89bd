import type { IDataObject } from 'n8n-workflow';
import { statusOf } from './messageLife';
import type { Happening, State } from './messageLife';

/** What shows what happened to messages: one answer, or one check before a request. Its names are the output's. */
export interface Facts {
  batch_id?: string;
  /** Number of messages that the service says it accepted. */
  batch_count?: number;
  code?: number | string;
  msg?: string;
  advice?: string;
  /** What else the service said. The recipients of a request share the object. */
  answer?: IDataObject;
  /** For the user to check: for instance, `batch_count` differs from `sent`. */
  warning?: string;
  request_id?: string;
  /** HTTP status of an answer that is not an acceptance. */
  http_status?: number;
  /** An earlier try of this execution had this outcome. Nothing was sent in this try. */
  remembered?: boolean;
  /** An earlier recipient of this run has the same number and message. That one was sent to. */
  merged?: boolean;
  /** Number of messages in the request. Undefined if no request was made. Not part of the output. */
  sent?: number;
  /** What was entered cannot be sent. Not part of the output. */
  isUnsendable?: boolean;
  /** It was not tried, because others failed. Not part of the output. */
  isUntried?: boolean;
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

export interface Part {
  outcome: Outcome;
  phoneNumbers: string[];
}

export interface ItemResult {
  itemIndex: number;
  parts: Part[];
  json: IDataObject & { status: string; msg?: string; advice?: string; warning?: string };
  failed: boolean;
}
