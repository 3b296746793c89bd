import { getOperation } from '../../operations/records/get';
import { TEMPLATE } from './record';

/** Query templates, by ID. */
export const get = getOperation(TEMPLATE);
