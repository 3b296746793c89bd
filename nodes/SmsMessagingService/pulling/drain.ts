import { isObject } from '../shared/answer';
import type { ServiceClient } from '../shared/client';
import { unexpectedShape } from '../shared/shapes';
import type { EventDescription } from './events';
import type { RecordMemory } from './memory';

export interface DrainOptions {
  /** Records to ask for in one request: `count` of §4.4 and §4.5. */
  pageSize: number;
  /** No page is asked for after this many records. */
  maxRecords: number;
  /** Asked before every page. */
  goesOn: () => boolean;
  memory: RecordMemory;
  itemIndex?: number;
}

/** How long one pull may take. Generous: records whose answer is given up on are lost. */
export const PULL_TIMEOUT_MS = 15_000;

/**
 * Pulls page by page and yields the new records of each page. The next page is asked for only when
 * the caller comes back for it, that is, when it has put the records of this one in safety: a pull
 * consumes what it returns.
 *
 * The drain ends with a page that brings nothing new, or that is shorter than both what was asked for
 * and the page before. So a service that never hands out as many as it is asked for is drained too,
 * at the price of one request that finds nothing after a first page that was short.
 *
 * @throws NodeApiError or UserError when a page cannot be had; the pages before it have been yielded
 */
export async function* drain(
  client: ServiceClient,
  event: EventDescription,
  { pageSize, maxRecords, goesOn, memory, itemIndex }: DrainOptions,
): AsyncGenerator<unknown[], void> {
  let drained = 0;
  let lengthBefore = 0;
  while (drained < maxRecords && goesOn()) {
    const count = Math.min(pageSize, maxRecords - drained);
    const page = await pullPage(client, event, count, itemIndex);
    const fresh = memory.takeNew(page);
    if (fresh.length > 0) yield fresh;
    if (fresh.length === 0 || page.length < Math.min(count, lengthBefore)) return;
    drained += fresh.length;
    lengthBefore = page.length;
  }
}

async function pullPage(
  client: ServiceClient,
  { path, plural }: EventDescription,
  count: number,
  itemIndex?: number,
): Promise<unknown[]> {
  const answer = await client.request(
    path,
    { count },
    {
      itemIndex,
      timeoutMs: PULL_TIMEOUT_MS,
      advice: {
        unclear: `The service may have handed over up to ${count} ${plural} that did not arrive here. Later ones are not affected.`,
      },
    },
  );
  if (isObject(answer)) {
    // Some services write null for an empty list.
    if (Array.isArray(answer.data)) return answer.data;
    if (answer.data === null) return [];
  }
  throw unexpectedShape(answer, `a list of ${plural} under 'data'`);
}
