import { updateOperation } from '../../operations/records/operations';
import { QUALIFICATION, QUALIFICATION_FIELDS } from './record';

/** Modify qualification: named in §4.14, not shown. */
export const update = updateOperation(QUALIFICATION, {
  path: '/openapi/cert/update',
  isInferred: true,
  updateFields: QUALIFICATION_FIELDS,
});
