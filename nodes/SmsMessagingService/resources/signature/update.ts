import { inferred } from '../../operations/endpoint';
import { updateOperation } from '../../operations/records/update';
import { SIGNATURE, SIGNATURE_FIELDS } from './record';

/** Edit a signature. The specification only names this operation. */
export const update = updateOperation(SIGNATURE, {
  endpoint: inferred('/openapi/sign/update'),
  updateFields: SIGNATURE_FIELDS,
});
