import { createHash } from 'node:crypto';
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
import { findNew } from '../service/newRecords';
import { nextPage } from '../service/pageWalk';
import type { PageFailure, PageStep, Walk } from '../service/pageWalk';
import { askPage, pageError, startList } from '../service/pages';
import type { ListQuery, Page } from '../service/pages';
import { idOf, keyOf } from '../service/recordId';
import { shapeError } from '../service/shapes';

/** How the picker of one kind of record works. */
export interface Picker {
  kind: RecordKind;
  /** Returns the filters that search for a text. The list shows what each of them finds. */
  searches: (text: string) => IDataObject[];
  /** Returns what the user reads in the list, and in the field after the record is chosen. */
  label: (record: IDataObject) => string;
  /** Sorts the records. A list of MAX_SORTED_PAGES pages is read as a whole for that. */
  arrange?: (records: IDataObject[], context: ILoadOptionsFunctions) => IDataObject[];
  /** Replaces the usual advice if the service does not return the list. */
  advice?: OperationAdvice;
}

/** Number of records in one page of the list. The editor asks for the next page when the user scrolls. */
export const PAGE_SIZE = 50;

/**
 * Returns one page of a picker's list. The service searches and pages.
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
    const search = new Search(client, picker, alternativesFor(picker, wanted));
    const pages = picker.arrange ? MAX_SORTED_PAGES : 1;
    const { records, next } = await search.read(readToken(paginationToken), pages);
    if (records.length === 0 && wanted === '' && paginationToken === undefined) {
      throw inputError(context.getNode(), `This account has no ${plural}`, {
        description:
          'Check that the credential is for the right account. If you know the ID of one, choose "By ID" and enter it.',
      });
    }
    const arranged = picker.arrange?.(records, context) ?? records;
    return {
      results: choicesOf(arranged, picker),
      paginationToken: next && JSON.stringify(next),
    };
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}

/** The place of a page in the results. The editor keeps it, as the pagination token. */
interface Position {
  /** Index of the search, among the alternatives. */
  readonly search: number;
  readonly walk: Walk;
  /** A hash of each record that was shown: `HASH_LENGTH` characters each. */
  readonly seen: string;
  /** The same for this reading of the list. */
  readonly inReading: string;
}

const HASH_LENGTH = 8;

/** Number of pages that are sorted together. */
export const MAX_SORTED_PAGES = 5;

/** Number of pages in one call if the first ones show nothing new. The editor then asks again. */
const MAX_PAGES = 10;

/** In a longer list, the oldest records are forgotten. */
const MAX_SEEN = 5_000;

function readToken(paginationToken?: string): Position | undefined {
  return paginationToken === undefined ? undefined : (JSON.parse(paginationToken) as Position);
}

/** One filter that searches for the text. */
interface Alternative {
  filters: IDataObject;
  /** The ID that is searched for. */
  id?: string;
}

/** First a search by ID, if the text can be one. */
function alternativesFor({ kind, searches }: Picker, text: string): Alternative[] {
  const { idField = 'id' } = kind.list;
  const isId = /^[1-9]\d{0,18}$/.test(text);
  const byId = isId ? [{ filters: { [idField]: requireId('ID', text) }, id: text }] : [];
  const byText = text === '' ? [{}] : searches(text);
  return [...byId, ...byText.map((filters) => ({ filters }))];
}

/** What one call shows. */
interface Found {
  records: IDataObject[];
  /** Left out at the end of the results. */
  next?: Position;
}

/** Reads the results of all alternatives, one after the other. */
class Search {
  /** Why alternatives have no results. */
  private readonly failures: PageFailure[] = [];

  private hasAnswer = false;

  constructor(
    private readonly client: ServiceClient,
    private readonly picker: Picker,
    private readonly alternatives: Alternative[],
  ) {}

  /**
   * The next records. An alternative that ends with its first page is followed by the next one at once.
   *
   * @param wanted number of pages to read, if there are that many
   * @throws NodeApiError or UserError if no alternative can be read
   */
  async read(start = this.startOf(0, ''), wanted = 1): Promise<Found> {
    const records: IDataObject[] = [];
    let next = start;
    this.hasAnswer = start?.seen !== '';
    for (let pages = 0; next && pages < MAX_PAGES; pages++) {
      if (records.length > 0 && next.walk.pages > 0 && pages >= wanted) break;
      const found = await this.readPage(next).catch((error: unknown) => {
        // The records before it are shown. The editor meets the failure when it asks for more.
        if (records.length > 0) return undefined;
        throw error;
      });
      if (found === undefined) break;
      records.push(...found.records);
      next = found.next;
    }
    if (records.length === 0) this.throwFailure();
    return { records, next };
  }

