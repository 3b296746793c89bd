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
      (/^batch_?id$/i.test(name) && readText(field) !== undefined && field !== 0) ||
      (name === 'count' && (readCount(field) ?? 0) > 0) ||
      showsBatch(field),
  );
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

/** Reads the message batch of an acceptance. */
function readReceipt(body: unknown, sent: number): Outcome {
  const receipt: IDataObject = isObject(body) ? body : {};
  const { code, msg, requestId } = readStatement(receipt);
  const batchId = readText(receipt.batch_id);
  const count = readCount(receipt.count);
  const said = { batch_id: batchId, code, count, sent, request_id: requestId };
  if (batchId === undefined || count === 0) {
    const what = batchId === undefined ? 'without a batch_id' : 'that it accepted 0 messages';
    return {
      ...said,
      status: 'unknown',
      msg: `The service answered ${what}, so it is not certain what became of them`,
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
