import type { Fields, N8n } from '../../../builder/code/n8n';
import { packed } from '../common/records/items';
import { rowsInLine } from '../common/messages/outbox';
import { Rules, type Rule } from '../common/messages/rules';

interface Condition {
  column: string;
  operator: string;
  value: string;
}

/** What to look at: rows of the outbox for which all of it holds, and the number on the opt-out list. */
export interface Question {
  which: Condition;
  when: Condition;
  /** Only rows with IDs between these matter. */
  from: number;
  to: number;
  phone_number: string;
}

const ANY: Condition = { column: 'status', operator: 'filled', value: '' };

/** What is looked at before the rows may go: who has their numbers and their keys, and who has opted out. */
export default function questions({ $, $now }: N8n): Fields {
  const rows = rowsInLine({ $ })
    .map(({ json }) => json)
    .sort((a, b) => a.id - b.id);
  const rules = new Rules($('Rules').all<Partial<Rule>>());
  const from = Number($('Counted days ago').first<{ outbox_id?: number }>().json.outbox_id ?? 0);
  // A message waits for a day at most, and is tried for one: an older one does not count, and cannot go.
  const since = String($now.minus({ days: 2, hours: 2 }).toISO());
  const looks = new Map<string, Question>();
  for (const { id, phone_number, key, ...row } of rows) {
    const number = `number ${phone_number}`;
    looks.set(number, {
      which: { column: 'phone_number', operator: '=', value: phone_number },
      when: { column: 'sent_at', operator: '>', value: since },
      // The last of a number looks furthest.
      ...{ from, to: rules.isLimited(row.class) ? id : (looks.get(number)?.to ?? 0) },
      phone_number,
    });
    // Once under a key, however long ago.
    const which = { column: 'key', operator: '=', value: key };
    if (key) looks.set(`key ${key}`, { which, when: ANY, from: 0, to: id, phone_number: '' });
  }
  return packed([...looks.values()]);
}
