import type { IDataObject } from 'n8n-workflow';
import { isObject, readDigits, textOf } from './json';
import { outerObject, STATEMENT_FIELDS } from './statement';

/** What the answer to a send says about its messages (the specification, section 2.1), in the names of the output. */
export interface MessageBatch {
  /** As text. Undefined if there is none, or one that is not a text or number. */
  batch_id?: string;
  /** Number of messages that the service accepted. Undefined if it gives none. */
  batch_count?: number;
  /** Its other fields, if they say something. Those under `data` stand beside those at the top. */
  answer?: IDataObject;
}

/** Reads `batch_id`, `count` and the rest: at the top, as the specification shows, or under `data`. */
export function readBatch(answer: unknown): MessageBatch {
  const outer = outerObject(answer);
  const places = [outer, outer?.data].filter(isObject);
  const [batch] = places.map(({ batch_id: id }) => id).filter(isFilled);
  const [count] = places.flatMap((place) => readDigits(place.count) ?? []);
  return { batch_id: textOf(batch) || undefined, batch_count: count, answer: othersIn(places) };
}

/** In characters of JSON. Each request has an answer, and n8n saves it with the execution. */
export const MAX_OTHERS_LENGTH = 2_000;

/** What says nothing, as JSON. */
const NOTHING = ['null', '""', '[]', '{}'];

/** The other fields, as far as there is room. `left_out` is the number of those that are too long. */
function othersIn([outer = {}, data = {}]: IDataObject[]): IDataObject | undefined {
  const others: [string, unknown][] = [];
  let room = MAX_OTHERS_LENGTH;
  let leftOut = 0;
  const beside = Object.entries(outer).filter((field) => !isStatement(field, outer));
  for (const [name, value] of [...beside, ...Object.entries(data)]) {
    const json = JSON.stringify(value);
    const isBatch = name === 'batch_id' || name === 'count';
    if ((isBatch && typeof value !== 'object') || NOTHING.includes(json)) continue;
    const { length } = name + json;
    if (length > room) leftOut += 1;
    else {
      others.push([name, value]);
      room -= length;
    }
  }
  if (leftOut > 0) others.push(['left_out', leftOut]);
  return others.length > 0 ? (Object.fromEntries(others) as IDataObject) : undefined;
}

/** Whether a field has a name of its own in the output, is no news, or holds the others. */
function isStatement([name, value]: [string, unknown], { msg }: IDataObject): boolean {
  if (name === 'data') return isObject(value);
  // What is no text is not shown as words.
  if (['msg', 'message'].includes(name) && typeof value !== 'string') return false;
  return name === 'message' ? textOf(msg) === '' : [...STATEMENT_FIELDS, 'tp'].includes(name);
}

/** Whether an answer names a batch or a count. Under `data` there may be a list of batches. */
export function showsBatch(answer: unknown): boolean {
  const outer = outerObject(answer);
  return [outer, outer?.data]
    .flat()
    .filter(isObject)
    .some(({ batch_id: batchId, count }) => isFilled(batchId) || (readDigits(count) ?? 0) > 0);
}

/** Services write an ID that they do not have as null, an empty text or 0. */
function isFilled(id: unknown): boolean {
  if (typeof id === 'object' && id !== null) return Object.keys(id).length > 0;
  return id !== 0 && id !== false && textOf(id) !== '';
}
