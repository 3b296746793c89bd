import { addToDays, daysIn, rowsOf, type Counter, type DayRow } from '../common/records/days';
import type { Fields, N8n } from '../../../builder/code/n8n';
import { sourceOf } from '../../../builder/code/paired';
import type { Uncounted } from './what-is-not-counted';

/** Adds the new rows to the figures of their days. Each day says how far its tables are counted. */
export default function daySums({ $, $now, DateTime }: N8n): DayRow[] {
  const tables = $('What is not counted').all<Uncounted>();
  // Not $input: n8n pairs the items of an input with themselves.
  const items = $('New rows').all();
  const rowsFor = (counter: Counter): Fields[] =>
    rowsOf(items.filter((item) => sourceOf(item, tables)?.counter === counter));
  const rows = {
    inbox_id: rowsFor('inbox_id'),
    outbox_id: rowsFor('outbox_id'),
    opt_outs_id: rowsFor('opt_outs_id'),
  };
  const days = rowsOf($('Figures so far').all());
  return addToDays(days, rows, daysIn({ $now, DateTime }));
}
