import { inferred } from '../../operations/endpoint';
import { updateOperation } from '../../operations/records/update';
import { SIGNATURE, SIGNATURE_FIELDS } from './record';

/** Edit a signature: known by name only. */
export const update = updateOperation(SIGNATURE, {
  endpoint: inferred('/openapi/sign/update'),
  updateFields: SIGNATURE_FIELDS,
});
