import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
  NodeApiError,
} from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import type { RecordKind } from '../operations/operation';
import { chosenId, signatureLocator } from '../parameters/locators';
import { requireId } from '../parameters/values';
import { LEAD } from '../resources/lead';
import { QUALIFICATION } from '../resources/qualification';
import { SIGNATURE } from '../resources/signature';
import { isEnabled, reviewMark, signatureIdOf, TEMPLATE } from '../resources/template';
import { ServiceClient } from '../service/client';
import { afterPage, askPage, START } from '../service/pages';
import type { Page, Position } from '../service/pages';
import { idOf } from '../service/recordId';
import { shapeError } from '../service/shapes';

/* The lists of the pickers. `searchListMethod` of the resource locators refers to these names. */

interface Picker {
  kind: RecordKind;
  searches: (text: string) => IDataObject[];
  label: (record: IDataObject, context: ILoadOptionsFunctions) => string;
}

export const searchTemplates = pickerMethod({
  kind: TEMPLATE,
  searches: (text) => [{ name: text }],
  label: (template, context) => {
    const { id, name, content } = template;
    const isDisabled = isEnabled(template) === false;
    const chosen = chosenId(context, signatureLocator);
    const isElsewhere = chosen !== '' && ![undefined, chosen].includes(signatureIdOf(template));
    const elsewhere = isElsewhere && 'of another signature';
    // First what speaks against a choice: the editor cuts off the end.
    const marks = [isDisabled && 'disabled', reviewMark(template)].filter(isGiven);
    return [...marks, entry(name, id, elsewhere, content)].join(' · ');
  },
});

export const searchSignatures = pickerMethod({
  kind: SIGNATURE,
  searches: (text) => [{ name: text }],
  label: ({ id, name }) => entry(name, id),
});

export const searchQualifications = pickerMethod({
  kind: QUALIFICATION,
  searches: (text) => [{ company_name: text }, { name: text }],
  label: ({ id, name, company_name: companyName }) => entry(name, id, companyName),
});

export const searchLeads = pickerMethod({
  kind: LEAD,
  searches: (text) => [
    ...(/^[\d\s+-]+$/.test(text) ? [{ query_phone1: text }, { query_phone2: text }] : []),
    { query_url: text },
  ],
  label: ({ id, url, phone_1: phone1, phone_2: phone2, sign_name: signature }) => {
    const [first, ...others] = [url, phone1, phone2].filter(isGiven);
    return entry(first, id, ...others, signature);
  },
});

/**
 * The function for one page of a picker's list. The service searches and pages; the editor asks for the next
 * page when the user scrolls.
 *
 * @returns a function of the text in the search field, and of the token from the previous page. It throws a
 * NodeApiError or NodeOperationError, also if the account has no records: the editor shows message and
 * description instead of the list. A search without results is not an error: the editor says so itself, and an
 * error would remove the search field
 */
function pickerMethod(picker: Picker) {
  return async function (
    this: ILoadOptionsFunctions,
    filter = '',
    paginationToken?: string,
  ): Promise<INodeListSearchResult> {
    const text = filter.trim();
    const at = paginationToken ? (JSON.parse(paginationToken) as Place) : START;
    try {
      const client = await ServiceClient.create(this);
      const page = await askSearches(client, picker, text, at.page);
      const { records } = page;
      if (records.length === 0 && text === '' && at === START) {
        throw inputError(this.getNode(), `This account has no ${picker.kind.noun}s`, {
          description:
            'Check that the credential is for the right account. If you know the ID of one, choose "By ID" and enter it.',
        });
      }
      const last = records.map((record) => idOf(record)).findLast((id) => id !== undefined);
      // A service may repeat a page for ever.
      if (last !== undefined && last === (at as Place).last) return { results: [] };
      const next: Place = { ...afterPage(at, page, records.length), last };
      return {
        results: choicesOf(records, picker, this),
        paginationToken: next.hasMore ? JSON.stringify(next) : undefined,
      };
    } catch (error) {
      throw toNodeError(this.getNode(), error);
    }
  };
}

/** A place in the results. The editor keeps it, as the pagination token. */
interface Place extends Position {
  /** The last ID on the page before. */
  readonly last?: string;
}

/** On the first page, first a search by ID, if the text can be one. */
function searchesFor({ kind, searches }: Picker, text: string, number: number) {
  const { idField = 'id' } = kind.list;
  const byId =
    number === 1 && /^[1-9]\d{0,18}$/.test(text) ? [{ [idField]: requireId('ID', text) }] : [];
  return { byId: byId[0], all: [...byId, ...(text === '' ? [{}] : searches(text))] };
}

/**
 * One page of all searches together. A record with the ID that is searched for is shown alone.
 *
 * @throws NodeApiError or UserError if a page does not come. A service may refuse some filters, so a refused
 * first page counts only if every search is refused
 */
async function askSearches(
  client: ServiceClient,
  picker: Picker,
  text: string,
  number: number,
): Promise<Page> {
  const { path } = picker.kind.list.endpoint;
  const { byId, all } = searchesFor(picker, text, number);
  const pages: Page[] = [];
  const refusals: NodeApiError[] = [];
  for (const filters of all as IDataObject[]) {
    const page = await askPage({ client, path, filters }, number).catch((error: NodeApiError) => {
      if (error.failure) throw error;
      refusals.push(error);
    });
    if (!page) continue;
    if (filters !== byId) pages.push(page);
    // A service that cannot search by ID gives other records.
    const found = filters === byId && page.records.find((record) => idOf(record) === text);
    if (found) return { records: [found], isFull: false };
  }
  const records = pages.flatMap((page) => page.records);
  const [refusal] = refusals;
  const isLost = refusals.length === all.length || (number > 1 && records.length === 0);
  if (refusal && isLost) throw refusal;
  const isFull = pages.some((page) => page.isFull);
  const total = pages.reduce((sum, page) => sum + (page.total ?? 0), 0);
  return { records, isFull, total: total || undefined };
}

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
  if (choices.size === 0 && records[0])
    throw shapeError(records[0], 'picker', "records with an 'id'");
  return [...choices.values()];
}

/** In characters. */
const MAX_ENTRY_LENGTH = 100;

/**
 * Returns one line: name and ID, then other details that help to choose. The editor shows this line also
 * for the chosen record, and cuts off what does not fit into the field.
 */
function entry(name: unknown, id: unknown, ...details: unknown[]): string {
  const parts = [name, `ID ${inOneLine(id)}`, ...details];
  const line = [...parts.filter(isGiven).map(inOneLine).join(' · ')];
  if (line.length <= MAX_ENTRY_LENGTH) return line.join('');
  return `${line.slice(0, MAX_ENTRY_LENGTH - 1).join('')}…`;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && inOneLine(value) !== '';
}

function inOneLine(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/\s+/g, ' ').trim();
}
