import type { Resource } from '../operations/operation';
import { balance } from './balance';
import { deliveryReport, reply } from './events';
import { lead } from './lead';
import { message } from './message';
import { qualification } from './qualification';
import { signature } from './signature';
import { template } from './template';

/** All resources, sorted by name as in the editor's list. */
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
