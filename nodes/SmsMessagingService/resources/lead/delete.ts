import { inferred } from '../../operations/endpoint';
import { deleteOperation } from '../../operations/records/delete';
import { LEAD } from './record';

/** Delete a lead: known by name only. */
export const del = deleteOperation(LEAD, inferred('/openapi/lead/delete'));
