import { UserError } from 'n8n-workflow';
import type { Adaptation } from '../operations/endpoint';
import type { Answered, Unanswered } from '../service/answer';
import { withExtraFields } from '../service/client';
import type { ServiceClient } from '../service/client';
import type { OperationAdvice } from '../service/errors';
import { readPull, saysNothing } from '../service/pull';
import type { PullContent } from '../service/pull';
import { CODE_LISTS, CUSTOM_CODES, NO_FIELD } from '../service/resultCodes';
import { sentences } from '../service/sentences';
import { shapeError } from '../service/shapes';
import type { EventDescription } from './events';

/* One pull: a request for records, what its answer means, and what the user can do if it failed. */

/** How long a pull waits for its answer. The records of an answer that comes later are lost. */
export const PULL_TIMEOUT_MS = 15_000;

/**
 * What one pull gave. `tooFast`: the service asks to slow down, and may say for how many milliseconds.
 * `failed`: it gave no usable answer. Records may have come all the same.
 */
export type Pulled =
  | { kind: 'page'; page: unknown[]; emptyBy?: EmptyAnswer }
  | { kind: 'tooFast' | 'failed'; page: unknown[]; error: Error; retryAfterMs?: number };

/** A refusal that was taken for an empty queue, because of its code. */
export interface EmptyAnswer {
  /** For the user, in sentences: the default codes are guesses. */
  reason: string;
  /** What the service said. */
  said: { code?: number | string; msg?: string };
}

/** How the records are asked for, and what errors say about it. */
export interface PullRequest {
  /** The field of the editor that sets the page size. */
  sizeField: string;
  itemIndex?: number;
  /** Left out: the event's own path, without extra fields. */
  adaptation?: Adaptation;
  /** What the caller adds to the advice in errors. */
  advice?: OperationAdvice;
}

/**
 * Makes one request for records. Does not throw if the service fails: the error is in the result.
 *
 * @param count number of records to ask for. An extra field of the user may replace it
 */
export async function pullPage(
  client: ServiceClient,
  event: EventDescription,
  count: number,
  request: PullRequest,
): Promise<Pulled> {
  const { path, extra } = request.adaptation ?? { path: event.path, extra: {} };
  const exchange = await client.exchange(path, withExtraFields({ count }, extra), {
    timeoutMs: PULL_TIMEOUT_MS,
    purpose: 'pull',
  });
  const content = readPull(exchange, event.fields);
  const { kind, records: page } = content;
  const isClear = kind === 'records' || kind === 'nothing';
  if (exchange.kind === 'answered') {
    return isClear
      ? { kind: 'page', page }
      : { kind: 'failed', page, error: notUnderstood(exchange, content, event) };
  }
  if (exchange.kind === 'empty' && kind === 'nothing') {
    return { kind: 'page', page, emptyBy: emptyAnswer(exchange, event) };
  }
  const asked = { plural: event.plural, count: 'count' in extra ? undefined : count };
  const own = pullAdvice(exchange, content, { ...asked, sizeField: request.sizeField });
  const advice = { ...request.advice, ...own };
  const error = client.errorFor(exchange, { itemIndex: request.itemIndex, advice });
  const isTooFast = exchange.kind === 'throttled' && isClear;
  const { retryAfterMs } = exchange;
  return { kind: isTooFast ? 'tooFast' : 'failed', page, error, retryAfterMs };
}

function notUnderstood(
  { body, bytes }: Answered,
  { kind }: PullContent,
  { plural }: EventDescription,
): Error {
  if (bytes !== undefined) return new UserError(NOT_IN_CHARSET, { description: BYTES });
  if (typeof body === 'string') return new UserError(NAMED_TWICE, { description: UNREADABLE });
  const consequence = sentences(kind === 'unreadable' && UNREADABLE, saysNothing(body) && IF_EMPTY);
  return shapeError(body, `a list of ${plural} under 'data'`, consequence);
}

/** What was asked for, as the advice names it. The count is undefined if an extra field of the user sets it. */
type Asked = Pick<EventDescription, 'plural'> & Pick<PullRequest, 'sizeField'> & { count?: number };

/**
 * What the user can do about a pull that failed.
 *
 * @param content what arrived nevertheless
 */
function pullAdvice(exchange: Unanswered, content: PullContent, asked: Asked): OperationAdvice {
  const { success, empty } = CODE_LISTS;
  if (content.kind !== 'nothing') {
    const arrived = content.kind === 'records' ? RECORDS : UNREADABLE;
    return {
      nothing: arrived,
      // An account that was refused gets no records.
      refused: '',
      unclear: sentences(arrived, isPart(exchange) && mayBeLost(exchange, asked)),
      otherMeaning: `If it means success, add it under '${CUSTOM_CODES}' to '${success.label}'`,
    };
  }
  const { count = 1, plural, sizeField } = asked;
  return {
    nothing: 'This request pulled nothing.',
    unclear: mayBeLost(exchange, asked),
    otherMeaning: sentences(
      `If it means that nothing is waiting, add it under '${CUSTOM_CODES}' to '${empty.label}'; other meanings have lists of their own`,
      count > 1 &&
        `If the service gives out fewer than ${count} ${plural} at a time, lower '${sizeField}'`,
    ),
  };
}

const RECORDS = 'The records in the answer are handed over.';

const UNREADABLE =
  'The answer is handed over, as an item with the event "unreadable": it may hold records.';

const NAMED_TWICE = "The service's answer has a name twice in one object";

const NOT_IN_CHARSET = "The service's answer has bytes that are not in its charset";

const BYTES =
  'What could be read is handed over, with � in place of the rest, and the whole answer as an item with the event "unreadable": each of its characters is a byte (Latin-1). Ask your SMS provider to name the charset in the header Content-Type.';

const IF_EMPTY = `An answer with neither a code nor 'data' does not say that nothing is waiting. If your provider's manual shows one without any field for that, add the word ${NO_FIELD} under '${CUSTOM_CODES}' to '${CODE_LISTS.empty.label}'`;

function mayBeLost(exchange: Unanswered, { count = 1, plural, sizeField }: Asked): string {
  const atMost = count > 1 ? `, ${count} at most` : '';
  return sentences(
    `The service may have handed over ${plural} that did not arrive here${atMost}`,
    count > 1 && isPart(exchange) && `If this happens often, lower '${sizeField}'`,
  );
}

/** Whether the answer was late, broken or cut off. */
function isPart({ httpStatus, body }: Unanswered): boolean {
  return httpStatus === undefined || typeof body === 'string';
}

function emptyAnswer({ reason, code, msg }: Unanswered, { plural }: EventDescription): EmptyAnswer {
  const { label } = CODE_LISTS.empty;
  return {
    said: { code, msg },
    reason: sentences(
      reason,
      `Code ${code} is among '${label}' of the credential, so no ${plural} are waiting`,
      `If it means something else, remove it there, under '${CUSTOM_CODES}'`,
    ),
  };
}

/** Says that a full page was repeated, so that records behind it cannot come. */
export function givenAgain(
  { plural }: EventDescription,
  records: number,
  sizeField: string,
): UserError {
  return new UserError(`The service gave the same ${records} ${plural} again`, {
    description: `It does not take them out of its queue, or only late. To see what stands behind them, increase '${sizeField}'.`,
  });
}
