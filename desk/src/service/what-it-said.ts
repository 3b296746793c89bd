import { errorsIn } from '../common/records/rows';
import { clean } from '../common/text/format';
import type { Item, N8n } from '../../../builder/code/n8n';
import type { Cells } from '../tables';

/** What changes in the rows of sms.service. Of what has no answer, the answer before stays. */
export default function whatItSaid({ $, $now }: N8n): Item<Partial<Cells<'sms.service'>>>[] {
  const asked = $now.toISO() ?? '';
  const row = (what: string, items: Item[], answer: object) => {
    const [error] = errorsIn(items);
    return {
      json: { what, asked, ...(error ? { error } : { ...answer, answered: asked, error: '' }) },
    };
  };
  // A name may be cut in the middle of a character, which PostgreSQL does not read.
  const readable = (_: string, value: unknown) =>
    typeof value === 'string' ? clean(value) : value;
  const list = (what: string, items: Item[]) => {
    const records = items.map(({ json }) => json);
    return row(what, items, { records: JSON.stringify(records, readable) });
  };
  const balance = $('Balance').all<{ balance?: unknown }>();
  return [
    row('balance', balance, { balance: Number(balance[0]?.json.balance) }),
    ...($('All templates').isExecuted ? [list('template', $('All templates').all())] : []),
    ...($('All signatures').isExecuted ? [list('signature', $('All signatures').all())] : []),
  ];
}
