import type { Item, N8n } from '../n8n';
import type { Row } from '../outbox';
import { Rules, type Rule } from '../rules';

/** For more rows, one question about all is cheaper. */
const FEW = 50;

/** Which rows of the outbox to look at: those for which both conditions hold, or one of them. */
interface Question {
  match: 'allConditions' | 'anyCondition';
  column: string;
  condition: string;
  value: string | number;
  and_column: string;
  and_condition: string;
  and_value: string | number;
  /** Empty: every number. */
  phone_number: string;
  /** Whether the answer has all messages of the day. */
  is_day: boolean;
}

/** What to look up before the rows may go: a question for each number, or one for all. */
export default function questions({ $, $now }: N8n): Item<Question>[] {
  const rows = $('Rows in the line').all<Row>();
  const rules = new Rules($('Rules').all<Partial<Rule>>());
  const far = $("Row at the day's limit").first<Partial<Row>>();
  const isFarToday = Date.parse(far.json.createdAt ?? '') >= $now.startOf('day').toMillis();
  if (rows.length > FEW || (rules.messagesPerDay > 0 && isFarToday)) {
    return [{ json: aboutAll(Math.max(...rows.map(({ json }) => json.id))) }];
  }
  const asked = rows.map(({ json }) => aboutOne(json));
  const different = new Map(asked.map((question) => [JSON.stringify(question), question]));
  return [...different.values()].map((json) => ({ json }));
}

/** n8n reads page by page, and fails if rows come in between. Up to a row, none does. */
function aboutAll(last: number): Question {
  return {
    match: 'allConditions',
    column: 'id',
    condition: 'gt',
    value: 0,
    and_column: 'id',
    and_condition: 'lte',
    and_value: last,
    phone_number: '',
    is_day: true,
  };
}

/** A key counts for ever, and for every number. */
function aboutOne({ phone_number, key }: Row): Question {
  return {
    match: key ? 'anyCondition' : 'allConditions',
    column: 'phone_number',
    condition: 'eq',
    value: phone_number,
    and_column: key ? 'key' : 'id',
    and_condition: key ? 'eq' : 'gt',
    and_value: key || 0,
    phone_number,
    is_day: false,
  };
}
