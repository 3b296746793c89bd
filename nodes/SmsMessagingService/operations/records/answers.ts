import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../../service/answer';
import { readPage } from '../../service/pages';
import { unexpectedShape } from '../../service/shapes';

/** How the answers of the management operations become records. */

/** When a change was not refused, but the answer cannot be read. */
const MAY_BE_DONE =
  'The service did not refuse, so look there before you repeat the operation: it may have been done.';

/**
 * The record with this id from a list that was filtered by it.
 *
 * @throws UserError when there is none
 */
export function findById(answer: unknown, id: unknown, noun: string): IDataObject[] {
  const { records } = readPage(answer);
  const found = records.filter((record) => hasId(record, id));
  if (found.length > 0) return found;
  // Which fields a signature has in a list is not shown (§2.5), so it may be without this one.
  const [only] = records;
  if (records.length === 1 && only && !('id' in only)) return [only];
  throw new UserError(`There is no ${noun} with the ID ${String(id)}`, {
    description: `Choose another ${noun}, or check the expression that gives the ID.`,
  });
}

/** The record that a change answers with: bare (§4.6, §4.12), or in a page (§4.13). */
export function readChanged(answer: unknown, id?: unknown): IDataObject[] {
  const record = recordIn(answer);
  if (record?.id !== undefined) return [record];
  const records = pageIn(answer);
  const changed = records.filter((entry) => hasId(entry, id));
  if (records.length > 0) return changed.length > 0 ? changed : records;
  throw unexpectedShape(answer, "a record with an 'id'", MAY_BE_DONE);
}

/** As `readChanged`, for an operation whose answer is not shown (§4.14): any object will do. */
export function readInferredChange(answer: unknown, id?: unknown): IDataObject[] {
  const record = recordIn(answer);
  return record !== undefined && !('list' in record) ? [record] : readChanged(answer, id);
}

/** What n8n's guidelines want of a deletion, and which record it was. The answer is `{}` (§4.8). */
export function readDeleted(answer: unknown, id: unknown): IDataObject[] {
  if (isObject(answer)) return [{ deleted: true, id } as IDataObject];
  throw unexpectedShape(answer, 'an empty object', MAY_BE_DONE);
}

/** Ids may come as text. Anything else is none, and may not even become text. */
function hasId(record: IDataObject, id: unknown): boolean {
  return ['number', 'string'].includes(typeof record.id) && String(record.id) === String(id);
}

/** The object that stands for the record: the answer, or what is under its `data`. */
function recordIn(answer: unknown): IDataObject | undefined {
  if (!isObject(answer)) return undefined;
  return isObject(answer.data) ? answer.data : answer;
}

function pageIn(answer: unknown): IDataObject[] {
  try {
    return readPage(answer).records;
  } catch {
    return [];
  }
}