  /** @throws the first failure, if no alternative had an answer, or another try may have one */
  private throwFailure(): void {
    const [failure] = this.failures;
    const isHindered = this.failures.some(({ kind }) => kind === 'hindered');
    if (failure && (isHindered || !this.hasAnswer)) throw this.errorFor(failure);
  }

  private async readPage(position: Position): Promise<Found> {
    const { search, walk } = position;
    const answer = await askPage(this.queryOf(search), walk);
    if (answer.kind !== 'page') {
      const next = this.after(nextPage(walk, answer), position);
      // The sizes of one page are tried in one call: a refusal does not belong in the pagination token.
      return next?.walk.refusal ? await this.readPage(next) : { records: [], next };
    }
    this.hasAnswer = true;
    const { noun } = this.picker.kind;
    const shown = freshIn(answer, noun, position.seen);
    const { fresh, seen: inReading } = freshIn(answer, noun, position.inReading);
    const found = Math.max(walk.found, walk.read + fresh.length);
    const step = nextPage(walk, answer, { fresh: fresh.length, found });
    const { id } = this.alternatives[search] ?? {};
    if (id !== undefined) return this.afterSearchById(step, position, answer, id);
    return {
      records: shown.fresh,
      next: this.after(step, { ...position, seen: shown.seen, inReading }),
    };
  }

  /** A service that cannot search by ID gives other records. Once the ID is found, the search ends. */
  private afterSearchById(step: PageStep, position: Position, page: Page, id: string): Found {
    const { noun } = this.picker.kind;
    const records = page.records.filter((record) => idOf(record, noun) === id);
    return { records, next: records.length > 0 ? undefined : this.after(step, position) };
  }

  private after(step: PageStep, position: Position): Position | undefined {
    if (step.kind === 'end') return this.startOf(position.search + 1, position.seen);
    if (step.kind === 'fail') return this.afterFailure(position, step.failure);
    const isAgain = step.walk.reading > position.walk.reading;
    return { ...position, walk: step.walk, inReading: isAgain ? '' : position.inReading };
  }

  private afterFailure(
    { search, walk, seen }: Position,
    failure: PageFailure,
  ): Position | undefined {
    if (walk.read > 0) throw this.errorFor(failure);
    this.failures.push(failure);
    return failure.kind === 'hindered' ? undefined : this.startOf(search + 1, seen);
  }

  private startOf(search: number, seen: string): Position | undefined {
    const alternative = this.alternatives[search];
    if (alternative === undefined) return undefined;
    const scope = alternative.id === undefined ? 'all' : 'first';
    const walk = startList(this.queryOf(search), PAGE_SIZE, scope);
    return { search, walk, seen, inReading: '' };
  }

  private queryOf(search: number): ListQuery {
    const { path } = this.picker.kind.list.endpoint;
    return { client: this.client, path, filters: this.alternatives[search]?.filters ?? {} };
  }

  private errorFor(failure: PageFailure): Error {
    return pageError(this.client, failure, { advice: this.picker.advice });
  }
}

/** The records of a page that did not come before, and what is remembered of all. */
function freshIn(
  { records }: Page,
  noun: string,
  seen: string,
): { fresh: IDataObject[]; seen: string } {
  const hashes = new Map(records.map((record) => [record, hashOf(keyOf(record, noun))]));
  const { fresh } = findNew(countsIn(seen), records, (record) => hashes.get(record) ?? '');
  const all = seen + fresh.map((record) => hashes.get(record)).join('');
  return { fresh, seen: all.slice(-MAX_SEEN * HASH_LENGTH) };
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, HASH_LENGTH);
}

/** Counts each hash in a text of hashes. */
function countsIn(seen: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (let start = 0; start < seen.length; start += HASH_LENGTH) {
    const hash = seen.slice(start, start + HASH_LENGTH);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return counts;
}

/** A record without an ID cannot be chosen. The others can. */
function choicesOf(records: IDataObject[], { kind, label }: Picker): INodeListSearchItems[] {
  const choices = records.flatMap((record) => {
    const id = idOf(record, kind.noun);
    // As text, like the ID that the user enters under "By ID".
    return id === undefined ? [] : [{ name: label({ ...record, id }), value: id }];
  });
  if (choices.length === 0 && records[0]) throw shapeError(records[0], "records with an 'id'");
  return choices;
}
