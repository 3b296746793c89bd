import { SIGNATURE, TEMPLATE } from '../campaignForm';
import type { Fields, Item, N8n } from '../n8n';

/** What the second page of the form offers. */
export interface Offered {
  fields: Fields[];
  /** The IDs by the texts in the lists. */
  templates: Record<string, string>;
  signatures: Record<string, string>;
}

const OWN = 'The one of the template · 模板自带';

/** The templates and signatures of the account that can be used, by name. */
export default function choices({ $ }: N8n): Item<Offered>[] {
  const usable = $('Templates')
    .all()
    .map(({ json }) => json)
    .filter(({ status }) => ![false, 0, '0', 'false'].includes(status as never));
  const templates = Object.fromEntries(
    usable.map(({ id, name, content }) => [
      `${String(name)} (${String(id)}): ${String(content).slice(0, 120)}`,
      String(id),
    ]),
  );
  const named = $('Signatures')
    .all()
    .map(({ json }) => json)
    .filter(({ id }) => id);
  const signatures = {
    [OWN]: '',
    ...Object.fromEntries(
      named.map(({ id, name }) => [`${String(name)} (${String(id)})`, String(id)]),
    ),
  };
  const list = (fieldLabel: string, options: string[]) => ({
    fieldLabel,
    fieldType: 'dropdown',
    requiredField: true,
    fieldOptions: { values: options.map((option) => ({ option })) },
  });
  const fields = [
    list(TEMPLATE, Object.keys(templates)),
    { ...list(SIGNATURE, Object.keys(signatures)), defaultValue: OWN },
  ];
  return [{ json: { fields, templates, signatures } }];
}
