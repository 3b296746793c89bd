import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { LEAD } from '../resources/lead/record';
import { QUALIFICATION } from '../resources/qualification/record';
import { SIGNATURE } from '../resources/signature/record';
import { TEMPLATE } from '../resources/template/record';
import { searchRecords } from './searchRecords';
import type { Picker } from './searchRecords';

/** Kept short: the editor shows four lines of an error. */
const SIGNATURES_NOT_FOUND =
  'Check the credential\'s Base URL. If it is right, choose "By ID": the path of this list is inferred. Where your SMS provider has another one, "Get Many" of Signature shows the IDs.';

/** The lists of the pickers. `searchListMethod` of the resource locators refers to these names. */
export const searchTemplates = pickerMethod({
  kind: TEMPLATE,
  searches: (text) => [{ name: text }],
  label: ({ id, name, content, audit_status: reviewStatus, status }) =>
    joinTexts(
      name,
      `ID ${show(id)}`,
      status === false && 'disabled',
      // The specification does not show what the numbers mean.
      reviewStatus !== undefined && `review status ${show(reviewStatus)}`,
      content,
    ),
});

export const searchSignatures = pickerMethod({
  kind: SIGNATURE,
  searches: (text) => [{ name: text }],
  label: ({ id, name, certification_id: qualificationId }) =>
    joinTexts(
      name,
      `ID ${show(id)}`,
      qualificationId !== undefined && `qualification ${show(qualificationId)}`,
    ),
  advice: { unknownAddress: SIGNATURES_NOT_FOUND },
});

export const searchQualifications = pickerMethod({
  kind: QUALIFICATION,
  searches: (text) => [{ company_name: text }, { name: text }],
  label: ({ id, name, company_name: companyName }) =>
    joinTexts(name, `ID ${show(id)}`, companyName),
});

export const searchLeads = pickerMethod({
  kind: LEAD,
  searches: (text) => [
    ...(/^[\d\s+-]+$/.test(text) ? [{ query_phone1: text }, { query_phone2: text }] : []),
    { query_url: text },
  ],
  label: ({ id, url, phone_1: phone1, phone_2: phone2, sign_name: signature }) =>
    joinTexts(url, phone1, phone2, `ID ${show(id)}`, signature),
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

const MAX_LABEL_LENGTH = 100;

/** Joins the texts that are not empty into one line, and cuts off a long line. */
function joinTexts(...texts: unknown[]): string {
  const label = [...texts.filter(Boolean).map(show).join(' · ').replace(/\s+/g, ' ')];
  if (label.length <= MAX_LABEL_LENGTH) return label.join('');
  return `${label.slice(0, MAX_LABEL_LENGTH - 1).join('')}…`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
