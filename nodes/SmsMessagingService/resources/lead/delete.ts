import { deleteOperation } from '../../operations/records/operations';
import { LEAD } from './record';

/** Delete lead: named in §4.14, not shown. */
export const del = deleteOperation(LEAD, { path: '/openapi/lead/delete', isInferred: true });
