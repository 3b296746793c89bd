import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import type { Exchange } from '../../service/reading/answer';
import { isObject, textOf } from '../../service/json';
import { findList, requireList } from '../../service/reading/list';
import { idNamesOf, idOf, isId, namesRecord } from '../../service/reading/recordId';
import { insideSentence } from '../../service/sentences';
import { shapeError } from '../../service/reading/shapes';
import {
  isDoubtful,
  objectionIn,
  readStatement,
  saysDone,
  withoutArrays,
} from '../../service/reading/statement';
import { meaningOfWords } from '../../service/reading/words';
import type { Endpoint } from '../endpoint';
import type { Change, RecordId } from '../operation';
import type { RecordKind } from './kind';

/** What a user must know when a change was not refused but its answer cannot be read. */
const MAY_BE_DONE =
  'The service did not refuse, so look there before you repeat the operation: it may have been done.';

/** The exchange of a change, which is `unclear` if its answer says that the change was not done. */
export function weighChange(exchange: Exchange, change: Change): Exchange {
  if (exchange.kind !== 'answered') return exchange;
  const { body, codes } = exchange;
  const words = objectionIn(body, change, codes) ?? doubtIn(body, change);
  if (words === undefined) return exchange;
  const reason = `The service did not refuse, but its answer says otherwise: ${insideSentence(words)}`;
  return { kind: 'unclear', reason, ...readStatement(body), body, codes };
}

/** Words that may be a refusal, unless a record shows that the change was made. A deletion needs none. */
function doubtIn(answer: unknown, change: Change): string | undefined {
  const record = recordIn(answer) ?? {};
  const said = { ...record, ...withoutArrays(answer) };
  const shown = [record, ...(findList(answer)?.records ?? [])];
  const isShown = change !== 'deleted' && shown.some(namesRecord);
  if (isShown || !(isDoubtful(said) || namesNone(record))) return undefined;
  const { msg = '' } = readStatement(said);
  return msg === '' || meaningOfWords([msg]) === 'success' ? undefined : msg;
}

function namesNone(record: IDataObject): boolean {
  return 'id' in record && !isId(record.id);
}

/**
 * The record with this ID in a list that was filtered by it.
 *
 * @throws UserError when there is none
 */
export function findById(answer: unknown, id: unknown, kind: RecordKind): IDataObject[] {
  const { records } = requireList(answer);
  const { noun } = kind;
  const found = recordsWithId(records, id, kind);
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
export function recordsWithId(
  records: IDataObject[],
  id: unknown,
  kind: RecordKind,
): IDataObject[] {
  const found = records.filter((record) => idOf(record, kind.noun) === String(id));
  // The fields of a signature in a list are not shown, so it may have its ID nowhere.
  const isAlone = records.length === 1 && records.every((only) => !hasIdField(only, kind));
  return isAlone ? records : found;
}

function hasIdField(record: IDataObject, { noun }: RecordKind): boolean {
  return idNamesOf(noun).some((name) => Object.hasOwn(record, name));
}

/** What a change is about. */
interface Changed {
  kind: RecordKind;
  endpoint: Endpoint;
  /** Known before, unless the record was created. */
  id?: RecordId;
}

/**
 * The record in the answer to a change: bare (create signature, create lead) or in a list (update lead).
 * If the answer is not shown in the specification, any object is taken for the record.
 *
 * @throws UserError for any other answer
 */
export function readChanged(answer: unknown, { kind, endpoint, id }: Changed): IDataObject[] {
  const record = recordIn(answer, id);
  if (record && idOf(record, kind.noun) !== undefined) return [record];
  const bare = record && !('list' in record) ? [record] : [];
  // An ID that stands for none says that there is no record.
  const plain = endpoint.isDocumented ? [] : bare.filter((one) => !('id' in one));
  const records = findList(answer)?.records ?? [];
  const changed = records.filter((entry) => idOf(entry, kind.noun) === String(id));
  // If it was done, an error would have n8n do it again.
  const done = saysDone(answer) ? bare : [];
  const found = [plain, changed, records, done].find(({ length }) => length > 0);
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
 * The object that stands for the record: the answer, or what is under its `data` or `result`. `data` may be
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
