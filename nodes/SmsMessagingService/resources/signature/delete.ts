import { inferred } from '../../operations/endpoint';
import { deleteOperation } from '../../operations/records/delete';
import { SIGNATURE } from './record';

/** Delete a signature. The specification only names this operation. */
export const del = deleteOperation(SIGNATURE, inferred('/openapi/sign/delete'));
