import { getOperation } from '../../operations/records/get';
import { QUALIFICATION } from './record';

/** Query one qualification, exact by id (§4.7). */
export const get = getOperation(QUALIFICATION);
