import { deleteOperation } from '../../managing/operations';
import { QUALIFICATION } from './record';

/** Delete qualification (§4.8). */
export const del = deleteOperation({ kind: QUALIFICATION, path: '/openapi/cert/delete' });
