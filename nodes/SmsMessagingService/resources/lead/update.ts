import { updateOperation } from '../../operations/records/operations';
import { LEAD, LEAD_FIELDS } from './record';

/** Edit a lead that has not been reported (§4.13). */
export const update = updateOperation(LEAD, {
  path: '/openapi/lead/update',
  updateFields: LEAD_FIELDS,
});
