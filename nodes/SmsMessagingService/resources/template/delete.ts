import { deleteOperation } from '../../operations/records/operations';
import { TEMPLATE } from './record';

/** Delete template (§4.10). */
export const del = deleteOperation(TEMPLATE, { path: '/openapi/template/delete' });
