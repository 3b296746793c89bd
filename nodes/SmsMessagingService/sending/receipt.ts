import { IF_ADDRESS_IS_UNKNOWN } from '../operations/endpoint';
import type { Answered, Exchange, Unanswered } from '../service/reading/answer';
import { adviceFor, isAboutSigning } from '../service/errors';
import type { OperationAdvice } from '../service/errors';
import { findAcceptance, findDenial, findReceipt, showsFailure } from '../service/reading/evidence';
import { isDoubtful, readStatement } from '../service/reading/statement';
import { insideSentence, sentences } from '../service/sentences';
import { UNCLEAR_BEFORE_STOP } from './backOff';
import type { Setback } from './backOff';
import { RUN_OPTIONS } from './options';
import type { Outcome } from './outcome';

/** What the user can do about messages whose outcome is unknown. */
export const ADVICE_UNKNOWN =
  'Look at the delivery reports, or ask your SMS provider, before you send again.';

const { batchSize, maxConcurrency, refusedRequests } = RUN_OPTIONS;

const ADVICE: OperationAdvice = {
  unknownAddress: IF_ADDRESS_IS_UNKNOWN,
  throttled: `Wait a moment and run again. If it happens often, set a lower '${maxConcurrency.label}' under Options.`,
  unclear: ADVICE_UNKNOWN,
};

/**
 * What the user can do about messages that were not accepted.
 *
 * @param sent number of messages in the request
 * @param check what to look at if the service refuses them
 */
function adviceOnSend(exchange: Unanswered, sent: number, check?: string): string {
  const isAboutAll = exchange.kind === 'refused' && sent > 1;
  const named = isAboutSigning(exchange.reason)
    ? ''
    : REMEDIES.find(([words]) => words.test(exchange.reason))?.[1];
  const own = { ...ADVICE, check: named ?? check };
  return sentences(adviceFor(exchange, own), isAboutAll && ABOUT_ALL);
}

/** What to do if the service itself names what is wrong. Otherwise each send has a list of what to check. */
const REMEDIES: [words: RegExp, remedy: string][] = [
  [/balance|余额|欠费/i, 'Top up the account before you send again.'],
  [/param|参数|变量/i, 'Compare the parameters with the text of the template.'],
  [/signature|签名/i, "Choose 'Signature' from its list."],
  [/template|模板/i, "Choose 'Template' from its list."],
  [/number|号码|手机|recipient/i, "Check 'Phone Numbers'."],
];

const ABOUT_ALL = `One message can cost all of its request: see '${batchSize.label}' and '${refusedRequests.label}' under Options`;

/**
 * The exchange, unless it contradicts itself: a refusal with a sign that messages were accepted is
 * `unclear`.
 *
 * @param sent number of messages
 */
export function weighEvidence(exchange: Exchange, sent: number): Exchange {
  if (exchange.kind !== 'refused' && exchange.kind !== 'throttled') return exchange;
  const evidence = findAcceptance(exchange.body, sent, exchange.codes);
  if (evidence === undefined) return exchange;
  const reason = `${exchange.reason}, but its answer ${evidence}`;
  return { ...exchange, kind: 'unclear', reason };
}

/**
 * What an exchange means for the messages in the request.
 *
 * @param sent number of messages
 * @param check what to look at if the service refuses them
 */
export function readOutcome(exchange: Exchange, sent: number, check?: string): Outcome {
  if (exchange.kind === 'answered') return readReceipt(exchange, sent);
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

/** The outcome of messages that are not tried, because an earlier request of the run had a setback. */
export function untriedOutcome({ kind }: Setback, { code, msg, advice }: Outcome): Outcome {
  const why =
    kind === 'unclear'
      ? `the last ${UNCLEAR_BEFORE_STOP} requests of this run may or may not have been accepted`
      : 'an earlier request of this run did not get through';
  return {
    status: 'rejected',
    code,
    msg: `Not sent: ${why} (${insideSentence(msg ?? '')})`,
    advice,
  };
}

/** The outcome of messages whose answer could not be read at all. */
export const UNREADABLE_OUTCOME: Outcome = {
  status: 'unknown',
  msg: 'The answer of the service could not be read',
  advice: ADVICE_UNKNOWN,
};

/** The outcome of a refusal after which the balance of the account has changed. */
export function changedBalanceOutcome({ msg, ...refusal }: Outcome): Outcome {
  return {
    ...refusal,
    status: 'unknown',
    msg: `${msg ?? ''}, but the balance has changed meanwhile`,
    advice: ADVICE_UNKNOWN,
  };
}

/**
 * Reads the receipt in an answer that is not a refusal: the one at the top, as the specification shows, or
 * the only one.
 */
function readReceipt({ body, codes }: Answered, sent: number): Outcome {
  const { code, msg, requestId } = readStatement(body);
  const receipt = findReceipt(body);
  const { count } = receipt;
  const said = { batch_id: receipt.batchIds[0], code, count, sent, request_id: requestId };
  const doubt =
    findDoubt(receipt) ||
    findDenial(body, sent, codes) ||
    (isDoubtful(body) && `"${msg}" without a code`);
  if (doubt) {
    return {
      ...said,
      status: 'unknown',
      msg: `The service answered ${doubt}`,
      advice: ADVICE_UNKNOWN,
    };
  }
  const showsBoth = count === sent && showsFailure(body, codes);
  const warning = showsBoth ? PARTLY_FAILED : countWarning(count, sent);
  return { ...said, status: 'accepted', msg, warning };
}

/** Why a receipt does not prove that the messages were accepted. */
function findDoubt({ batchIds, count }: ReturnType<typeof findReceipt>): string | undefined {
  if (batchIds[0] === undefined) return 'without a batch_id';
  if (count === 0) return 'that it accepted 0 messages';
  return batchIds.length > 1 ? 'with more than one batch_id' : undefined;
}

const PARTLY_FAILED =
  'The answer of the service also speaks of messages that failed. Look at their delivery reports';

function countWarning(count: number | undefined, sent: number): string | undefined {
  if (count === sent) return undefined;
  if (count === undefined) return 'The service did not say how many messages it accepted';
  return count > sent
    ? `The service says that it accepted ${count} messages, but this request has ${sent}`
    : `The service accepted ${count} of the ${sent} messages of this request and did not say which`;
}
