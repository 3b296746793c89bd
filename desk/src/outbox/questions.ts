import type { Fields, N8n } from '../../../builder/code/n8n';
import { itemsFor } from '../common/records/items';
import { groupBy } from '../common/records/groups';
import { Rules, type Rule } from '../common/messages/rules';
import { rowsThatAsk, type Asking } from './asking';

/** Without indexes, each look goes through the table: for more rows, one look at all that matters costs less. */
const FEW = 50;

/** Between these, behind the name of a list, are its keys, in each order of texts: data tables have that of n8n's database. */
const NUMBERS = { from: '13', to: '1a' };

interface Condition {
  column: string;
  condition: string;
  value: string | number;
}

/** What to look at: rows of the outbox for which all of it holds, and rows of the opt-out list. */
export interface Question {
  which: Condition;
  when: Condition;
  list: Condition;
  /** Only rows with IDs between these matter. */
  from: number;
  to: number;
  opt_outs: Condition;
}

const is = (column: string, condition: string, value: string | number): Condition => ({
  ...{ column, condition, value },
});
const ANY = is('status', 'isNotEmpty', '');
const LOOK = { which: ANY, when: ANY, list: ANY, from: 0, to: 0, opt_outs: is('id', 'lt', 0) };

/** What is looked at before the rows may go: who has their numbers and their keys, and who has opted out. */
export default function questions({ $, $now }: N8n): Fields[] {
  const { indexed, rows, manyKeys } = rowsThatAsk({ $ });
  const rules = new Rules($('Rules').all<Partial<Rule>>());
  const from = Number($('Counted days ago').first<{ outbox_id?: number }>().json.outbox_id ?? 0);
  // A message waits for a day at most, and is tried for one: an older one does not count, and cannot go.
  const when = is('sent_at', 'gt', String($now.minus({ days: 2, hours: 2 }).toISO()));
  const lately = { ...LOOK, when, from };
  const numbers = !indexed && rows.length > FEW ? ofClasses : ofNumbers;
  const looks = [...numbers(rows, rules, lately), ...ofKeys(rows, manyKeys)];
  return itemsFor($('Who stands before').params, looks);
}

/** A look for each number. */
function ofNumbers(rows: Asking[], rules: Rules, lately: Question): Question[] {
  const looks = new Map<string, Question>();
  for (const { id, phone_number, ...row } of rows) {
    const number = is('phone_number', 'eq', phone_number);
    // The last of a number looks furthest.
    const to = rules.isLimited(row.class) ? id : (looks.get(phone_number)?.to ?? 0);
    looks.set(phone_number, { ...lately, which: number, to, opt_outs: number });
  }
  return [...looks.values()];
}

/** The whole opt-out list, and a look for each class. Who is new in a list has no message of it. */
function ofClasses(rows: Asking[], rules: Rules, lately: Question): Question[] {
  const to = rows.at(-1)?.id ?? 0;
  const looks = [...groupBy(rows, (row) => rules.of(row.class).class)].flatMap(([name, own]) => {
    if (!rules.isLimited(name)) return [];
    // What has no rule of its own counts as a notice, too.
    const which = name === 'notice' ? is('class', 'neq', 'marketing') : is('class', 'eq', name);
    const look = { ...lately, which, to };
    const [list, ...others] = new Set(own.map((row) => row.list?.name));
    if (!list || others.length > 0) return [look];
    const outside = [is('key', 'lt', list + NUMBERS.from), is('key', 'gt', list + NUMBERS.to)];
    return outside.map((each) => ({ ...look, list: each }));
  });
  return [{ ...LOOK, opt_outs: is('id', 'gt', 0) }, ...looks];
}

/** A look for each key, in the whole table, if there are few. Of a list, at what it had before, and has from others. */
function ofKeys(rows: Asking[], manyKeys: string[]): Question[] {
  const asked = rows.filter(({ key, list }) => key && (list || manyKeys.length === 0));
  const looks = groupBy(asked, ({ key, list, source }) =>
    list ? `in ${list.name}|${source}` : `is ${key}`,
  );
  return [...looks.values()].flatMap((own) => {
    const { key = '', id: to = 0, list, source = '' } = own.at(-1) ?? {};
    if (!list) return [{ ...LOOK, which: is('key', 'eq', key), to }];
    const since = new Date(Math.max(...own.map((row) => row.list?.since ?? 0))).toISOString();
    const all = {
      which: is('key', 'gte', list.name + NUMBERS.from),
      list: is('key', 'lt', list.name + NUMBERS.to),
    };
    return [is('createdAt', 'lt', since), is('source', 'neq', source)].map((when) => {
      return { ...LOOK, ...all, when, to };
    });
  });
}
