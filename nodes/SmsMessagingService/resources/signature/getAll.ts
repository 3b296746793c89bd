import { getManyOperation } from '../../operations/records/getMany';
import { SIGNATURE, SIGNATURE_FIELDS } from './record';

/** Query signatures. The specification only names this operation. */
export const getAll = getManyOperation(SIGNATURE, {
  filters: {
    name: {
      ...SIGNATURE_FIELDS.name,
      description: 'Name of the signature, or a part of it if the service searches for parts',
    },
  },
});
