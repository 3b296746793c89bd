import type { UserError } from 'n8n-workflow';
import { refusesContent } from '../service/answer';
import type { ServiceClient } from '../service/client';
import { unexpectedShape } from '../service/shapes';
import type { EventDescription } from './events';
import type { RecordMemory, Sighting } from './recordMemory';
import type { PageSize } from './pageSize';
import { recordsIn, unreadable } from './recognise';

export interface DrainOptions {
  /** Records to ask for in one request: `count` of §4.4 and §4.5. */
  pageSize: PageSize;
  /** No page is asked for after this many records. */
  maxRecords: number;
  /** Asked before every page. */
  goesOn: () => boolean;
  /** Knows what is old. Whoever gets a page marks in it what is safe. */
  memory: RecordMemory;
  itemIndex?: number;
}

/** How long one pull may take. Generous: records whose answer is given up on are lost. */
export const PULL_TIMEOUT_MS = 15_000;

/**
 * Pulls page by page and yields each page that has new records. The next page is asked for only when
 * the caller comes back for it, that is, when it has put the records of this one in safety: a pull
 * consumes what it returns.
 *
 * The drain ends with a page that is shorter than both what was asked for and the page before. So a
 * service that never hands out as many as it is asked for is drained too, at the price of one request
 * that finds nothing after a first page that was short. A page of old records is not the end: new ones
 * may stand behind them. Where the service does not consume, and so shows the same page again, they
 * are had by asking for more.
 *
 * @throws NodeApiError or UserError when a page cannot be had; the pages before it have been yielded,
 * and what arrived of this one, too
 */
export async function* drain(
  client: ServiceClient,
  event: EventDescription,
  { pageSize, maxRecords, goesOn, memory, itemIndex }: DrainOptions,
): AsyncGenerator<Sighting, void> {
  let drained = 0;
  let lengthBefore = 0;
  const shown = new Set<string>();
  let isConsuming = true;
  let refusal: Error | undefined;
  while (drained < maxRecords && goesOn()) {
    const count = Math.min(pageSize.current, maxRecords - drained);
    const { page, failure, isTooMuch, isRefused } = await pullPage(client, event, count, itemIndex);
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

/** What a pull brought, and what went wrong with it. */
interface Pulled {
  page: unknown[];
  failure?: Error;
  /** Fewer might have come in time. */
  isTooMuch?: boolean;
  /** The service gave nothing away; it may be for the number that was asked for. */
  isRefused?: boolean;
}

async function pullPage(
  client: ServiceClient,
  event: EventDescription,
  count: number,
  itemIndex?: number,
): Promise<Pulled> {
  const { path, plural } = event;
  const exchange = await client.exchange(path, { count }, PULL_TIMEOUT_MS);
  const { body } = exchange;
  if (exchange.kind === 'answered') {
    const page = recordsIn(body, event);
    if (page) return { page };
    return { page: [unreadable(body)], failure: notRecognised(body, event) };
  }
  const failure = client.errorFor(exchange, {
    itemIndex,
    advice: {
      unclear: `The service may have handed over up to ${count} ${plural} that did not arrive here. Later ones are not affected.`,
    },
  });
  // Half of an answer is text; a whole one may hold records beside what went wrong.
  const page = typeof body === 'string' ? [unreadable(body)] : recordsIn(body, event);
  const isRefused = refusesContent(exchange) && !page?.length;
  return { page: page ?? [], failure, isTooMuch: exchange.isTimeout, isRefused };
}

function notRecognised(answer: unknown, { plural }: EventDescription): UserError {
  return unexpectedShape(
    answer,
    `a list of ${plural} under 'data'`,
    'The answer itself is handed over, as an item with the event "unreadable": it may hold records.',
  );
}
