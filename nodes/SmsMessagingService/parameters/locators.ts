import type { INodeProperties } from 'n8n-workflow';

/* The fields in which the user chooses a record: from a searchable list, or by ID. */

interface LocatorTexts {
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
}: LocatorTexts): INodeProperties {
  return {
    displayName,
    name,
    builderHint: {
      propertyHint: `IDs are whole numbers of the user's account. Without one from the user or from the list, use mode "list" with an empty value, so that the user chooses. Never make one up.`,
    },
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
        // No `validation`: n8n evaluates its regular expressions with a time limit, which ends the run on
        // a busy machine. The operations check the ID.
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
