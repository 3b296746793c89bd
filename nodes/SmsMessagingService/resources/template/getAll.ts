import { getManyOperation } from '../../operations/records/getMany';
import { TEMPLATE, TEMPLATE_FIELDS } from './record';

/** Query templates, with their review status. */
export const getAll = getManyOperation(TEMPLATE, {
  filters: {
    name: { ...TEMPLATE_FIELDS.name, description: 'Part of the template name' },
  },
});
