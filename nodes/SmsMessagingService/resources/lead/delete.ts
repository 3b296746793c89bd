import { inferred } from '../../operations/endpoint';
import { deleteOperation } from '../../operations/records/delete';
import { LEAD } from './record';

/** Delete lead: named in §4.14, not shown. */
export const del = deleteOperation(LEAD, inferred('/openapi/lead/delete'));
