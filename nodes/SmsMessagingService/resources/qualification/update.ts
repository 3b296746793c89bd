import { inferred } from '../../operations/endpoint';
import { updateOperation } from '../../operations/records/update';
import { QUALIFICATION, QUALIFICATION_FIELDS } from './record';

/** Edit a qualification. The specification only names this operation. */
export const update = updateOperation(QUALIFICATION, {
  endpoint: inferred('/openapi/cert/update'),
  updateFields: QUALIFICATION_FIELDS,
});
