import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { collectionProperty, readOptional } from '../../parameters/fields';
import type { Fields, OptionalFields } from '../../parameters/fields';
import { withExtraFields } from '../../service/extraFields';
import { toJson } from '../../service/json';
import { idNamesOf } from '../../service/reading/recordId';
import { readExtraFields } from '../endpoint';
import type { Endpoint } from '../endpoint';
import type { RequestOperation } from '../operation';
import { readChanged } from '../../service/reading/changes';
import { targetOf } from './kind';
import type { RecordKind } from './kind';

/** The operation that changes a record. Only the ID and the fields that the user added are sent. */
export function updateOperation(
  kind: RecordKind,
  { endpoint, updateFields }: { endpoint: Endpoint; updateFields: Fields },
): RequestOperation {
  const { noun, locator } = kind;
  const target = targetOf(locator);
  const optional: OptionalFields = {
    name: 'updateFields',
    displayName: 'Update Fields',
    placeholder: 'Add field',
    fields: updateFields,
  };
  return {
    kind: 'request',
    change: 'updated',
    option: {
      name: 'Update',
      value: 'update',
      action: `Update ${noun}`,
      description: `Change a ${noun}; only the fields that you add are sent`,
    },
    properties: [locator, collectionProperty(optional)],
    endpoint,
    target,
    body: (parameter) => {
      const changes = readOptional(optional, parameter);
      const extra = readExtraFields(parameter);
      if (!changesMore(changes, extra, target.readId(parameter), kind)) {
        throw new UserError(`'Update Fields' is empty, so nothing of the ${noun} would change`, {
          description: "Add the fields to change to 'Update Fields'.",
        });
      }
      return changes;
    },
    records: (answer, id) => readChanged(answer, { noun, isDocumented: endpoint.isDocumented, id }),
  };
}

/** Whether anything is sent beside the ID, which Extra Fields may give once more or under another name. */
function changesMore(
  changes: IDataObject,
  extra: IDataObject,
  id: unknown,
  { noun }: RecordKind,
): boolean {
  const sent = Object.keys(withExtraFields(changes, { ...extra, id: null }));
  const isId = (name: string) =>
    (extra.id === null || idNamesOf(noun).includes(name)) && digitsIn(extra[name]) === digitsIn(id);
  return sent.length > (sent.some(isId) ? 1 : 0);
}

/** An ID may be a text, and may be sent in an array. */
function digitsIn(value: unknown): string {
  return toJson([value]).replace(/["[\]]/g, '');
}
