import { documented } from '../../operations/endpoint';
import { deleteOperation } from '../../operations/records/delete';
import { QUALIFICATION } from './record';

/** Delete a qualification. */
export const del = deleteOperation(QUALIFICATION, documented('/openapi/cert/delete'));
