import { getManyOperation } from '../../operations/records/getMany';
import { QUALIFICATION, QUALIFICATION_FIELDS } from './record';

const { company_name, name } = QUALIFICATION_FIELDS;

/** Query qualifications, also by a part of a name. */
export const getAll = getManyOperation(QUALIFICATION, {
  filters: {
    company_name: { ...company_name, description: 'Part of the company name' },
    name: { ...name, description: 'Part of the qualification name' },
  },
});
