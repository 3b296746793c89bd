import { countedTo, rowsOf } from '../days';
import type { Item, N8n } from '../n8n';
import { cutsOf, type Cut, type Limits, type TableSize } from '../retention';

/** An item per table that rows go from. */
export default function oldRowsToGo({ $, $now }: N8n): Item<Cut>[] {
  const tables = $('Old rows sizes').all<TableSize>();
  const limits = $('Old rows: how long to keep').first<Limits>().json;
  const days = rowsOf($('Old rows: figures by day').all());
  const [waiting] = rowsOf($('Old rows: first that is waited for').all());
  const needed = {
    sms_inbox: Math.min(
      countedTo(days, 'inbox_id') + 1,
      waiting ? Number(waiting.from_id) + 1 : Infinity,
    ),
    sms_outbox: countedTo(days, 'outbox_id') + 1,
  };
  const sizes = tables.map(({ json }) => json).filter(({ id }) => id);
  return cutsOf(sizes, limits, { needed, now: $now.toMillis() }).map((json) => ({ json }));
}
