import { inferred } from '../../operations/endpoint';
import { deleteOperation } from '../../operations/records/delete';
import { SIGNATURE } from './record';

/** Delete signature: named in §4.14, not shown. */
export const del = deleteOperation(SIGNATURE, inferred('/openapi/sign/delete'));
