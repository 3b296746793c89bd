import { documented } from '../../operations/endpoint';
import { deleteOperation } from '../../operations/records/delete';
import { TEMPLATE } from './record';

/** Delete a template. */
export const del = deleteOperation(TEMPLATE, documented('/openapi/template/delete'));
