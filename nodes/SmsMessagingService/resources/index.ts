import type { Resource } from '../operations/operation';
import { pullResource } from '../receiving/pullOperation';
import { balance } from './balance';
import { lead } from './lead';
import { sendCustom } from './message/sendCustom';
import { sendTemplate } from './message/sendTemplate';
import { qualification } from './qualification';
import { signature } from './signature';
import { template } from './template';

const message: Resource = {
  option: { name: 'Message', value: 'message', description: 'SMS to one or many phone numbers' },
  operations: [sendTemplate, sendCustom],
  defaultOperation: sendTemplate,
};

export const RESOURCES: Resource[] = [
  balance,
  pullResource('deliveryReport'),
  message,
  qualification,
  pullResource('reply'),
  lead,
  signature,
  template,
];
