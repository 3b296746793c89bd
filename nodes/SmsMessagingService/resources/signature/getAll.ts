import { getManyOperation } from '../../operations/records/getMany';
import { SIGNATURE, SIGNATURE_FIELDS } from './record';

/** Query signature: named in §4.14, not shown. */
export const getAll = getManyOperation(SIGNATURE, {
  filters: {
    name: { ...SIGNATURE_FIELDS.name, description: 'Part of the signature name' },
  },
});
