import { errorsIn } from '../common/records/rows';
import type { Item, N8n } from '../../../builder/code/n8n';

/** What changes in the rows of sms.service. Of what has no answer, the answer before stays. */
export default function whatItSaid({ $, $now }: N8n): Item[] {
  const asked = $now.toISO() ?? '';
  const row = (what: string, items: Item[], answer: object) => {
    const [error] = errorsIn(items);
    return {
      json: { what, asked, ...(error ? { error } : { ...answer, answered: asked, error: '' }) },
    };
  };
  const list = (what: string, items: Item[]) =>
    row(what, items, { records: items.map(({ json }) => json) });
  const balance = $('Balance').all<{ balance?: unknown }>();
  return [
    row('balance', balance, { balance: Number(balance[0]?.json.balance) }),
    ...($('All templates').isExecuted ? [list('template', $('All templates').all())] : []),
    ...($('All signatures').isExecuted ? [list('signature', $('All signatures').all())] : []),
  ];
}
