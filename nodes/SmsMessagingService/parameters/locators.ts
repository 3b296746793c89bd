import type { INodeProperties } from 'n8n-workflow';

/** The pickers of the four kinds of records: from a searchable list, or by id. */

interface RecordKind {
  displayName: string;
  /** As in a sentence: "A template ID is …". */
  noun: string;
  name: string;
  searchListMethod: string;
  exampleId: number;
}

function locator({
  displayName,
  noun,
  name,
  searchListMethod,
  exampleId,
}: RecordKind): INodeProperties {
  return {
    displayName,
    name,
    type: 'resourceLocator',
    default: { mode: 'list', value: '' },
    required: true,
    description: `The ${noun}: choose it from the list, or give its ID`,
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        placeholder: `Choose a ${noun}…`,
        typeOptions: { searchListMethod, searchable: true },
      },
      {
        displayName: 'By ID',
        name: 'id',
        type: 'string',
        // No `validation`: n8n runs its regular expressions in a sandbox with a time limit, which on a
        // busy machine ends a run before it starts. The operations check the ID themselves.
        placeholder: `e.g. ${exampleId}`,
      },
    ],
  };
}

export const qualificationLocator = locator({
  displayName: 'Qualification',
  noun: 'qualification',
  name: 'qualificationId',
  searchListMethod: 'searchQualifications',
  exampleId: 101,
});

export const signatureLocator = locator({
  displayName: 'Signature',
  noun: 'signature',
  name: 'signatureId',
  searchListMethod: 'searchSignatures',
  exampleId: 201,
});

export const templateLocator = locator({
  displayName: 'Template',
  noun: 'template',
  name: 'templateId',
  searchListMethod: 'searchTemplates',
  exampleId: 301,
});

export const leadLocator = locator({
  displayName: 'Lead',
  noun: 'lead',
  name: 'leadId',
  searchListMethod: 'searchLeads',
  exampleId: 401,
});
