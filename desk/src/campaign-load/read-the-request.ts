import type { Item, N8n } from '../../../builder/code/n8n';
import { listOf, requestIn, textOf } from './list';

/** What to load. Its rows are made where they are stored: n8n keeps what each node gives. */
export interface Load {
  campaign: string;
  template_id: string;
  signature_id: string;
  start: boolean;
  /** How many recipients the list has. */
  recipients: number;
  /** How many numbers the list has, counted as often as they come. */
  numbers: number;
}

/** What there is to load. */
export default function readTheRequest({ $input, $execution }: N8n): Item<Load>[] {
  const request = requestIn($input.first().json);
  const { recipients } = request;
  const campaign = textOf(request.campaign);
  if (typeof request.campaign !== 'string' || campaign === '') {
    throw new Error('The request has no "campaign": its name.');
  }
  if (!Array.isArray(recipients) || recipients.length === 0) {
    throw new Error('The request has no list of "recipients".');
  }
  const { numbers } = listOf(request, $execution.id);
  const template_id = textOf(request.template_id);
  const signature_id = textOf(request.signature_id);
  const start = request.start === true;
  const load = { campaign, template_id, signature_id, start, numbers };
  return [{ json: { ...load, recipients: recipients.length } }];
}
