import { getManyOperation } from '../../operations/records/getMany';
import { SIGNATURE, SIGNATURE_FIELDS } from './record';

/** Query signatures. The specification only names this operation. */
export const getAll = getManyOperation(SIGNATURE, {
  filters: {
    name: { ...SIGNATURE_FIELDS.name, description: 'Part of the signature name' },
  },
});
