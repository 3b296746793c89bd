import { createOperation } from '../../operations/records/operations';
import { TEMPLATE, TEMPLATE_FIELDS } from './record';

const { name, content, ...additionalFields } = TEMPLATE_FIELDS;

/** Create template: named in §4.14, not shown. */
export const create = createOperation(TEMPLATE, {
  path: '/openapi/template/create',
  isInferred: true,
  required: { name, content },
  additionalFields,
});
