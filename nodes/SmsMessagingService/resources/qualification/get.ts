import { getOperation } from '../../operations/records/get';
import { QUALIFICATION } from './record';

/** Query qualifications, by ID. */
export const get = getOperation(QUALIFICATION);
