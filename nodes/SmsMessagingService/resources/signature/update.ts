import { updateOperation } from '../../operations/records/operations';
import { SIGNATURE, SIGNATURE_FIELDS } from './record';

/** Edit signature: named in §4.14, not shown. */
export const update = updateOperation(SIGNATURE, {
  path: '/openapi/sign/update',
  isInferred: true,
  updateFields: SIGNATURE_FIELDS,
});
