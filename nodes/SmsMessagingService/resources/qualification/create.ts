import { createOperation } from '../../operations/records/operations';
import { QUALIFICATION, QUALIFICATION_FIELDS } from './record';

const { name, company_name, ...additionalFields } = QUALIFICATION_FIELDS;

/** Create qualification: named in §4.14, not shown. */
export const create = createOperation(QUALIFICATION, {
  path: '/openapi/cert/create',
  isInferred: true,
  required: { name, company_name },
  additionalFields,
});
