import { getManyOperation } from '../../operations/records/getMany';
import { TEMPLATE, TEMPLATE_FIELDS } from './record';

/** Query templates, with their review status. */
export const getAll = getManyOperation(TEMPLATE, {
  filters: {
    name: {
      ...TEMPLATE_FIELDS.name,
      description: 'Name of the template, or a part of it if the service searches for parts',
    },
  },
});
