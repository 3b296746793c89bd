import { isOpen, type Campaign } from '../common/messages/campaigns';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { ServiceRecord } from '../common/records/service';
import type { Load } from './read-the-request';

export type Choice = Record<
  'campaign' | 'template_id' | 'template' | 'content' | 'signature_id' | 'signature',
  string
>;

/** What the campaign is sent with: what the request names, or what was chosen earlier. */
export default function campaignToStore({ $ }: N8n): Choice {
  const { campaign, template_id, signature_id } = $('Read the request').first<Load>().json;
  const row = $('Campaign of that name').first<Partial<Campaign>>().json;
  const stored = row.id ? (row as Campaign & Choice) : undefined;
  if (stored?.state === 'stopped') {
    throw new Error(`The campaign "${campaign}" was stopped. Choose another name.`);
  }
  if (!template_id && !stored?.template_id) {
    throw new Error(`There is no campaign "${campaign}" yet: its first list needs "template_id".`);
  }
  if (stored && (!template_id || !isOpen(stored))) {
    if (template_id && stored.template_id !== template_id) {
      throw new Error(
        `The campaign "${campaign}" has been started with the template ${stored.template_id}. Choose another name.`,
      );
    }
    return stored;
  }
  const template = find($('Templates').all<Partial<ServiceRecord>>(), template_id);
  if (!template) throw new Error(`The account has no template with the ID ${template_id}.`);
  // Without a signature of its own choice, a campaign has that of its template.
  const signature = find(
    $('Signatures').all<Partial<ServiceRecord>>(),
    signature_id || String(template.sign_id),
  );
  if (signature_id && !signature) {
    throw new Error(`The account has no signature with the ID ${signature_id}.`);
  }
  const names = { template: template.name ?? '', signature: signature?.name ?? '' };
  return { campaign, template_id, signature_id, content: template.content ?? '', ...names };
}

const find = (records: Item<Partial<ServiceRecord>>[], id: string) =>
  records.find(({ json }) => String(json.id) === id)?.json;
