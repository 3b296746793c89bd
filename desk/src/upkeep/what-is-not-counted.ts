import { countedTo, rowsOf, type Counter } from '../common/records/days';
import type { N8n } from '../../../builder/code/n8n';

/** The rows of a table that are not in the figures by day: those after an ID and stored before a time. */
export interface Uncounted {
  counter: Counter;
  table: string;
  after: number;
  before: string;
}

/** Table → after how many minutes the outcome of its rows is known. */
const TABLES: [table: string, counter: Counter, minutes: number][] = [
  ['sms.inbox', 'inbox_id', 2],
  ['sms.outbox', 'outbox_id', 11],
  ['sms.opt_outs', 'opt_outs_id', 2],
];

/** An item per table: which of its rows to read. */
export default function whatIsNotCounted({ $, $now }: N8n): Uncounted[] {
  const days = rowsOf($('Figures so far').all());
  return TABLES.map(([table, counter, minutes]) => {
    const before = String($now.minus({ minutes }).toUTC().toISO());
    return { counter, table, after: countedTo(days, counter), before };
  });
}
