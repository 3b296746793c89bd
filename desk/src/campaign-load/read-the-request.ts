import type { N8n } from '../../../builder/code/n8n';
import { text } from '../common/messages/outbox';
import { listOf, requestIn } from './list';

/** What to load. Its rows are made where they are stored: n8n keeps what each node gives. */
export type Load = ReturnType<typeof readTheRequest>;

export default function readTheRequest({ $input, $execution }: N8n) {
  const request = requestIn($input.first().json);
  const { recipients } = request;
  const campaign = text(request.campaign);
  if (typeof request.campaign !== 'string' || campaign === '') {
    throw new Error('The request has no "campaign": its name.');
  }
  if (!Array.isArray(recipients) || recipients.length === 0) {
    throw new Error('The request has no list of "recipients".');
  }
  return {
    campaign,
    template_id: text(request.template_id),
    signature_id: text(request.signature_id),
    start: request.start === true,
    recipients: recipients.length,
    /** How many numbers the list has, counted as often as they come. */
    numbers: listOf(request, $execution.id).numbers,
  };
}
