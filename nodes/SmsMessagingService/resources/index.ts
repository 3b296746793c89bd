import type { Resource } from '../operations/operation';
import { balance } from './balance';
import { deliveryReport } from './deliveryReport';
import { lead } from './lead';
import { message } from './message';
import { qualification } from './qualification';
import { reply } from './reply';
import { signature } from './signature';
import { template } from './template';

/** All resources, in the order of the editor's list: by name. */
export const RESOURCES: Resource[] = [
  balance,
  deliveryReport,
  lead,
  message,
  qualification,
  reply,
  signature,
  template,
];
