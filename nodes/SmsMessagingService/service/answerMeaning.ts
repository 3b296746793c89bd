import type { CodeMeaning, ResultCodes } from './resultCodes';
import { is2xx } from './statement';

/*
 * What an answer means. Its HTTP status and its `code` decide, and for a send whether it names a batch. The
 * words of the service, and fields that the specification does not have, say nothing here: no sentence of a
 * provider makes anything repeated, silent, successful or unclear. What a code means, the user sets in the
 * credential (`resultCodes.ts`). A request without an answer: `networkFailure.ts`.
 */

/**
 * - `done`: what was asked was done, if the shape of the answer fits;
 * - `refused`: the service said no, and did nothing;
 * - `empty`: to a pull, it said that nothing is waiting;
 * - `throttled`: it did nothing, and asks to wait;
 * - `unclear`: it may have done what was asked.
 */
export type AnswerMeaning = 'done' | 'refused' | 'empty' | 'throttled' | 'unclear';

export interface AnswerFacts {
  /** What the request is for: only a send can be paid twice, and only a pull can find nothing. */
  purpose: Purpose;
  status: number;
  code: CodeMeaning;
  others: ResultCodes['others'];
  showsBatch: boolean;
  isJson: boolean;
}

export type Purpose = 'send' | 'pull' | 'other';

/** A meaning, the sentence for the user, and when they apply. */
export type Row = readonly [
  means: AnswerMeaning,
  reason: string,
  applies: (facts: AnswerFacts) => boolean,
];

const REFUSED = 'The service rejected the request';
const UNSURE = 'The service does not say whether it did what was asked';
const BROKEN = 'The service could not complete the request';

const ROWS: readonly Row[] = [
  // First of all: what names a batch is not sent again, whatever stands beside it.
  ['unclear', 'The service did not accept the request, but names a batch or a count', contradicts],
  ['unclear', BROKEN, ({ status }) => [408, 409, 499].includes(status) || status >= 500],
  [
    'throttled',
    'The service asks to slow down',
    (is) => is.status === 429 || is.code === 'throttled',
  ],
  ['unclear', UNSURE, (is) => is.code === 'unclear'],
  ['unclear', UNSURE, (is) => is.code === 'success' && !is2xx(is.status)],
  ['unclear', UNSURE, (is) => is.code === 'other' && is.others === 'unclear' && is2xx(is.status)],
  [
    'empty',
    REFUSED,
    (is) => is.code === 'empty' && is.purpose === 'pull' && (is2xx(is.status) || saysNo(is)),
  ],
  ['refused', 'The service does not know this address', ({ status }) => status === 404],
  ['refused', REFUSED, saysNo],
  ['unclear', UNSURE, (is) => !is2xx(is.status)],
  ['unclear', 'The answer of the service is not a JSON object', ({ isJson }) => !isJson],
  ['done', '', ({ code }) => code === 'success' || code === 'none'],
  // A code of Empty to anything but a pull, and any other code.
  ['refused', REFUSED, () => true],
];

export function meaningOf(facts: AnswerFacts): Row {
  return ROWS.find(([, , applies]) => applies(facts)) as Row;
}

/** 4xx, or the operation has another address (RFC 9110, section 15.4), so nothing was done at this one. */
function saysNo({ status }: AnswerFacts): boolean {
  return (status >= 400 && status < 500) || [301, 307, 308].includes(status);
}

function contradicts(is: AnswerFacts): boolean {
  const isAccepted = is2xx(is.status) && (is.code === 'success' || is.code === 'none');
  return is.purpose === 'send' && is.showsBatch && !isAccepted;
}
