import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { chosenId, signatureLocator } from '../parameters/locators';
import { LEAD } from '../resources/lead';
import { QUALIFICATION } from '../resources/qualification';
import { SIGNATURE } from '../resources/signature';
import { isEnabled, reviewMark, signatureIdOf, TEMPLATE } from '../resources/template';
import { searchRecords } from './searchRecords';
import type { Picker } from './searchRecords';

/* The lists of the pickers. `searchListMethod` of the resource locators refers to these names. */

export const searchTemplates = pickerMethod({
  kind: TEMPLATE,
  searches: (text) => [{ name: text }],
  arrange: arrangeTemplates,
  label: (template, context) => {
    const { id, name, content } = template;
    const isDisabled = isEnabled(template) === false;
    const elsewhere = isElsewhere(template, context) && 'of another signature';
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

function pickerMethod(picker: Picker) {
  return async function (
    this: ILoadOptionsFunctions,
    filter?: string,
    paginationToken?: string,
  ): Promise<INodeListSearchResult> {
    return await searchRecords(this, picker, filter, paginationToken);
  };
}

function isElsewhere(template: IDataObject, context: ILoadOptionsFunctions): boolean {
  const chosen = chosenId(context, signatureLocator);
  return chosen !== '' && ![undefined, chosen].includes(signatureIdOf(template));
}

/** Sorts the templates of a page: first those of the signature that is chosen in the node, last the disabled ones. */
function arrangeTemplates(templates: IDataObject[], context: ILoadOptionsFunctions): IDataObject[] {
  const chosen = chosenId(context, signatureLocator);
  const rank = (template: IDataObject) => {
    if (isEnabled(template) === false) return 2;
    return signatureIdOf(template) === chosen ? 0 : 1;
  };
  return templates.toSorted((a, b) => rank(a) - rank(b));
}

/** Lengths that fit into the editor's field, in characters. Chinese characters are twice as wide. */
const MAX_NAME_LENGTH = 28;
const MAX_WIDE_NAME_LENGTH = MAX_NAME_LENGTH / 2;
const MAX_ENTRY_LENGTH = 100;

/**
 * Returns one line: name and ID, then other details that help to choose. The editor shows this line also
 * for the chosen record, and cuts off what does not fit into the field.
 */
function entry(name: unknown, id: unknown, ...details: unknown[]): string {
  const parts = [
    isGiven(name) && withoutMiddle(inOneLine(name)),
    `ID ${inOneLine(id)}`,
    ...details,
  ];
  const line = [...parts.filter(isGiven).map(inOneLine).join(' · ')];
  if (line.length <= MAX_ENTRY_LENGTH) return line.join('');
  return `${line.slice(0, MAX_ENTRY_LENGTH - 1).join('')}…`;
}

/** Cuts out the middle of a long name: names that begin alike often differ at their ends. */
function withoutMiddle(name: string): string {
  const characters = [...name];
  const isWide = characters.some((character) => character > '\u10ff');
  const maxLength = isWide ? MAX_WIDE_NAME_LENGTH : MAX_NAME_LENGTH;
  if (characters.length <= maxLength) return name;
  const half = maxLength / 2;
  return `${characters.slice(0, half).join('')}…${characters.slice(1 - half).join('')}`;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && inOneLine(value) !== '';
}

function inOneLine(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/\s+/g, ' ').trim();
}
