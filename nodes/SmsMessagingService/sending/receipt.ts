import type { Exchange, Unanswered } from '../service/answer';
import { adviceFor } from '../service/errors';
import type { OperationAdvice } from '../service/errors';
import { isDoubtful, readStatement } from '../service/statement';
import { findAcceptance, findDenial, findReceipt, showsFailure } from './evidence';
import type { Outcome } from './outcome';

export const ADVICE_UNKNOWN =
  'Look at the delivery reports, or ask your SMS provider, before you send again.';

const ADVICE: OperationAdvice = {
  throttled:
    "Wait a moment and run again. If it happens often, set a lower 'Max Concurrency' under Options.",
  unclear: ADVICE_UNKNOWN,
};

/**
 * What the user can do about messages that were not accepted.
 *
 * @param check what to look at when the service refuses them
 */
export function adviceOnSend(exchange: Unanswered, check?: string): string {
  return adviceFor(exchange, { ...ADVICE, check });
}

/**
 * The exchange, unless it contradicts itself: a refusal with a sign that messages were accepted is
 * `unclear`.
 *
 * @param sent number of messages
 */
export function weighEvidence(exchange: Exchange, sent: number): Exchange {
  if (exchange.kind !== 'refused' && exchange.kind !== 'throttled') return exchange;
  const evidence = findAcceptance(exchange.body, sent);
  if (evidence === undefined) return exchange;
  const reason = `${exchange.reason}, but its answer ${evidence}`;
  return { ...exchange, kind: 'unclear', reason };
}

/**
 * What an exchange means for the messages in the request.
 *
 * @param sent number of messages
 * @param check what to look at when the service refuses them
 */
export function readOutcome(exchange: Exchange, sent: number, check?: string): Outcome {
  if (exchange.kind === 'answered') return readReceipt(exchange.body, sent);
  const { kind, reason, code, requestId, httpStatus } = exchange;
  return {
    status: kind === 'unclear' ? 'unknown' : 'rejected',
    code,
    msg: reason,
    sent,
    request_id: requestId,
    http_status: httpStatus,
    advice: adviceOnSend(exchange, check),
  };
}

/**
 * Reads the message batch of an acceptance: at the top, as the specification shows, or the only one in
 * the answer.
 */
function readReceipt(body: unknown, sent: number): Outcome {
  const { code, msg, requestId } = readStatement(body);
  const { batchIds, count } = findReceipt(body);
  const [batchId] = batchIds;
  const said = { batch_id: batchId, code, count, sent, request_id: requestId };
  const doubt =
    (batchId === undefined && 'without a batch_id') ||
    (count === 0 && 'that it accepted 0 messages') ||
    (batchIds.length > 1 && 'with more than one batch_id') ||
    findDenial(body, sent) ||
    (isDoubtful(body) && `"${msg}" without a code`);
  if (doubt) {
    return {
      ...said,
      status: 'unknown',
      msg: `The service answered ${doubt}`,
      advice: ADVICE_UNKNOWN,
    };
  }
  const warning = count === sent ? describeFailures(body) : describeCount(count, sent);
  return { ...said, status: 'accepted', msg, warning };
}

function describeFailures(body: unknown): string | undefined {
  return showsFailure(body)
    ? 'The answer of the service also speaks of messages that failed. Look at their delivery reports'
    : undefined;
}

function describeCount(count: number | undefined, sent: number): string {
  if (count === undefined) return 'The service did not say how many messages it accepted';
  return count > sent
    ? `The service says that it accepted ${count} messages, but this request has ${sent}`
    : `The service accepted ${count} of the ${sent} messages of this request and did not say which`;
}
