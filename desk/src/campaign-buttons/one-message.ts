import { findPlaceholders } from '../nodes/placeholders';
import { parametersOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import { given, type Request } from '../../../builder/code/lang';
import type { N8n } from '../../../builder/code/n8n';
import { phoneIn } from '../common/messages/outbox';

/** The message of the first recipient, to the number in the field. */
export default function oneMessage({ $, $workflow }: N8n): object {
  const { body } = $('Button is pressed').first<Request>().json;
  const wanted = $('Do it').first<Campaign & Pick<Recipient, 'parameters'>>().json;
  const columns = parametersOf(wanted);
  const { names } = findPlaceholders(wanted.content ?? '');
  return {
    class: 'notice',
    phone: phoneIn(given(body, 'phone')),
    template_id: wanted.template_id,
    signature_id: wanted.signature_id,
    parameters: Object.fromEntries(names.map((name) => [name, columns[name] ?? ''])),
    key: given(body, 'token'),
    source: $workflow.name,
    reference: wanted.campaign,
  };
}
