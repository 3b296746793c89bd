import type { Resource } from '../operations/operation';
import { balance } from './balance';
import { deliveryReport, reply } from './events';
import { lead } from './lead';
import { message } from './message';
import { qualification } from './qualification';
import { signature } from './signature';
import { template } from './template';

export const RESOURCES: Resource[] = [
  balance,
  deliveryReport,
  message,
  qualification,
  reply,
  lead,
  signature,
  template,
];
