import { countField } from '../../parameters/options';
import { collectionProperty, readOptional } from '../../parameters/fields';
import type { Fields, OptionalFields } from '../../parameters/fields';
import type { ListOperation } from '../operation';
import type { RecordKind } from './kind';
import { outputProperties } from './output';

/** The operation that lists all records, or those that match the filters. */
export function getManyOperation(
  kind: RecordKind,
  { filters }: { filters: Fields },
): ListOperation {
  const optional: OptionalFields = {
    name: 'filters',
    displayName: 'Filters',
    placeholder: 'Add filter',
    fields: filters,
  };
  return {
    kind: 'list',
    noun: kind.noun,
    option: {
      name: 'Get Many',
      value: 'getAll',
      action: `Get many ${kind.plural}`,
      description: `Retrieve a list of ${kind.plural}, complete or filtered`,
    },
    properties: [
      {
        displayName: 'Return All',
        name: 'returnAll',
        type: 'boolean',
        default: false,
        description: 'Whether to return all results or only up to a given limit',
      },
      {
        ...countField('Limit', 'limit', 50, 'Max number of results to return'),
        displayOptions: { show: { returnAll: [false] } },
      },
      ...outputProperties(kind.output),
      collectionProperty(optional),
    ],
    endpoint: kind.list.endpoint,
    output: kind.output,
    body: (parameter) => readOptional(optional, parameter),
  };
}
