import { deleteOperation } from '../../operations/records/operations';
import { QUALIFICATION } from './record';

/** Delete qualification (§4.8). */
export const del = deleteOperation(QUALIFICATION, { path: '/openapi/cert/delete' });
