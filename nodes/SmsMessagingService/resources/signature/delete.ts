import { inferred } from '../../operations/endpoint';
import { deleteOperation } from '../../operations/records/delete';
import { SIGNATURE } from './record';

/** Delete a signature: known by name only. */
export const del = deleteOperation(SIGNATURE, inferred('/openapi/sign/delete'));
