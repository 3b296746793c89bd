import { getManyOperation } from '../../operations/records/getMany';
import { QUALIFICATION, QUALIFICATION_FIELDS } from './record';

const { company_name, name } = QUALIFICATION_FIELDS;

/** Query qualifications, fuzzy by company name or qualification name (§4.7). */
export const getAll = getManyOperation(QUALIFICATION, {
  filters: {
    company_name: { ...company_name, description: 'Part of the company name' },
    name: { ...name, description: 'Part of the qualification name' },
  },
});
