import { getOperation } from '../../operations/records/get';
import { LEAD } from './record';

/** Query one lead by id (§4.11). */
export const get = getOperation(LEAD);
