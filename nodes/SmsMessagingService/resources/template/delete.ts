import { deleteOperation } from '../../managing/operations';
import { TEMPLATE } from './record';

/** Delete template (§4.10). */
export const del = deleteOperation({ kind: TEMPLATE, path: '/openapi/template/delete' });
