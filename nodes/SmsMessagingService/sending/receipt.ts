import { IF_ADDRESS_IS_UNKNOWN } from '../operations/endpoint';
import type { Exchange, Unanswered } from '../service/answer';
import { adviceFor } from '../service/errors';
import { readBatch } from '../service/messageBatch';
import { sentences } from '../service/sentences';
import { hasCode, readStatement } from '../service/statement';
import { RUN_OPTIONS } from './options';
import type { Outcome } from './outcome';

/* What an exchange means for the messages of its request. */

/** What the user can do about messages whose outcome is unknown. */
export const ADVICE_UNKNOWN =
  'Look at the delivery reports, or ask your SMS provider, before you send again.';

const { batchSize, maxConcurrency } = RUN_OPTIONS;

/**
 * The outcome of the messages in a request.
 *
 * @param sent number of messages
 * @param check what to look at if the service refuses them
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
    advice: adviceOnSend(exchange, sent, check),
  };
}

function adviceOnSend(exchange: Unanswered, sent: number, check?: string): string {
  return sentences(
    adviceFor(exchange, {
      unknownAddress: IF_ADDRESS_IS_UNKNOWN,
      throttled: `Wait a moment and run again. If it happens often, set a lower '${maxConcurrency.label}' under Options.`,
      unclear: ADVICE_UNKNOWN,
      check,
    }),
    exchange.kind === 'refused' &&
      sent > 1 &&
      `One message can cost all of its request: see '${batchSize.label}' under Options`,
  );
}

/** Reads the answer to a request that was not refused. A code of success, or else a batch, accepts it. */
function readReceipt(body: unknown, sent: number): Outcome {
  const { code, msg, requestId } = readStatement(body);
  const { id, count } = readBatch(body);
  const said = { batch_id: id, code, count, sent, request_id: requestId };
  const doubt = findDoubt(hasCode(body), id, count);
  if (doubt === undefined) {
    return { ...said, status: 'accepted', msg, warning: findWarning(id, count, sent) };
  }
  return {
    ...said,
    status: 'unknown',
    msg: `The service answered ${doubt}`,
    advice: ADVICE_UNKNOWN,
  };
}

/** Why an answer does not prove that the messages were accepted. */
function findDoubt(isSuccess: boolean, id?: string, count?: number): string | undefined {
  if (count === 0) return 'that it accepted 0 messages';
  return isSuccess || id !== undefined ? undefined : 'without a code and without a batch_id';
}

function findWarning(id: string | undefined, count: number | undefined, sent: number) {
  return sentences(id === undefined && NO_BATCH, warnOfCount(count, sent)) || undefined;
}

const NO_BATCH = 'The service gave no batch_id, so delivery reports cannot be told to this message';

function warnOfCount(count: number | undefined, sent: number): string | undefined {
  if (count === sent) return undefined;
  if (count === undefined) return 'The service did not say how many messages it accepted';
  return count > sent
    ? `The service says that it accepted ${count} messages, but this request has ${sent}`
    : `The service accepted ${count} of the ${sent} messages of this request and did not say which`;
}
