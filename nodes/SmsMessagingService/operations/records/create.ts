import {
  collectionProperty,
  readOptional,
  readRequired,
  requiredProperties,
} from '../../parameters/fields';
import type { Fields, OptionalFields } from '../../parameters/fields';
import type { Endpoint } from '../endpoint';
import type { RequestOperation } from '../operation';
import { readChanged } from '../../service/reading/changes';
import type { RecordKind } from './kind';

/** The operation that creates a record. */
export function createOperation(
  kind: RecordKind,
  {
    endpoint,
    required,
    additionalFields,
  }: { endpoint: Endpoint; required: Fields; additionalFields: Fields },
): RequestOperation {
  const { noun } = kind;
  const optional: OptionalFields = {
    name: 'additionalFields',
    displayName: 'Additional Fields',
    placeholder: 'Add field',
    fields: additionalFields,
  };
  return {
    kind: 'request',
    change: 'created',
    option: {
      name: 'Create',
      value: 'create',
      action: `Create ${noun}`,
      description: `Submit a new ${noun} to your SMS provider`,
    },
    properties: [...requiredProperties(required), collectionProperty(optional)],
    endpoint,
    body: (parameter) => ({
      ...readRequired(required, parameter),
      ...readOptional(optional, parameter),
    }),
    records: (answer) => readChanged(answer, { noun, isDocumented: endpoint.isDocumented }),
  };
}
