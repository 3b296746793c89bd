import { getOperation } from '../../operations/records/get';
import { SIGNATURE } from './record';

/** Query signatures, by ID: known by name only. */
export const get = getOperation(SIGNATURE);
