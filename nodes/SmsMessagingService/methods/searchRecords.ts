import { createHash } from 'node:crypto';
import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
} from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import type { RecordKind } from '../operations/records/kind';
import { requireId } from '../parameters/values';
import { refusesContent } from '../service/answer';
import { ServiceClient } from '../service/client';
import type { OperationAdvice } from '../service/errors';
import { textOf } from '../service/json';
import { tryPage } from '../service/pages';
import type { Page } from '../service/pages';
import { unexpectedShape } from '../service/shapes';

/** How the picker of one kind of record works. */
export interface Picker {
  kind: RecordKind;
  /**
   * The filters that search for a text. Several, where the text may mean several things: the first
   * search that finds something is shown.
   */
  searches: (text: string) => IDataObject[];
  /** What the user reads in the list, and in the field when the record is chosen. */
  label: (record: IDataObject) => string;
  /** Puts the records of a page in order, with what the labels need beside them. */
  arrange?: (
    records: IDataObject[],
    context: ILoadOptionsFunctions,
    client: ServiceClient,
  ) => Promise<IDataObject[]>;
  /** Replaces the usual advice when the service does not give the list. */
  advice?: OperationAdvice;
}

/** Records in one page of the list. The editor asks for the next page when the user scrolls. */
const PAGE_SIZE = 50;

/**
 * One page of a picker's list. The service searches and pages.
 *
 * @param text the content of the search field
 * @param paginationToken from the page before
 * @throws NodeApiError or NodeOperationError. The editor shows message and description in place of the
 * list. So an account without records is an error too; a search without result is not, because the
 * editor says so itself, and an error would remove the search field.
 */
export async function searchRecords(
  context: ILoadOptionsFunctions,
  { kind, searches, label, arrange, advice }: Picker,
  text = '',
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const wanted = text.trim();
  const alternatives = wanted === '' ? [{}] : [...searchById(kind, wanted), ...searches(wanted)];
  const position = readPosition(paginationToken);
  try {
    const client = await ServiceClient.create(context);
    const found = await firstFound(client, kind.list.endpoint.path, alternatives, position, advice);
    // The service gives its last page again and again.
    const first = firstOf(found);
    if (first !== undefined && first === position.first) return { results: [] };
    if (found.records.length === 0 && position.page === 1 && wanted === '') {
      throw inputError(context.getNode(), `This account has no ${kind.plural}`, {
        description:
          'Check that the credential is for the right account. If you know the ID of one, choose "By ID" and enter it.',
      });
    }
    const records = arrange ? await arrange(found.records, context, client) : found.records;
    return {
      results: choicesOf(records, label),
      paginationToken: tokenAfter(found, { ...position, first }),
    };
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}

/** Where in the list a page is. */
interface Position {
  /** Index of the search, among the alternatives. */
  search: number;
  page: number;
  pageSize: number;
  /** Number of records on the pages before. */
  seen: number;
  /** Number of records in the list, where a page before has told it. */
  total: number;
  /** Identifies the first record on the page before. */
  first?: string;
}

const START: Position = { search: 0, page: 1, pageSize: PAGE_SIZE, seen: 0, total: 0 };

function readPosition(paginationToken?: string): Position {
  return paginationToken === undefined ? { ...START } : (JSON.parse(paginationToken) as Position);
}

/**
 * After the last page comes page 0, where records are missing: pages may count from there.
 *
 * @param before the position of the page, with what identifies its first record
 */
function tokenAfter(
  { records, total, pageSize, nextPage }: Page,
  before: Position,
): string | undefined {
  const after = {
    ...before,
    pageSize,
    seen: before.seen + records.length,
    total: total ?? before.total,
  };
  const isMissing = before.page > 0 && after.seen < after.total;
  const page = nextPage ?? (isMissing ? 0 : undefined);
  return page === undefined ? undefined : JSON.stringify({ ...after, page });
}

function firstOf({ records: [first] }: Page): string | undefined {
  return first && createHash('sha256').update(JSON.stringify(first)).digest('base64url');
}

/** The page of the first search that finds something. Moves the position to that search. */
async function firstFound(
  client: ServiceClient,
  path: string,
  alternatives: IDataObject[],
  position: Position,
  advice?: OperationAdvice,
): Promise<Page> {
  const { page, pageSize } = position;
  for (;;) {
    const search = alternatives[position.search] ?? {};
    const found = await tryPage(client, path, search, { page, pageSize });
    const isNothing =
      found.kind === 'page'
        ? found.records.length === 0 || ignoresId(search, found)
        : // A service may refuse to look for an ID that it does not have.
          position.search === 0 && refusesContent(found);
    const hasOther = page === 1 && position.search + 1 < alternatives.length;
    if (!isNothing || !hasOther) {
      if (found.kind === 'page') return found;
      const isBehindLast = position.total > 0 && position.seen >= position.total;
      // A service may refuse a page after the last one.
      if (isBehindLast) return { kind: 'page', records: [], pageSize, isFull: false };
      throw client.errorFor(found, { advice });
    }
    position.search++;
  }
}

/** Whether a search by ID gave other records: the service does not search by ID. */
function ignoresId(search: IDataObject, { records }: Page): boolean {
  const [wanted] = Object.values(search).filter((value) => typeof value !== 'string');
  return wanted !== undefined && !records.some(({ id }) => textOf(id) === String(wanted));
}

/** A search by ID, where the text can be one. */
function searchById({ list: { idField = 'id' } }: RecordKind, text: string): IDataObject[] {
  return /^[1-9]\d{0,18}$/.test(text) ? [{ [idField]: requireId('ID', text) }] : [];
}

/** A record without an ID cannot be chosen. The others can. */
function choicesOf(records: IDataObject[], label: Picker['label']): INodeListSearchItems[] {
  const choices = records.flatMap((record) => {
    const { id } = record;
    const isId = typeof id === 'number' || (typeof id === 'string' && id !== '');
    // As text, like the ID that the user enters under "By ID".
    return isId ? [{ name: label(record), value: String(id) }] : [];
  });
  if (choices.length === 0 && records[0]) throw unexpectedShape(records[0], "records with an 'id'");
  return choices;
}
