import { inferred } from '../../operations/endpoint';
import { deleteOperation } from '../../operations/records/delete';
import { LEAD } from './record';

/** Delete a lead. The specification only names this operation. */
export const del = deleteOperation(LEAD, inferred('/openapi/lead/delete'));
