import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject, textOf } from '../json';
import { insideSentence } from '../sentences';
import type { Exchange } from './answer';
import { findList, requireList } from './list';
import { idNamesOf, idOf, isId, namesRecord } from './recordId';
import { shapeError } from './shapes';
import { isDoubtful, objectionIn, readStatement, saysDone, withoutArrays } from './statement';
import { meaningOfWords } from './words';

/** The ID of a record. One that is too long for JavaScript is text. */
export type RecordId = number | string;

/** What an operation does to a record. An answer may say in a field of this name whether it was done. */
export type Change = 'created' | 'updated' | 'deleted';

/** What a user must know if a change was not refused, but its answer cannot be read. */
const MAY_BE_DONE =
  'The service did not refuse, so look there before you repeat the operation: it may have been done.';

/** Returns the exchange of a change, as `unclear` if its answer says that the change was not done. */
export function weighChange(exchange: Exchange, change: Change): Exchange {
  if (exchange.kind !== 'answered') return exchange;
  const { body, codes } = exchange;
  const words = objectionIn(body, change, codes) ?? doubtIn(body, change);
  if (words === undefined) return exchange;
  const reason = `The service did not refuse, but its answer says otherwise: ${insideSentence(words)}`;
  return { kind: 'unclear', reason, ...readStatement(body), body, codes };
}

/** Words that may be a refusal, unless a record shows that the change was made. A deletion needs no record. */
function doubtIn(answer: unknown, change: Change): string | undefined {
  const record = recordIn(answer) ?? {};
  const said = { ...record, ...withoutArrays(answer) };
  const { msg } = readStatement(said);
  const isShown = change !== 'deleted' && [record, ...listedIn(answer)].some(namesRecord);
  if (msg === undefined || isShown || meaningOfWords([msg]) === 'success') return undefined;
  const namesNone = 'id' in record && !isId(record.id);
  return namesNone || isDoubtful(said) ? msg : undefined;
}

function listedIn(answer: unknown): IDataObject[] {
  return findList(answer)?.records ?? [];
}

/**
 * The record with this ID in a list that was filtered by it.
 *
 * @param noun what the record is, such as "template"
 * @throws UserError if there is none
 */
export function requireById(answer: unknown, id: unknown, noun: string): IDataObject[] {
  const { records } = requireList(answer);
  const found = recordsWithId(records, id, noun);
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
export function recordsWithId(records: IDataObject[], id: unknown, noun: string): IDataObject[] {
  const hasIdField = (record: IDataObject) =>
    idNamesOf(noun).some((name) => Object.hasOwn(record, name));
  // The specification does not show the fields of a signature in a list, so it may have no ID.
  if (records.length === 1 && !records.some(hasIdField)) return records;
  return records.filter((record) => idOf(record, noun) === String(id));
}

/** What a change is about. */
interface Changed {
  /** Such as "template". */
  noun: string;
  /** Whether the specification shows the answer. */
  isDocumented: boolean;
  /** Known before, unless the record was created. */
  id?: RecordId;
}

/**
 * The record in the answer to a change: bare (create signature, create lead) or in a list (update lead).
 * If the specification does not show the answer, any object counts as the record.
 *
 * @throws UserError for any other answer
 */
export function readChanged(answer: unknown, { noun, isDocumented, id }: Changed): IDataObject[] {
  const record = recordIn(answer, id);
  const records = listedIn(answer);
  const alone = record ? [record] : [];
  const bare = alone.filter((one) => !('list' in one));
  const readings = [
    alone.filter((one) => idOf(one, noun) !== undefined),
    // An `id` that is not an ID says that there is no record.
    isDocumented ? [] : bare.filter((one) => !('id' in one)),
    records.filter((one) => idOf(one, noun) === String(id)),
    records,
    // An error would make n8n repeat a change that was done.
    saysDone(answer) ? bare : [],
  ];
  const found = readings.find(({ length }) => length > 0);
  if (found) return found;
  throw shapeError(answer, "a record with an 'id'", MAY_BE_DONE);
}

/** The output of a deletion: `deleted: true`, as n8n wants, and the ID. The service answers `{}`. */
export function readDeleted(answer: unknown, id: RecordId | undefined): IDataObject[] {
  const isNothing = Array.isArray(answer) && answer.length === 0;
  if (isNothing || withoutArrays(answer)) return [{ deleted: true, id }];
  throw shapeError(answer, 'an empty object', MAY_BE_DONE);
}

/**
 * The object that may be the record: the answer, or what is under its `data` or `result`. `data` may be
 * the ID of a record that was created. After another change, any other number there counts the rows.
 */
function recordIn(answer: unknown, id?: RecordId): IDataObject | undefined {
  const body = withoutArrays(answer);
  if (body === undefined) return undefined;
  const { data } = body;
  const inner = [data, body.result].find(isObject);
  if (inner !== undefined) return inner;
  const number = textOf(data);
  const isItsId = /^[1-9]\d*$/.test(number) && number === String(id ?? number);
  return isItsId ? { ...body, id: data } : body;
}
