import { deleteOperation } from '../../operations/records/operations';
import { SIGNATURE } from './record';

/** Delete signature: named in §4.14, not shown. */
export const del = deleteOperation(SIGNATURE, { path: '/openapi/sign/delete', isInferred: true });
