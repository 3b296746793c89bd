import type { Endpoint } from '../endpoint';
import type { RequestOperation } from '../operation';
import { readDeleted } from '../../service/reading/changes';
import { targetOf } from './kind';
import type { RecordKind } from './kind';

/** The operation that deletes a record. */
export function deleteOperation(
  { noun, locator }: RecordKind,
  endpoint: Endpoint,
): RequestOperation {
  return {
    kind: 'request',
    change: 'deleted',
    option: {
      name: 'Delete',
      value: 'delete',
      action: `Delete ${noun}`,
      description: `Remove a ${noun} from the account`,
    },
    caution: 'It may be impossible to undo.',
    properties: [locator],
    endpoint,
    target: targetOf(locator),
    records: readDeleted,
  };
}
