import type { UserError } from 'n8n-workflow';
import type { Adaptation } from '../operations/endpoint';
import { withExtraFields } from '../service/client';
import type { ServiceClient } from '../service/client';
import type { OperationAdvice } from '../service/errors';
import { refusesContent } from '../service/reading/answer';
import type { Unanswered } from '../service/reading/answer';
import { heldIn, holdsNothing, isUnreadable, recordsIn, unreadable } from '../service/reading/pull';
import { shapeError } from '../service/reading/shapes';
import { wordsIn } from '../service/reading/statement';
import { meaningOfWords } from '../service/reading/words';
import { sentences } from '../service/sentences';
import type { PullAnswer } from './drainStep';
import type { EventDescription } from './events';

/* One pull: a request for records, what its answer means, and what the user can do if it failed. */

/** How long a pull waits for its answer. The records of an answer that comes later are lost. */
export const PULL_TIMEOUT_MS = 15_000;

/** The result of one pull: its records, and what went wrong. */
export interface Pulled extends Pick<PullAnswer, 'kind' | 'error'> {
  page: unknown[];
  /** How many milliseconds the service asked to wait. */
  retryAfterMs?: number;
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
  const exchange = await client.exchange(path, withExtraFields({ count }, extra), PULL_TIMEOUT_MS);
  if (exchange.kind === 'answered') return readPage(exchange.body, event);
  const page = heldIn(exchange.body, event.fields);
  if (exchange.isEmpty && page.length === 0) return { kind: 'page', page };
  const error = client.errorFor(exchange, {
    itemIndex: request.itemIndex,
    advice: {
      ...request.advice,
      ...pullAdvice(exchange, page, {
        plural: event.plural,
        count: 'count' in extra ? undefined : count,
        sizeField: request.sizeField,
      }),
    },
  });
  return { kind: kindOf(exchange, page), page, error, retryAfterMs: exchange.retryAfterMs };
}

function readPage(answer: unknown, event: EventDescription): Pulled {
  const page = recordsIn(answer, event.fields) ?? (saysEmpty(answer) ? [] : undefined);
  if (page) return { kind: 'page', page };
  return { kind: 'failed', page: [unreadable(answer)], error: notRecognised(answer, event) };
}

/** Whether an answer without records says in words that there are none. */
function saysEmpty(answer: unknown): boolean {
  return holdsNothing(answer) && meaningOfWords(wordsIn(answer)) === 'empty';
}

/** An answer that cannot be read is a failure, even if it also asks to slow down. */
function kindOf(exchange: Unanswered, page: unknown[]): PullAnswer['kind'] {
  if (exchange.kind === 'throttled' && !page.some(isUnreadable)) return 'throttled';
  if (refusesContent(exchange) && page.length === 0) return 'refused';
  return exchange.isTimeout ? 'late' : 'failed';
}

function notRecognised(answer: unknown, { plural }: EventDescription): UserError {
  return shapeError(
    answer,
    `a list of ${plural} under 'data'`,
    'The answer itself is handed over, as an item with the event "unreadable": it may hold records.',
  );
}

/** What was asked for, as the advice names it. */
interface Asked {
  /** The event, as in a sentence. */
  plural: string;
  /** Number of records asked for. Undefined if an extra field of the user sets it. */
  count?: number;
  /** Label of the field that sets it. */
  sizeField: string;
}

/**
 * What the user can do about a pull that failed.
 *
 * @param page the records that arrived nevertheless
 */
function pullAdvice(exchange: Unanswered, page: unknown[], asked: Asked): OperationAdvice {
  const outcome = page.length > 0 ? 'What the answer holds is handed over' : NOTHING;
  const isSuccess = exchange.code !== undefined && IS_SUCCESS;
  const advice = {
    nothing: outcome,
    refused: ifRefused(exchange, page, asked),
    // An account that was refused gets no records.
    ...(page.length > 0 ? { check: '' } : {}),
  };
  if (exchange.kind !== 'unclear') return advice;
  return {
    ...advice,
    unclear: isWhole(exchange, page) ? sentences(outcome, isSuccess) : ifUnclear(asked),
  };
}

const NOTHING = 'This request pulled nothing.';

/** A service whose code for success is not 0 seems to refuse everything. */
const IS_SUCCESS =
  "The code is not among those of success. If it belongs there, enter it in the credential: 'Custom Result Codes', 'Success Codes'";

/** Whether the answer is complete, and not a breakdown of the service. */
function isWhole({ body, httpStatus = 0 }: Unanswered, page: unknown[]): boolean {
  return typeof body === 'object' && (page.length > 0 || httpStatus < 300);
}

function ifRefused({ code }: Unanswered, page: unknown[], asked: Asked): string {
  if (page.length > 0) return sentences(code !== undefined && IS_SUCCESS);
  const { count = 1, plural, sizeField } = asked;
  return sentences(
    count > 1 &&
      `If the service gives out fewer than ${count} ${plural} at a time, lower '${sizeField}'`,
    code !== undefined &&
      "If the code says that there are none, enter it in the credential: 'Custom Result Codes', 'Empty Codes'",
  );
}

function ifUnclear({ count, plural }: Asked): string {
  const atMost = count === undefined ? '' : `, ${count} at most`;
  return `The service may have handed over ${plural} that did not arrive here${atMost}. Later ones are not affected.`;
}
