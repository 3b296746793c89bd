import { inferred } from '../../operations/endpoint';
import { createOperation } from '../../operations/records/create';
import { QUALIFICATION, QUALIFICATION_FIELDS } from './record';

const { name, company_name, ...additionalFields } = QUALIFICATION_FIELDS;

/** Create a qualification. The specification only names this operation. */
export const create = createOperation(QUALIFICATION, {
  endpoint: inferred('/openapi/cert/create'),
  required: { name, company_name },
  additionalFields,
});
