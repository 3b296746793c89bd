import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { ExactNumber, isObject, textOf } from '../../service/json';
import { findListEnvelope, readListEnvelope } from '../../service/listEnvelope';
import { unexpectedShape } from '../../service/shapes';
import { hasCode, isDoubtful } from '../../service/statement';
import type { Endpoint } from '../endpoint';

/** What a user must know when a change was not refused but its answer cannot be read. */
const MAY_BE_DONE =
  'The service did not refuse, so look there before you repeat the operation: it may have been done.';

/**
 * The record with this ID in a list that was filtered by it.
 *
 * @throws UserError when there is none
 */
export function findById(answer: unknown, id: unknown, noun: string): IDataObject[] {
  const { records } = readListEnvelope(answer);
  const found = recordsWithId(records, id);
  if (found.length > 0) return found;
  if (records.length > 0) {
    throw new UserError(`The service gave other ${noun}s than the one with the ID ${String(id)}`, {
      description: `It seems to ignore the ID. Look for the ${noun} with 'Get Many', or check the ID.`,
    });
  }
  throw new UserError(`There is no ${noun} with the ID ${String(id)}`, {
    description: `Choose another ${noun}, or check the expression that gives the ID.`,
  });
}

/** The records with an ID, among those of a list that was filtered by it. */
export function recordsWithId(records: IDataObject[], id: unknown): IDataObject[] {
  const found = records.filter((record) => hasId(record, id));
  // The fields of a signature in a list are not shown, so its ID may have another name.
  const [only] = records;
  const isAlone = found.length === 0 && records.length === 1 && only && !('id' in only);
  return isAlone && mayHaveId(only, id) ? [only] : found;
}

/** Whether a record without `id` may have this ID: it has the ID under another name, or has none. */
function mayHaveId(record: IDataObject, id: unknown): boolean {
  const ids = Object.keys(record).filter((name) => OWN_ID.test(name));
  return ids.length === 0 || ids.some((name) => textOf(record[name]) === String(id));
}

const OWN_ID = /^(?:cert|qualification|sign|signature|template|lead)_id$/;

/** The record in the answer to a change, given its ID where it is known. */
export function readChange({ isDocumented }: Endpoint, answer: unknown, id?: unknown) {
  return isDocumented ? readChanged(answer, id) : readChangedLeniently(answer, id);
}

/**
 * The record in the answer to a change: bare (create signature, create lead) or in a list (update lead).
 *
 * @throws UserError for any other answer
 */
export function readChanged(answer: unknown, id?: unknown): IDataObject[] {
  const record = recordIn(answer);
  if (record?.id !== undefined) return [record];
  const records = findListEnvelope(answer)?.records ?? [];
  const changed = records.filter((entry) => hasId(entry, id));
  if (records.length > 0) return changed.length > 0 ? changed : records;
  // It was done, and an error would have n8n do it again.
  if (record && !('list' in record) && hasCode(answer)) return [record];
  throw unexpectedShape(answer, "a record with an 'id'", MAY_BE_DONE);
}

/** Like `readChanged`, for an operation whose answer is not shown: accepts any object. */
export function readChangedLeniently(answer: unknown, id?: unknown): IDataObject[] {
  const record = recordIn(answer);
  const isPlain = record !== undefined && !('list' in record) && !isDoubtful(answer);
  return isPlain ? [record] : readChanged(answer, id);
}

/** The output of a deletion: `deleted: true`, as n8n wants, and the ID. The service answers `{}`. */
export function readDeleted(answer: unknown, id: unknown): IDataObject[] {
  const isNothing = Array.isArray(answer) && answer.length === 0;
  if (isNothing || (isObject(answer) && !isDoubtful(answer))) {
    return [{ deleted: true, id: id instanceof ExactNumber ? String(id) : (id as number) }];
  }
  throw unexpectedShape(answer, 'an empty object', MAY_BE_DONE);
}

/** Compares as text, since IDs may come as text. Anything but a text or number is no ID. */
function hasId(record: IDataObject, id: unknown): boolean {
  return ['number', 'string'].includes(typeof record.id) && String(record.id) === String(id);
}

/** The object that stands for the record: the answer, or what is under its `data`, which may be the ID. */
function recordIn(answer: unknown): IDataObject | undefined {
  if (!isObject(answer)) return undefined;
  const { data } = answer;
  if (isObject(data)) return data;
  return /^\d+$/.test(textOf(data)) ? { ...answer, id: data } : answer;
}
