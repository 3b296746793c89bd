import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
} from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import type { RecordKind } from '../operations/operation';
import { requireId } from '../parameters/values';
import { ServiceClient } from '../service/client';
import type { OperationAdvice } from '../service/errors';
import { askPage, MAX_PAGES, pageError } from '../service/pages';
import type { Page, PageFailure } from '../service/pages';
import { idOf } from '../service/recordId';
import { shapeError } from '../service/shapes';

/** How the picker of one kind of record works. */
export interface Picker {
  kind: RecordKind;
  /** Returns the filters that search for a text. The list shows what each of them finds. */
  searches: (text: string) => IDataObject[];
  /** Returns what the user reads in the list, and in the field after the record is chosen. */
  label: (record: IDataObject) => string;
  /** Sorts the records that are shown at once. */
  arrange?: (records: IDataObject[], context: ILoadOptionsFunctions) => IDataObject[];
  /** Replaces the usual advice if the service does not return the list. */
  advice?: OperationAdvice;
}

/**
 * Returns one page of a picker's list. The service searches and pages; the editor asks for the next page when
 * the user scrolls.
 *
 * @param text the content of the search field
 * @param paginationToken from the previous page
 * @throws NodeApiError or NodeOperationError, also if the account has no records: the editor shows message
 * and description instead of the list. A search without results is not an error: the editor says so
 * itself, and an error would remove the search field.
 */
export async function searchRecords(
  context: ILoadOptionsFunctions,
  picker: Picker,
  text = '',
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const wanted = text.trim();
  const { plural } = picker.kind;
  try {
    const client = await ServiceClient.create(context);
    const searches = searchesFor(picker, wanted);
    const { records, next } = await readPage(client, picker, searches, readToken(paginationToken));
    if (records.length === 0 && wanted === '' && paginationToken === undefined) {
      throw inputError(context.getNode(), `This account has no ${plural}`, {
        description:
          'Check that the credential is for the right account. If you know the ID of one, choose "By ID" and enter it.',
      });
    }
    const arranged = picker.arrange?.(records, context) ?? records;
    return {
      results: choicesOf(arranged, picker),
      paginationToken: next && `${next.search}:${next.page}:${next.shown}`,
    };
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}

/** A place in the results. The editor keeps it, as the pagination token. */
interface Place {
  /** Index of the search, among those for the text. */
  search: number;
  page: number;
  /** Number of records on the pages of this search before. */
  shown: number;
}

function readToken(paginationToken = '0:1:0'): Place {
  const [search = 0, page = 1, shown = 0] = paginationToken.split(':').map(Number);
  return { search, page, shown };
}

/** One search for the text. */
interface RecordSearch {
  filters: IDataObject;
  /** The ID that is searched for. */
  id?: string;
}

/** First a search by ID, if the text can be one. */
function searchesFor({ kind, searches }: Picker, text: string): RecordSearch[] {
  const { idField = 'id' } = kind.list;
  const isId = /^[1-9]\d{0,18}$/.test(text);
  const byId = isId ? [{ filters: { [idField]: requireId('ID', text) }, id: text }] : [];
  const byText = text === '' ? [{}] : searches(text);
  return [...byId, ...byText.map((filters) => ({ filters }))];
}

/**
 * Reads one page of a search. If that search ends there, the next one follows at once: a list that is too
 * short to scroll never asks for more.
 *
 * @throws NodeApiError or UserError if there is nothing to show because a page did not come. A refusal of a
 * first page is none if another search has an answer: a service may refuse some filters
 */
async function readPage(
  client: ServiceClient,
  { kind, advice }: Picker,
  searches: RecordSearch[],
  start: Place,
): Promise<{ records: IDataObject[]; next?: Place }> {
  const records: IDataObject[] = [];
  const refusals: PageFailure[] = [];
  let { page, shown } = start;
  for (const [search, wanted] of [...searches.entries()].slice(start.search)) {
    const answer = await askSearch(client, kind, wanted, page);
    if (answer.kind === 'page') {
      records.push(...answer.records);
      shown += answer.records.length;
      if (hasMore(answer, page, shown)) {
        return { records, next: { search, page: page + 1, shown } };
      }
      // A record with this ID is shown alone.
      if (wanted.id !== undefined && records.length > 0) break;
    } else if (answer.isRefusal && page === 1) {
      refusals.push(answer);
    } else {
      // The editor meets the failure when it asks for more.
      if (records.length > 0) return { records, next: { search, page, shown } };
      throw pageError(client, answer, { advice });
    }
    [page, shown] = [1, 0];
  }
  const [refusal] = refusals;
  if (refusal && refusals.length === searches.length) throw pageError(client, refusal, { advice });
  return { records };
}

/** One page of a search. A service that cannot search by ID gives other records, which are left out. */
async function askSearch(
  client: ServiceClient,
  { noun, list }: RecordKind,
  { filters, id }: RecordSearch,
  page: number,
): Promise<Page | PageFailure> {
  const answer = await askPage({ client, path: list.endpoint.path, filters }, page);
  if (answer.kind === 'failed' || id === undefined) return answer;
  const records = answer.records.filter((record) => idOf(record, noun) === id);
  return { kind: 'page', records, isFull: false };
}

/**
 * Whether the list goes on after a page. The total ends it, because records that come twice are not known
 * here.
 *
 * @param shown number of records up to this page
 */
function hasMore({ records, total, isFull }: Page, page: number, shown: number): boolean {
  if (records.length === 0 || page >= MAX_PAGES) return false;
  return total === undefined ? isFull : total > shown;
}

/** Each record once. One without an ID cannot be chosen. The others can. */
function choicesOf(records: IDataObject[], { kind, label }: Picker): INodeListSearchItems[] {
  const choices = new Map<string, INodeListSearchItems>();
  for (const record of records) {
    const id = idOf(record, kind.noun);
    // As text, like the ID that the user enters under "By ID".
    if (id !== undefined) choices.set(id, { name: label({ ...record, id }), value: id });
  }
  if (choices.size === 0 && records[0]) throw shapeError(records[0], "records with an 'id'");
  return [...choices.values()];
}
