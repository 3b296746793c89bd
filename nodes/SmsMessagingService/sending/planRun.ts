import { sleep } from 'n8n-workflow';
import type { Batch, Recipient } from './outcome';
import type { ItemRequest, Plan, PlannedItem } from './plan';

/** Planning pauses after this time, so that the event loop can handle answers and other executions. */
const LONGEST_HOLD_MS = 20;

/**
 * Plans the items one after the other, and yields each request as soon as it is full.
 *
 * @param read reads what an item asks for. What it throws becomes the item's outcome.
 * @param recipientsOf the recipients of a planned item that are to be sent to
 */
export async function* planRun(
  plan: Plan,
  itemCount: number,
  read: (itemIndex: number) => ItemRequest,
  recipientsOf: (item: PlannedItem, itemIndex: number) => Recipient[],
): AsyncGenerator<Batch, void> {
  let begin = Date.now();
  for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
    const item = plan.addItem(() => read(itemIndex));
    for (const batch of plan.fill(item, recipientsOf(item, itemIndex))) {
      yield batch;
      begin = Date.now();
    }
    if (Date.now() - begin < LONGEST_HOLD_MS) continue;
    await sleep(0);
    begin = Date.now();
  }
  yield* plan.rest();
}

/** The recipients of an item for whom a message is planned. */
export function ownRecipients({ recipients, sameKeyAs }: PlannedItem): Recipient[] {
  return sameKeyAs === undefined ? recipients.filter(({ mergedInto }) => !mergedInto) : [];
}

/** All requests of a run at once. */
export async function collect(batches: AsyncIterable<Batch>): Promise<Batch[]> {
  const all: Batch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}
