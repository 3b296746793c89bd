import type { ILoadOptionsFunctions, INodeProperties } from 'n8n-workflow';
import { textOf } from '../service/json';
import type { ItemReader } from './reader';
import type { TextField } from './texts';
import { locatorValue, requireId } from './values';

/* Fields in which the user chooses a record from a searchable list, or enters its ID. */

/** What each kind of record is, for users who see it in the editor for the first time. */
export const ABOUT = {
  lead: 'Link or phone number in messages, filed with the carriers (a lead in the API)',
  qualification: 'Documents of the company that a signature belongs to',
  signature: 'Name of the sender, shown in front of each message',
  template: 'Reviewed text of a message, with parameters to fill in',
};

/**
 * The field for one kind of record. Its list comes from the function `search…s` of `methods/listSearch.ts`.
 *
 * @param value the resource, as in workflows
 * @param displayName its lower case is the noun in sentences
 * @param exampleId the ID that the empty field shows
 */
function locator(
  value: keyof typeof ABOUT,
  displayName: string,
  exampleId: number,
): INodeProperties {
  const method = `search${value.replace(/^./, (letter) => letter.toUpperCase())}s`;
  return {
    displayName,
    name: `${value}Id`,
    builderHint: {
      propertyHint: `IDs are whole numbers of the user's account. Without one from the user or from the list, use mode "list" with an empty value, so that the user chooses. Never make one up.`,
    },
    type: 'resourceLocator',
    default: { mode: 'list', value: '' },
    required: true,
    description: `${ABOUT[value]}. Choose it from the list, or enter its ID.`,
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        placeholder: `Choose a ${displayName.toLowerCase()}…`,
        typeOptions: { searchListMethod: method, searchable: true },
      },
      {
        displayName: 'By ID',
        name: 'id',
        type: 'string',
        // No `validation`: n8n gives its regular expressions a time limit, which ends the run on a busy
        // machine. The operations check the ID.
        placeholder: `e.g. ${exampleId}`,
      },
    ],
  };
}

export const qualificationLocator = locator('qualification', 'Qualification', 101);
export const signatureLocator = locator('signature', 'Signature', 201);
export const templateLocator = locator('template', 'Template', 301);
export const leadLocator = locator('lead', 'Reported Link', 401);

/** The ID that is chosen for an item, of `min` or more. Throws a UserError if there is none. */
export function readChosen(
  item: ItemReader,
  { name, displayName: label }: INodeProperties,
  place?: TextField['place'],
  { path = name, min = 1 } = {},
) {
  return item.value(path, { label, place, read: (value) => requireId(label, value, min) });
}

/**
 * Returns the ID that is chosen in a resource locator of the open node, without spaces around it. Empty if
 * nothing is chosen, and another text if it comes from an expression.
 */
export function chosenId(context: ILoadOptionsFunctions, { name }: INodeProperties): string {
  return textOf(locatorValue(context.getCurrentNodeParameter(name)));
}
