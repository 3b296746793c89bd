import { getManyOperation } from '../../operations/records/getMany';
import { TEMPLATE, TEMPLATE_FIELDS } from './record';

/** Query templates and their review status (§4.9). */
export const getAll = getManyOperation(TEMPLATE, {
  filters: {
    name: { ...TEMPLATE_FIELDS.name, description: 'Part of the template name' },
  },
});
