import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import type { RecordKind } from '../managing/operations';
import { ServiceClient } from '../shared/client';
import { inputError, toNodeError } from '../shared/errors';
import type { SpecialAdvice } from '../shared/errors';
import { queryPage } from '../shared/pages';
import { unexpectedShape } from '../shared/shapes';

/** What tells the picker of one kind of record from another. */
export interface Picker {
  kind: RecordKind;
  /**
   * How to search the service for a text that is not an id: request fields of the list operation.
   * Several, where the text may mean several things; the first that finds something is shown.
   */
  searches: (text: string) => IDataObject[];
  /** What a person chooses by. An id alone says nothing. */
  label: (record: IDataObject) => string;
  /** What to do when the list cannot be had, where there is something special to say. */
  advice?: SpecialAdvice;
}

/** What the list shows before it is scrolled: one request. */
const PAGE_SIZE = 50;

/**
 * One page of a picker's list, searched and paged by the service.
 *
 * @param text what was typed into the search field
 * @param paginationToken of the page before
 * @throws NodeApiError or NodeOperationError; the editor shows message and description in place of
 * the list. That an account has no records is said this way too, but not that a search found none:
 * the editor says so itself, and with an error the search field would be gone.
 */
export async function searchRecords(
  context: ILoadOptionsFunctions,
  { kind, searches, label, advice }: Picker,
  text = '',
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const node = context.getNode();
  const wanted = text.trim();
  const alternatives = wanted === '' ? [{}] : [...searchById(kind, wanted), ...searches(wanted)];
  const position = readPosition(paginationToken);
  try {
    const client = await ServiceClient.create(context);
    const query = async () =>
      await queryPage(client, kind.list.path, alternatives[position.search] ?? {}, {
        page: position.page,
        pageSize: PAGE_SIZE,
        advice,
      });
    let found = await query();
    while (
      found.records.length === 0 &&
      position.page === 1 &&
      position.search + 1 < alternatives.length
    ) {
      position.search++;
      found = await query();
    }
    if (found.records.length === 0 && position.page === 1 && wanted === '') {
      throw inputError(node, `This account has no ${kind.plural}`, {
        description:
          'Check that the credential is for the right account. If you know the ID of one, choose "By ID" and enter it.',
      });
    }
    return {
      results: found.records.map((record) => ({ name: label(record), value: readId(record) })),
      paginationToken:
        found.nextPage === undefined ? undefined : `${position.search}/${found.nextPage}`,
    };
  } catch (error) {
    throw toNodeError(node, error);
  }
}

/** A search by id, where the text can be one. */
function searchById({ list: { idField = 'id' } }: RecordKind, text: string): IDataObject[] {
  const id = /^[1-9]\d*$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(id) ? [{ [idField]: id }] : [];
}

/** Which of the searches found something, and the page to ask for next. */
function readPosition(paginationToken = '0/1') {
  const [search = 0, page = 1] = paginationToken.split('/').map(Number);
  return { search, page };
}

/** As text, which is what "By ID" gives too. */
function readId(record: IDataObject): string {
  const { id } = record;
  if (typeof id === 'number' || (typeof id === 'string' && id !== '')) return String(id);
  throw unexpectedShape(record, "records with an 'id'");
}
