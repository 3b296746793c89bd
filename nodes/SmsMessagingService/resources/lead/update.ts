import { documented } from '../../operations/endpoint';
import { updateOperation } from '../../operations/records/update';
import { LEAD, LEAD_FIELDS } from './record';

/** Edit a lead. Only a lead that has not been reported can be edited. */
export const update = updateOperation(LEAD, {
  endpoint: documented('/openapi/lead/update', 'Only a lead that was not reported can be edited'),
  updateFields: LEAD_FIELDS,
});
