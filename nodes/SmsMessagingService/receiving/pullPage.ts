import { UserError } from 'n8n-workflow';
import type { Adaptation } from '../operations/endpoint';
import { adviceIn } from '../service/advice';
import type { Asked, Situation } from '../service/advice';
import type { Answered, Unanswered } from '../service/answer';
import { withExtraFields } from '../service/client';
import type { ServiceClient } from '../service/client';
import { readPull } from '../service/pull';
import type { PullContent } from '../service/pull';
import { CODE_LISTS, CUSTOM_CODES } from '../service/resultCodes';
import { sentences } from '../service/sentences';
import { unexpected } from '../service/shapes';
import type { EventDescription } from './events';

/* One pull: a request for records, what its answer means, and what the user can do if it failed. */

/**
 * What one pull gave. `tooFast`: the service asks to slow down, and may say for how many milliseconds.
 * `failed`: it gave no usable answer. Records may have come all the same. `emptyBy` tells the user of a refusal
 * that was taken for an empty queue because of its code: the default codes are guesses.
 */
export interface Pulled {
  kind: 'page' | 'tooFast' | 'failed';
  page: unknown[];
  /** Undefined for a page. */
  error?: Error;
  emptyBy?: string;
  retryAfterMs?: number;
}

export const TIMEOUT_DESCRIPTION =
  'Milliseconds to wait for an answer. The records of a later answer are lost.';

export interface PullRequest {
  sizeField: string;
  itemIndex?: number;
  timeoutMs: number;
  /** Left out: the event's own path, without extra fields. */
  adaptation?: Adaptation;
  task: 'pull' | 'trigger';
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
    timeoutMs: request.timeoutMs,
    purpose: 'pull',
  });
  const content = readPull(exchange, event.fields);
  const { kind, records: page } = content;
  const isClear = kind === 'records' || kind === 'nothing';
  const { plural } = event;
  const asked: Asked = {
    task: request.task,
    isMany: page.length === 0,
    arrived: kind === 'records' || kind === 'unreadable' ? kind : undefined,
    names: { plural, expected: `a list of ${plural} under 'data'`, sizeField: request.sizeField },
  };
  if (exchange.kind === 'answered') {
    return isClear
      ? { kind: 'page', page }
      : { kind: 'failed', page, error: notUnderstood(exchange, kind, asked) };
  }
  if (exchange.kind === 'empty' && kind === 'nothing') {
    return { kind: 'page', page, emptyBy: describeEmpty(exchange, event) };
  }
  const error = client.errorFor(exchange, { itemIndex: request.itemIndex, asked });
  const isTooFast = exchange.kind === 'throttled' && isClear;
  const { retryAfterMs } = exchange;
  return { kind: isTooFast ? 'tooFast' : 'failed', page, error, retryAfterMs };
}

function notUnderstood({ body, bytes }: Answered, kind: PullContent['kind'], asked: Asked): Error {
  const failed = (message: string, situation: Situation) =>
    new UserError(message, { description: adviceIn(situation, asked) });
  if (bytes !== undefined) {
    return failed("The service's answer has bytes that are not in its charset", 'notInCharset');
  }
  return failed(unexpected(body), kind === 'silent' ? 'silent' : 'unexpected');
}

function describeEmpty({ reason, code }: Unanswered, { plural }: EventDescription): string {
  return sentences(
    reason,
    `Code ${code} is among '${CODE_LISTS.empty.label}' of the credential, so no ${plural} are waiting`,
    `If it means something else, remove it there, under '${CUSTOM_CODES}'`,
  );
}

/** Says that an answer was repeated, so that records behind it cannot come. */
export function givenAgain(
  { plural }: EventDescription,
  records: number,
  sizeField: string,
): { message: string; description: string } {
  return {
    message: `The service gave the same ${records} ${plural} again`,
    description: `It does not take them out of its queue, or only late. To see what stands behind them, increase '${sizeField}'.`,
  };
}
