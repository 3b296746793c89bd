import type { IDataObject } from 'n8n-workflow';
import { isObject, readCount, textOf } from './json';
import { outerObject } from './statement';

/** What the answer to a send says about its messages (the specification, section 2.1). */
export interface MessageBatch {
  /** ID of the batch, as text. Undefined if there is none, or one that is not a text or number. */
  id?: string;
  /** Number of messages that the service accepted. Undefined if it gives none. */
  count?: number;
}

/** Reads `batch_id` and `count`: at the top, as the specification shows, or under `data`. */
export function readBatch(answer: unknown): MessageBatch {
  const places = placesIn(answer);
  const [batch] = places.map(({ batch_id: id }) => id).filter(isFilled);
  const [count] = places.flatMap((place) => readCount(place.count) ?? []);
  return { id: textOf(batch) || undefined, count };
}

/** Whether an answer names a batch, or says that messages were accepted. */
export function showsBatch(answer: unknown): boolean {
  return placesIn(answer).some(
    ({ batch_id: batchId, count }) => isFilled(batchId) || (readCount(count) ?? 0) > 0,
  );
}

function placesIn(answer: unknown): IDataObject[] {
  const outer = outerObject(answer);
  return [outer, outer?.data].filter(isObject);
}

/** Services write an ID that they do not have as null, an empty text or 0. */
function isFilled(id: unknown): boolean {
  if (typeof id === 'object' && id !== null) return Object.keys(id).length > 0;
  return id !== 0 && id !== false && textOf(id) !== '';
}
