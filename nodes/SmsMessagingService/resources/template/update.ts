import { inferred } from '../../operations/endpoint';
import { updateOperation } from '../../operations/records/update';
import { TEMPLATE, TEMPLATE_FIELDS } from './record';

/** Edit a template. The specification only names this operation. */
export const update = updateOperation(TEMPLATE, {
  endpoint: inferred('/openapi/template/update'),
  updateFields: TEMPLATE_FIELDS,
});
