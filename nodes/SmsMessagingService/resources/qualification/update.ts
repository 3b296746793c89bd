import { inferred } from '../../operations/endpoint';
import { updateOperation } from '../../operations/records/update';
import { QUALIFICATION, QUALIFICATION_FIELDS } from './record';

/** Modify qualification: named in §4.14, not shown. */
export const update = updateOperation(QUALIFICATION, {
  endpoint: inferred('/openapi/cert/update'),
  updateFields: QUALIFICATION_FIELDS,
});
