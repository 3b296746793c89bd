import type { Resource } from '../../operations/operation';
import { sendCustom } from './sendCustom';
import { sendTemplate } from './sendTemplate';

export const message: Resource = {
  option: { name: 'Message', value: 'message', description: 'SMS to one or many phone numbers' },
  operations: [sendTemplate, sendCustom],
  defaultOperation: sendTemplate,
};
