import type { Unanswered } from '../service/reading/answer';
import { IF_ALL_ARE_REFUSED } from '../service/errors';
import type { OperationAdvice } from '../service/errors';
import { sentences } from '../service/sentences';

interface Asked {
  /** The event, as in a sentence. */
  plural: string;
  /** Number of records that were asked for. Undefined if an extra field of the user sets it. */
  count?: number;
  /** Label of the field that sets the number of records. */
  sizeField: string;
}

/**
 * What the user can do about a pull that failed.
 *
 * @param page the records that arrived nevertheless
 */
export function pullAdvice(exchange: Unanswered, page: unknown[], asked: Asked): OperationAdvice {
  const outcome = page.length > 0 ? 'What the answer holds is handed over' : NOTHING;
  const isSuccess = exchange.code !== undefined && IS_SUCCESS;
  const advice = { nothing: outcome, refused: ifRefused(exchange, page, asked) };
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

/** Whether the answer is complete, and is no breakdown of the service. */
function isWhole({ body, httpStatus = 0 }: Unanswered, page: unknown[]): boolean {
  return typeof body === 'object' && (page.length > 0 || httpStatus < 300);
}

function ifRefused({ code }: Unanswered, page: unknown[], asked: Asked): string {
  if (page.length > 0) return sentences(code === undefined ? IF_ALL_ARE_REFUSED : IS_SUCCESS);
  const { count = 1, plural, sizeField } = asked;
  return sentences(
    count > 1 &&
      `If the service gives out fewer than ${count} ${plural} at a time, lower '${sizeField}'`,
    code !== undefined &&
      "If the code says that there are none, enter it in the credential: 'Custom Result Codes', 'Empty Codes'",
    IF_ALL_ARE_REFUSED,
  );
}

function ifUnclear({ count, plural }: Asked): string {
  const atMost = count === undefined ? '' : `, ${count} at most`;
  return `The service may have handed over ${plural} that did not arrive here${atMost}. Later ones are not affected.`;
}
