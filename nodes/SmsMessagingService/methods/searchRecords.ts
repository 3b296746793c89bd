import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
  NodeApiError,
} from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import type { RecordKind } from '../operations/operation';
import { requireId } from '../parameters/values';
import { ServiceClient } from '../service/client';
import { afterPage, askPage, MAX_PAGES, START } from '../service/pages';
import type { Page, Position } from '../service/pages';
import { idOf } from '../service/recordId';
import { shapeError } from '../service/shapes';

export interface Picker {
  kind: RecordKind;
  searches: (text: string) => IDataObject[];
  label: (record: IDataObject, context: ILoadOptionsFunctions) => string;
  arrange?: (records: IDataObject[], context: ILoadOptionsFunctions) => IDataObject[];
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
  try {
    const client = await ServiceClient.create(context);
    const searches = searchesFor(picker, wanted);
    const start = paginationToken
      ? (JSON.parse(paginationToken) as Place)
      : { ...START, search: 0 };
    const { records, next } = await readPage(client, picker, searches, start);
    if (records.length === 0 && wanted === '' && paginationToken === undefined) {
      throw inputError(context.getNode(), `This account has no ${picker.kind.noun}s`, {
        description:
          'Check that the credential is for the right account. If you know the ID of one, choose "By ID" and enter it.',
      });
    }
    const arranged = picker.arrange?.(records, context) ?? records;
    return {
      results: choicesOf(arranged, picker, context),
      paginationToken: next && JSON.stringify(next),
    };
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}

/** A place in the results. The editor keeps it, as the pagination token. */
interface Place extends Position {
  readonly search: number;
  /** The last ID on the page before. */
  readonly last?: string;
}

interface RecordSearch {
  filters: IDataObject;
  id?: string;
}

/** First a search by ID, if the text can be one. */
function searchesFor({ kind, searches }: Picker, text: string): RecordSearch[] {
  const { idField = 'id' } = kind.list;
  const byId = /^[1-9]\d{0,18}$/.test(text)
    ? [{ filters: { [idField]: requireId('ID', text) }, id: text }]
    : [];
  const byText = text === '' ? [{}] : searches(text);
  return [...byId, ...byText.map((filters) => ({ filters }))];
}

/**
 * Reads one page of a search. If that search ends there, the next one follows at once: a list that is too
 * short to scroll never asks for more.
 *
 * @returns without `next` at the end of the results
 * @throws NodeApiError or UserError if a page does not come. A service may refuse some filters, so a refused
 * first page counts only if every search is refused
 */
async function readPage(
  client: ServiceClient,
  picker: Picker,
  searches: RecordSearch[],
  start: Place,
): Promise<{ records: IDataObject[]; next?: Place }> {
  const records: IDataObject[] = [];
  const refusals: NodeApiError[] = [];
  for (const [search, wanted] of searches.entries()) {
    if (search < start.search) continue;
    const at = search === start.search ? start : { ...START, search };
    const page = await askSearch(client, picker, wanted, at).catch((error: NodeApiError) => {
      if (at.page > 1 || error.failure) throw error;
      refusals.push(error);
    });
    if (!page) continue;
    records.push(...page.records);
    const next = placeAfter(at, page);
    // A record with the ID that is searched for is shown alone.
    if (next || (wanted.id !== undefined && records.length > 0)) return { records, next };
  }
  const [refusal] = refusals;
  if (refusal && refusals.length === searches.length) throw refusal;
  return { records };
}

/**
 * One page of a search. Without what the user must not see again: a service that cannot search by ID gives
 * other records, and one may repeat a page for ever.
 */
async function askSearch(
  client: ServiceClient,
  { kind: { list } }: Picker,
  { filters, id }: RecordSearch,
  { page, last }: Place,
): Promise<Page> {
  const answer = await askPage({ client, path: list.endpoint.path, filters }, page);
  const { records } = answer;
  if (id !== undefined) {
    return { records: records.filter((record) => idOf(record) === id), isFull: false };
  }
  return last !== undefined && last === lastId(records) ? { ...answer, records: [] } : answer;
}

function placeAfter(at: Place, answer: Page): Place | undefined {
  const { records } = answer;
  const next = afterPage(at, answer, records.length);
  if (!next.hasMore || next.page > MAX_PAGES) return undefined;
  return { ...next, search: at.search, last: lastId(records) };
}

function lastId(records: IDataObject[]): string | undefined {
  return records.map((record) => idOf(record)).findLast((id) => id !== undefined);
}

const WITH_ID = "records with an 'id'";

/** Each record once. One without an ID cannot be chosen. The others can. */
function choicesOf(
  records: IDataObject[],
  { label }: Picker,
  context: ILoadOptionsFunctions,
): INodeListSearchItems[] {
  const choices = new Map<string, INodeListSearchItems>();
  for (const record of records) {
    const id = idOf(record);
    // As text, like the ID that the user enters under "By ID".
    if (id !== undefined) choices.set(id, { name: label({ ...record, id }, context), value: id });
  }
  if (choices.size === 0 && records[0]) throw shapeError(records[0], 'picker', WITH_ID);
  return [...choices.values()];
}
