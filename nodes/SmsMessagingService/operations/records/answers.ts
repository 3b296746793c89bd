import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject, ExactNumber } from '../../service/json';
import { findListEnvelope, readListEnvelope } from '../../service/listEnvelope';
import { unexpectedShape } from '../../service/shapes';

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
  const found = records.filter((record) => hasId(record, id));
  if (found.length > 0) return found;
  // The fields of a signature in a list are not shown, so its ID may have another name.
  const [only] = records;
  if (records.length === 1 && only && !('id' in only)) return [only];
  throw new UserError(`There is no ${noun} with the ID ${String(id)}`, {
    description: `Choose another ${noun}, or check the expression that gives the ID.`,
  });
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
  throw unexpectedShape(answer, "a record with an 'id'", MAY_BE_DONE);
}

/** Like `readChanged`, for an operation whose answer is not shown: accepts any object. */
export function readChangedLeniently(answer: unknown, id?: unknown): IDataObject[] {
  const record = recordIn(answer);
  return record !== undefined && !('list' in record) ? [record] : readChanged(answer, id);
}

/** The output of a deletion: `deleted: true`, as n8n wants, and the ID. The service answers `{}`. */
export function readDeleted(answer: unknown, id: unknown): IDataObject[] {
  if (isObject(answer)) {
    return [{ deleted: true, id: id instanceof ExactNumber ? String(id) : (id as number) }];
  }
  throw unexpectedShape(answer, 'an empty object', MAY_BE_DONE);
}

/** Compares as text, since IDs may come as text. Anything but a text or number is no ID. */
function hasId(record: IDataObject, id: unknown): boolean {
  return ['number', 'string'].includes(typeof record.id) && String(record.id) === String(id);
}

/** The object that stands for the record: the answer, or what is under its `data`. */
function recordIn(answer: unknown): IDataObject | undefined {
  if (!isObject(answer)) return undefined;
  return isObject(answer.data) ? answer.data : answer;
}
