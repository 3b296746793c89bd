import { getOperation } from '../../operations/records/get';
import { TEMPLATE } from './record';

/** Query one template by id (§4.9). */
export const get = getOperation(TEMPLATE);
