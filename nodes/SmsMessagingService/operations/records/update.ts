import { UserError } from 'n8n-workflow';
import { collectionProperty, readOptional } from '../../parameters/fields';
import type { Fields, OptionalFields } from '../../parameters/fields';
import { withExtraFields } from '../../service/extraFields';
import { readExtraFields } from '../endpoint';
import type { Endpoint } from '../endpoint';
import type { RequestOperation } from '../operation';
import { readChange } from './answers';
import { readId } from './kind';
import type { RecordKind } from './kind';

/** The operation that changes a record. Only the ID and the fields that the user added are sent. */
export function updateOperation(
  { noun, locator }: RecordKind,
  { endpoint, updateFields }: { endpoint: Endpoint; updateFields: Fields },
): RequestOperation {
  const optional: OptionalFields = {
    name: 'updateFields',
    displayName: 'Update Fields',
    placeholder: 'Add field',
    fields: updateFields,
  };
  return {
    kind: 'request',
    isChange: true,
    option: {
      name: 'Update',
      value: 'update',
      action: `Update ${noun}`,
      description: `Change a ${noun}; only the fields that you add are sent`,
    },
    properties: [locator, collectionProperty(optional)],
    endpoint,
    body: (parameter) => {
      const id = readId(locator, parameter);
      const changes = readOptional(optional, parameter);
      if (Object.keys(withExtraFields(changes, readExtraFields(parameter))).length === 0) {
        throw new UserError(`'Update Fields' is empty, so nothing of the ${noun} would change`, {
          description: "Add the fields to change to 'Update Fields'.",
        });
      }
      return { id, ...changes };
    },
    records: (answer, { id }) => readChange(endpoint, answer, id),
  };
}
