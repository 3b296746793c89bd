import type { DateTime } from 'luxon';

import type { Item, N8n } from '../../../builder/code/n8n';
import { rowsInLine, type Row } from '../common/messages/outbox';
import { Rules, type Rule } from '../common/messages/rules';

/** The rows of one part of the table. More would take too much memory at once. */
const PART = 5000;

/** Rows of the opt-out list. */
interface OptOuts {
  column: 'phone_number' | 'id';
  condition: 'eq' | 'gt' | 'lt';
  value: string | number;
}

/** Which rows of the outbox to look at: those for which both conditions hold, or one of them. */
interface Question {
  /** Only rows with a lower ID matter. */
  id: number;
  opt_outs: OptOuts;
  phone_number: string;
  match: 'allConditions' | 'anyCondition';
  column: string;
  condition: string;
  value: string | number;
}

/** A part of the table to look at. */
interface Part {
  want: 'part';
  opt_outs: OptOuts;
  part_from: number;
  part_to: number;
  /** Older rows do not matter. */
  part_since: string;
}

/** What to look at before the rows may go: the rows of each number and key, or all, part by part. */
export default function questions({ $, $now, DateTime }: N8n): Item<Question | Part>[] {
  const rows = rowsInLine({ $ }).map(({ json }) => json);
  const rules = new Rules($('Rules').all<Partial<Rule>>());
  const { id: far = 0, createdAt = '' } = $("Row at the day's limit").first<Partial<Row>>().json;
  const farTime = Date.parse(createdAt);
  // A message may wait for up to a day, and be tried for one, and then it counts for another one.
  const oldest = $now.minus({ days: 3 });
  const from = farTime < oldest.toMillis() ? far : 0;
  const isDayFull = rules.messagesPerDay > 0 && farTime >= $now.startOf('day').toMillis();
  // For more rows, one look at all is cheaper.
  const { few } = $('How many are few').first<{ few: number }>().json;
  if (rows.length > few || isDayFull) {
    const hasKeys = rows.some(({ key }) => key);
    const since = hasKeys ? DateTime.fromMillis(0) : oldest;
    return partsOf(hasKeys ? 0 : from, Math.max(...rows.map(({ id }) => id)), since);
  }
  const asked = rows.map((row) => questionOf(row, from));
  // Of equal ones, the last looks furthest.
  const different = new Map(
    asked.map(({ id, ...same }) => [JSON.stringify(same), { id, ...same }]),
  );
  return [...different.values()].map((json) => ({ json }));
}

function partsOf(from: number, to: number, since: DateTime): Item<Part>[] {
  const part_since = since.toISO() ?? '';
  const count = Math.ceil((to - from) / PART);
  return Array.from({ length: count }, (_, index) => {
    const part_from = from + index * PART;
    const part_to = Math.min(to, part_from + PART);
    // The first part asks for the whole opt-out list, and the others for none of it.
    const opt_outs = { column: 'id', condition: index === 0 ? 'gt' : 'lt', value: 0 } as const;
    return { json: { want: 'part', opt_outs, part_from, part_to, part_since } };
  });
}

function questionOf({ id, phone_number, key }: Row, from: number): Question {
  const opt_outs = { column: 'phone_number', condition: 'eq', value: phone_number } as const;
  return key
    ? {
        ...{ id, opt_outs, phone_number, match: 'anyCondition' },
        ...{ column: 'key', condition: 'eq', value: key },
      }
    : {
        ...{ id, opt_outs, phone_number, match: 'allConditions' },
        ...{ column: 'id', condition: 'gt', value: from },
      };
}
