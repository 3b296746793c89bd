import type { IDataObject } from 'n8n-workflow';
import { isObject } from './json';
import { findList } from './list';
import { idOf } from './recordId';
import { shapeError } from './shapes';
import { hasCode } from './statement';

/** The ID of a record. One that is too long for JavaScript is text. */
export type RecordId = number | string;

/**
 * The record in the answer to a change: bare (create signature, create lead) or in a list (update lead).
 * Where the specification does not show the answer, any object is the record, also one with a code of success.
 *
 * @param id known before, unless the record was created
 * @param isDocumented whether the specification shows the answer
 * @throws UserError for any other answer
 */
export function readChanged(
  answer: unknown,
  id: RecordId | undefined,
  isDocumented: boolean,
): IDataObject[] {
  const records = findList(answer)?.records ?? [];
  const isNamed = records.some((record) => idOf(record) !== undefined);
  const own = records.filter((each) => !isNamed || id === undefined || idOf(each) === String(id));
  if (own.length > 0) return own;
  const record = isObject(answer) && isObject(answer.data) ? answer.data : answer;
  const hasId = idOf(Object(record) as IDataObject) !== undefined;
  const isEnough = !isDocumented || hasCode(answer) || hasId;
  if (records.length === 0 && isObject(record) && isEnough) return [record];
  throw shapeError(answer, 'updated', "a record with an 'id'");
}

/**
 * The output of a deletion: `deleted: true`, as n8n wants, and the ID. It is done by `{}`, as the
 * specification shows, or by a code of success.
 *
 * @throws UserError for any other answer
 */
export function readDeleted(answer: unknown, id: RecordId | undefined): IDataObject[] {
  const hasNoFields = typeof answer === 'object' && Object.keys(answer ?? {}).length === 0;
  if (hasNoFields || hasCode(answer)) return [{ deleted: true, id }];
  throw shapeError(answer, 'deleted', 'an empty object');
}
