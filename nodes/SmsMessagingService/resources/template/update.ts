import { inferred } from '../../operations/endpoint';
import { updateOperation } from '../../operations/records/update';
import { TEMPLATE, TEMPLATE_FIELDS } from './record';

/** Update template: named in §4.14, not shown. */
export const update = updateOperation(TEMPLATE, {
  endpoint: inferred('/openapi/template/update'),
  updateFields: TEMPLATE_FIELDS,
});
