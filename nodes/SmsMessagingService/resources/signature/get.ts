import { getOperation } from '../../operations/records/operations';
import { SIGNATURE } from './record';

/** Query signature: named in §4.14, not shown. */
export const get = getOperation(SIGNATURE);
