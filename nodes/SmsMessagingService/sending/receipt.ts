import type { IDataObject } from 'n8n-workflow';
import { readStatement } from '../service/answer';
import { isObject } from '../service/json';
import type { Exchange } from '../service/answer';
import { adviceFor } from '../service/errors';
import type { Outcome } from './outcome';

const ADVICE_UNKNOWN =
  'The messages may have been accepted, so they are not sent again automatically. Look at the delivery reports, or ask the operator, before you send them again.';

/**
 * The exchange, unless it contradicts itself: a refusal that names a batch is `unclear`, because the
 * messages may have been accepted.
 */
export function weighEvidence(exchange: Exchange): Exchange {
  const isRefusal = exchange.kind === 'refused' || exchange.kind === 'throttled';
  if (!isRefusal || !showsBatch(exchange.body)) return exchange;
  return {
    ...exchange,
    kind: 'unclear',
    reason: `${exchange.reason}. But its answer names a batch, so the messages may have been accepted`,
  };
}

/** Whether an answer has a `batch_id`, or a `count` above 0, anywhere. */
function showsBatch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, field]) =>
      isBatchId(name, field) ||
      (name === 'count' && (readCount(field) ?? 0) > 0) ||
      showsBatch(field),
  );
}

function isBatchId(name: string, value: unknown): boolean {
  return /^batch_?id$/i.test(name) && readText(value) !== undefined && value !== 0;
}

/** The objects in an answer that have a `batch_id`, wherever they are. */
function receiptsIn(value: unknown): IDataObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const isReceipt = isObject(value) && batchIdIn(value) !== undefined;
  return [...(isReceipt ? [value] : []), ...Object.values(value).flatMap(receiptsIn)];
}

function batchIdIn(receipt: IDataObject): string | undefined {
  const [, id] = Object.entries(receipt).find(([name, value]) => isBatchId(name, value)) ?? [];
  return readText(id);
}

/** The different counts that an answer states. */
function countsIn(parts: IDataObject[]): Set<number> {
  return new Set(parts.flatMap(({ count }) => readCount(count) ?? []));
}

/**
 * What an exchange means for the messages in the request.
 *
 * @param sent number of messages
 */
export function readOutcome(exchange: Exchange, sent: number): Outcome {
  if (exchange.kind === 'answered') return readReceipt(exchange.body, sent);
  const { kind, reason, code, requestId, httpStatus } = exchange;
  return {
    status: kind === 'unclear' ? 'unknown' : 'rejected',
    code,
    msg: reason,
    sent,
    request_id: requestId,
    http_status: httpStatus,
    advice: adviceFor(exchange, { unclear: ADVICE_UNKNOWN }),
  };
}

/**
 * Reads the message batch of an acceptance: at the top, as the specification shows, or the only one in
 * the answer.
 */
function readReceipt(body: unknown, sent: number): Outcome {
  const { code, msg, requestId } = readStatement(body);
  const receipts = receiptsIn(body);
  const [batchId, ...others] = new Set(receipts.map(batchIdIn));
  const [count, ...otherCounts] = countsIn([body as IDataObject, ...receipts]);
  const said = { batch_id: batchId, code, count, sent, request_id: requestId };
  const doubt =
    (batchId === undefined && 'without a batch_id') ||
    (count === 0 && 'that it accepted 0 messages') ||
    (others.length + otherCounts.length > 0 && 'with more than one batch or count');
  if (doubt) {
    return {
      ...said,
      status: 'unknown',
      msg: `The service answered ${doubt}, so it is not certain what became of them`,
      advice: ADVICE_UNKNOWN,
    };
  }
  const warning = count === sent ? undefined : describeCount(count, sent);
  return { ...said, status: 'accepted', msg, warning };
}

function describeCount(count: number | undefined, sent: number): string {
  return count === undefined
    ? 'The service did not say how many messages it accepted'
    : `The service accepted ${count} of the ${sent} messages of this request and did not say which`;
}

/** A text or number as text. Undefined for anything else, and for a blank text. */
function readText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

function readCount(value: unknown): number | undefined {
  const text = readText(value)?.trim() ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
