import { isOpen, type Campaign } from '../common/messages/campaigns';
import type { Item, N8n } from '../../../builder/code/n8n';
import { errorsIn } from '../common/records/days';
import { isEnabled, type ServiceRecord } from '../common/records/service';
import { findPlaceholders } from '../nodes/placeholders';
import type { Load, Problem } from './read-the-request';

export type Choice = Record<
  'campaign' | 'template_id' | 'template' | 'content' | 'signature_id' | 'signature',
  string
>;

/** What the campaign is sent with: what the request names, or what was chosen earlier. Or why it is not. */
export default function campaignToStore({ $ }: N8n): Choice | Problem {
  const request = $('Read the request').first<Load | Problem>().json;
  if ('problem' in request) return request;
  const { campaign, template_id, columns } = request;
  const stored = $('Campaign of that name').first<Campaign & Choice>().json;
  if (stored.state === 'stopped') {
    return refused(`The campaign "${campaign}" was stopped. Choose another name.`, 409);
  }
  const wanted = template_id || stored.template_id;
  if (!wanted) {
    return refused(`There is no campaign "${campaign}" yet: its first list needs "template_id".`);
  }
  // Without a row, there is an empty item, which nobody has started.
  if (isOpen(stored)) return template_id ? chosen({ $ }, request) : stored;
  if (wanted !== stored.template_id) {
    return refused(
      `The campaign "${campaign}" has been started with the template ${stored.template_id}. Choose another name.`,
      409,
    );
  }
  if (request.isStarted === false) {
    return refused(`The campaign "${campaign}" was started meanwhile. Load the list again.`, 409);
  }
  // They are sent at once, so no later list can give what they lack.
  const lacks = findPlaceholders(stored.content).names.filter((name) => !columns.includes(name));
  return lacks.length > 0
    ? refused(
        `The campaign "${campaign}" has been started, and its template needs ${lacks.join(', ')}: each recipient must have it.`,
      )
    : stored;
}

const refused = (problem: string, status: Problem['status'] = 400) => ({ problem, status });

/** The choice of the request, if the account has it. */
function chosen(
  { $ }: Pick<N8n, '$'>,
  { campaign, template_id, signature_id }: Load,
): Choice | Problem {
  const templates = $('Templates').all<Partial<ServiceRecord>>();
  const signatures = $('Signatures').all<Partial<ServiceRecord>>();
  const [reason] = errorsIn([...templates, ...signatures]);
  if (reason) {
    const problem = `The templates and signatures could not be read: ${reason} Post the list again.`;
    return refused(problem, 503);
  }
  const template = find(templates, template_id);
  if (!template) return refused(`The account has no template with the ID ${template_id}.`);
  if (!isEnabled(template as ServiceRecord)) {
    return refused(`The template ${template_id} is not approved and enabled.`);
  }
  // Without a signature of its own choice, a campaign has that of its template.
  const signature = find(signatures, signature_id || String(template.sign_id));
  if (signature_id && !signature) {
    return refused(`The account has no signature with the ID ${signature_id}.`);
  }
  const names = { template: template.name ?? '', signature: signature?.name ?? '' };
  return { campaign, template_id, signature_id, content: template.content ?? '', ...names };
}

const find = (records: Item<Partial<ServiceRecord>>[], id: string) =>
  records.find(({ json }) => String(json.id) === id)?.json;
