import type { UserError } from 'n8n-workflow';
import type { Adaptation } from '../operations/endpoint';
import { refusesContent } from '../service/answer';
import type { ServiceClient } from '../service/client';
import { IF_ALL_ARE_REFUSED } from '../service/errors';
import type { OperationAdvice } from '../service/errors';
import { withExtraFields } from '../service/extraFields';
import type { Sighting } from '../service/newRecords';
import { sentences } from '../service/sentences';
import { unexpectedShape } from '../service/shapes';
import type { EventDescription } from './events';
import type { PageSize } from './pageSize';
import { holdsNothing, recordsIn, unreadable } from './recognise';
import type { RecordMemory } from './recordMemory';

export interface DrainOptions {
  /** Number of records to ask for in one request (`count`). */
  pageSize: PageSize;
  /** No page is asked for after this many new records. */
  maxRecords: number;
  /** Asked before every page. */
  goesOn: () => boolean;
  /** The field of the editor that sets the page size. */
  sizeField: string;
  /** Knows which records are old. The caller marks a page in it when its records are safe. */
  memory: RecordMemory;
  itemIndex?: number;
  /** Left out: the event's own path, without extra fields. */
  adaptation?: Adaptation;
  /** What the caller adds to the advice in errors. */
  advice?: OperationAdvice;
}

/** How long a pull waits for its answer. The records of an answer that comes later are lost. */
export const PULL_TIMEOUT_MS = 15_000;

/**
 * Pulls page by page and yields each page that has new records. A pull consumes what it returns, so the
 * next page is asked for only when the caller comes back: the records of this page are safe then.
 *
 * The drain ends with a page that is shorter than its page size and than the page before. So a service
 * that never fills a page is drained too; a short first page costs one more request. A page of old
 * records is not the end, because new ones may stand behind them. If the service shows the same page
 * again, it does not consume, and a larger page is asked for.
 *
 * @throws NodeApiError or UserError when a page cannot be pulled. The pages before it were yielded, and
 * so were the records that arrived of this one.
 */
export async function* drain(
  client: ServiceClient,
  event: EventDescription,
  { pageSize, maxRecords, goesOn, memory, ...request }: DrainOptions,
): AsyncGenerator<Sighting<unknown>, void> {
  let drained = 0;
  let lengthBefore = 0;
  const shown = new Set<string>();
  let isConsuming = true;
  let refusal: Error | undefined;
  while (drained < maxRecords && goesOn()) {
    const count = Math.min(pageSize.current, maxRecords - drained);
    const { page, failure, isTooMuch, isRefused } = await pullPage(client, event, count, request);
    const sighting = memory.look(page);
    const { fresh, counts } = sighting;
    if (isTooMuch) pageSize.halve();
    if (fresh.length > 0) yield sighting;
    refusal = isRefused ? (refusal ?? failure) : undefined;
    if (isRefused && pageSize.tryLess()) continue;
    if (failure) throw refusal ?? failure;
    pageSize.accept();
    const isAgain = !addAll(shown, counts.keys());
    if (page.length > 0 && fresh.length === 0) {
      isConsuming &&= !isAgain;
      if (isConsuming || (page.length === count && pageSize.lookFurther())) continue;
      return;
    }
    if (page.length < Math.min(count, lengthBefore) || page.length === 0) return;
    pageSize.keep();
    drained += fresh.length;
    lengthBefore = page.length;
  }
}

/** @returns whether one of them was new */
function addAll<T>(set: Set<T>, values: Iterable<T>): boolean {
  const before = set.size;
  for (const value of values) set.add(value);
  return set.size > before;
}

/** The records of a pull, and what went wrong with it. */
interface Pulled {
  page: unknown[];
  failure?: Error;
  /** The answer did not come in time. A smaller page might have. */
  isTooMuch?: boolean;
  /** The service refused, perhaps because of the page size. Nothing was consumed. */
  isRefused?: boolean;
}

type PullRequest = Pick<DrainOptions, 'sizeField' | 'itemIndex' | 'adaptation' | 'advice'>;

async function pullPage(
  client: ServiceClient,
  event: EventDescription,
  count: number,
  { sizeField, itemIndex, adaptation, advice }: PullRequest,
): Promise<Pulled> {
  const { plural } = event;
  const { path, extra } = adaptation ?? { path: event.path, extra: {} };
  const isCount = !('count' in extra);
  const exchange = await client.exchange(path, withExtraFields({ count }, extra), PULL_TIMEOUT_MS);
  const { body } = exchange;
  if (exchange.kind === 'answered') {
    const page = recordsIn(body, event);
    if (page) return { page };
    return { page: [unreadable(body)], failure: notRecognised(body, event) };
  }
  // A cut-off answer is text. A whole one may hold records beside the failure.
  const page = typeof body === 'string' ? [unreadable(body)] : recordsIn(body, event);
  if (exchange.isEmpty && !page?.length && holdsNothing(body)) return { page: [] };
  const isRefused = refusesContent(exchange) && !page?.length;
  const failure = client.errorFor(exchange, {
    itemIndex,
    advice: {
      ...advice,
      nothing: 'This request pulled nothing.',
      refused: sentences(
        isCount &&
          count > 1 &&
          `If the service gives out fewer than ${count} ${plural} at a time, lower '${sizeField}'`,
        exchange.code !== undefined &&
          "If the code says that there are none, enter it in the credential: 'Custom Result Codes', 'Empty Codes'",
        IF_ALL_ARE_REFUSED,
      ),
      unclear: `The service may have handed over ${plural} that did not arrive here${isCount ? `, ${count} at most` : ''}. Later ones are not affected.`,
    },
  });
  return { page: page ?? [], failure, isTooMuch: exchange.isTimeout, isRefused };
}

function notRecognised(answer: unknown, { plural }: EventDescription): UserError {
  return unexpectedShape(
    answer,
    `a list of ${plural} under 'data'`,
    'The answer itself is handed over, as an item with the event "unreadable": it may hold records.',
  );
}
