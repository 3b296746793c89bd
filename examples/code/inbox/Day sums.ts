import { addToDays, daysIn, rowsOf, type DayRow } from '../days';
import type { Item, N8n } from '../n8n';

/** Adds the new rows to the figures of their days. Each day says how far its tables are counted. */
export default function daySums({ $, $now, DateTime }: N8n): Item<DayRow>[] {
  const rows = {
    inbox_id: rowsOf($('Day: new in the inbox').all()),
    outbox_id: rowsOf($('Day: new in the outbox').all()),
    opt_outs_id: rowsOf($('Day: new opt-outs').all()),
  };
  const days = rowsOf($('Day: figures so far').all());
  return addToDays(days, rows, daysIn({ $now, DateTime })).map((json) => ({ json }));
}
