import { getOperation } from '../../operations/records/get';
import { SIGNATURE } from './record';

/** Query signature: named in §4.14, not shown. */
export const get = getOperation(SIGNATURE);
