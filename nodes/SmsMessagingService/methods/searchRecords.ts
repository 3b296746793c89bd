import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
} from 'n8n-workflow';
import type { RecordKind } from '../operations/records/operations';
import { ServiceClient } from '../service/client';
import { inputError, toNodeError } from '../service/errors';
import type { SpecialAdvice } from '../service/errors';
import { isRefusal, queryPage } from '../service/pages';
import type { Page } from '../service/pages';
import { unexpectedShape } from '../service/shapes';

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
    const query = async (): Promise<Page> =>
      await queryPage(client, kind.list.path, alternatives[position.search] ?? {}, {
        page: position.page,
        pageSize: position.pageSize,
        advice,
      });
    const hasOther = () => position.page === 1 && position.search + 1 < alternatives.length;
    let found = await query().catch((error: unknown) => {
      // A service may refuse to look for an ID that it does not have.
      if (isRefusal(error) && hasOther()) return NOTHING;
      throw error;
    });
    while (found.records.length === 0 && hasOther()) {
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
      results: choicesOf(found.records, label),
      paginationToken:
        found.nextPage === undefined
          ? undefined
          : `${position.search}/${found.nextPage}/${found.pageSize}`,
    };
  } catch (error) {
    throw toNodeError(node, error);
  }
}

const NOTHING: Page = { records: [], pageSize: PAGE_SIZE };

/** A search by id, where the text can be one. */
function searchById({ list: { idField = 'id' } }: RecordKind, text: string): IDataObject[] {
  const id = /^[1-9]\d*$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(id) ? [{ [idField]: id }] : [];
}

/** Which of the searches found something, and the page to ask for next. */
function readPosition(paginationToken = `0/1/${PAGE_SIZE}`) {
  const [search = 0, page = 1, pageSize = PAGE_SIZE] = paginationToken.split('/').map(Number);
  return { search, page, pageSize };
}

/** A record without an id cannot be chosen, and does not keep the others from it. */
function choicesOf(records: IDataObject[], label: Picker['label']): INodeListSearchItems[] {
  const choices = records.flatMap((record) => {
    const { id } = record;
    const isId = typeof id === 'number' || (typeof id === 'string' && id !== '');
    // As text, which is what "By ID" gives too.
    return isId ? [{ name: label(record), value: String(id) }] : [];
  });
  if (choices.length === 0 && records[0]) throw unexpectedShape(records[0], "records with an 'id'");
  return choices;
}
