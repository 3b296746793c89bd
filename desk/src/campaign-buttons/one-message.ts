import { findPlaceholders } from '../nodes/placeholders';
import { parametersOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import type { N8n } from '../../../builder/code/n8n';
import { phoneIn } from '../common/messages/phone';

/** The message of the first recipient, to the number in the field. */
export default function oneMessage({ $, $workflow }: N8n): object {
  const { phone, token } = $('What to do').first<{ phone: string; token: string }>().json;
  const campaign = $('Campaign of the button').first<Campaign>().json;
  const row = $('Its first recipient').first<Partial<Recipient>>().json;
  const columns = parametersOf({ parameters: row.parameters ?? '' });
  const { names } = findPlaceholders(campaign.content ?? '');
  return {
    class: 'notice',
    phone: phoneIn(phone),
    template_id: campaign.template_id,
    signature_id: campaign.signature_id,
    parameters: Object.fromEntries(names.map((name) => [name, columns[name] ?? ''])),
    key: token,
    source: $workflow.name,
    reference: campaign.campaign,
  };
}
