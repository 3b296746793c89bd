import type { RequestOperation } from '../operation';
import { findById } from '../../service/reading/changes';
import { targetOf } from './kind';
import type { RecordKind } from './kind';
import { outputProperties } from './output';

/**
 * The operation that gets one record. It asks for the list, filtered by ID, because the service has no
 * other way to get a record.
 */
export function getOperation(kind: RecordKind): RequestOperation {
  const { noun, locator, list } = kind;
  return {
    kind: 'request',
    option: {
      name: 'Get',
      value: 'get',
      action: `Get ${noun}`,
      description: `Retrieve one ${noun} by its ID`,
    },
    properties: [locator, ...outputProperties(kind.output)],
    endpoint: list.endpoint,
    output: kind.output,
    target: targetOf(locator, list.idField),
    records: (answer, id) => findById(answer, id, noun),
  };
}
