import { documented } from '../../operations/endpoint';
import { deleteOperation } from '../../operations/records/delete';
import { TEMPLATE } from './record';

/** Delete template (§4.10). */
export const del = deleteOperation(TEMPLATE, documented('/openapi/template/delete'));
