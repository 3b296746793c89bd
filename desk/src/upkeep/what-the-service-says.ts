import type { Item, N8n } from '../../../builder/code/n8n';
import type { Cells } from '../tables';
import { text, type NamedRecord, type Wanted } from '../common/messages/outbox';
import { sourceOf } from '../../../builder/code/paired';

/** The rows of sms.templates for the templates and signatures that the service knows. */
export default function whatTheServiceSays({ $ }: N8n): Cells<'sms.templates'>[] {
  const asked = $('Asked').all<Wanted>();
  const named = (kind: NamedRecord['kind'], answers: Item[]) => {
    const input = asked.filter(({ json }) => json.want === kind);
    return answers.flatMap((answer) => {
      const { name, content, error } = answer.json;
      const record_id = sourceOf(answer, input)?.record_id;
      if (error !== undefined || record_id === undefined) return [];
      return [{ kind, record_id, name: text(name), content: text(content) }];
    });
  };
  return [
    ...($('Template').isExecuted ? named('template', $('Template').all()) : []),
    ...($('Signature').isExecuted ? named('signature', $('Signature').all()) : []),
  ];
}
