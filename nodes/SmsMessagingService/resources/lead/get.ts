import { getOperation } from '../../operations/records/get';
import { LEAD } from './record';

/** Query leads, by ID. */
export const get = getOperation(LEAD);
