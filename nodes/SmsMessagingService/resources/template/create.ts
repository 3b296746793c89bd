import { inferred } from '../../operations/endpoint';
import { createOperation } from '../../operations/records/create';
import { TEMPLATE, TEMPLATE_FIELDS } from './record';

const { name, content, ...additionalFields } = TEMPLATE_FIELDS;

/** Create a template. The specification only names this operation. */
export const create = createOperation(TEMPLATE, {
  endpoint: inferred('/openapi/template/create'),
  required: { name, content },
  additionalFields,
});
