import { ADVICE_UNKNOWN, adviceOn } from '../service/advice';
import type { Asked } from '../service/advice';
import type { Exchange } from '../service/answer';
import { readBatch } from '../service/messageBatch';
import { sentences } from '../service/sentences';
import { readStatement } from '../service/statement';
import type { News } from './outcome';

/**
 * What an exchange means for the messages of its request.
 *
 * @param sent number of messages
 * @param asked how the advice speaks of the request
 */
export function readNews(exchange: Exchange, sent: number, asked: Asked): News {
  if (exchange.kind === 'answered') return readReceipt(exchange.body, sent);
  const { id, count, others } = readBatch(exchange.body);
  return {
    // Only a pull finds nothing.
    happening: exchange.kind === 'empty' ? 'refused' : exchange.kind,
    batch_id: id,
    code: exchange.code,
    msg: exchange.reason,
    count,
    sent,
    answer: others,
    request_id: exchange.requestId,
    http_status: exchange.httpStatus,
    advice: adviceOn(exchange, { ...asked, isMany: sent > 1 }),
  };
}

/** Reads an answer that does not refuse. A code of success accepts the messages, or without code a batch. */
function readReceipt(body: unknown, sent: number): News {
  const { code, msg, requestId } = readStatement(body);
  const { id, count, others } = readBatch(body);
  const said = { batch_id: id, code, count, sent, request_id: requestId, answer: others };
  const isAccepted = code !== undefined || id !== undefined;
  if (isAccepted && count !== 0) {
    const noBatch = id === undefined && NO_BATCH + (others ? SEE_ANSWER : '');
    const warning = sentences(noBatch, warnOfCount(count, sent));
    return { ...said, happening: 'accepted', msg, warning: warning || undefined };
  }
  const doubt = isAccepted
    ? 'that it accepted 0 messages'
    : 'without a code and without a batch_id';
  return {
    ...said,
    happening: 'unclear',
    msg: `The service answered ${doubt}`,
    advice: ADVICE_UNKNOWN,
  };
}

const NO_BATCH =
  'The service gave no batch_id, so delivery reports cannot be matched to this message';

const SEE_ANSWER = ". It may have named the batch otherwise: see 'answer'";

function warnOfCount(count: number | undefined, sent: number): string | undefined {
  if (count === sent) return undefined;
  if (count === undefined) return 'The service did not say how many messages it accepted';
  return count > sent
    ? `The service says that it accepted ${count} messages, but this request has ${sent}`
    : `The service accepted ${count} of the ${sent} messages of this request and did not say which`;
}
