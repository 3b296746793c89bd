import { getOperation } from '../../operations/records/get';
import { SIGNATURE } from './record';

/** Query signatures, by ID. The specification only names this operation. */
export const get = getOperation(SIGNATURE);
