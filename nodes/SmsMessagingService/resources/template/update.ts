import { updateOperation } from '../../operations/records/operations';
import { TEMPLATE, TEMPLATE_FIELDS } from './record';

/** Update template: named in §4.14, not shown. */
export const update = updateOperation(TEMPLATE, {
  path: '/openapi/template/update',
  isInferred: true,
  updateFields: TEMPLATE_FIELDS,
});
