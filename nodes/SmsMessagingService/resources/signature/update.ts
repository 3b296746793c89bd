import { inferred } from '../../operations/endpoint';
import { updateOperation } from '../../operations/records/update';
import { SIGNATURE, SIGNATURE_FIELDS } from './record';

/** Edit signature: named in §4.14, not shown. */
export const update = updateOperation(SIGNATURE, {
  endpoint: inferred('/openapi/sign/update'),
  updateFields: SIGNATURE_FIELDS,
});
