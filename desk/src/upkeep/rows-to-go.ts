import { countedTo, rowsOf } from '../common/records/days';
import type { N8n } from '../../../builder/code/n8n';
import { cutsOf, type Cut } from '../common/records/retention';
import type { Sizes } from './sizes';

/** An item per table that rows go from. */
export default function rowsToGo({ $, $now }: N8n): Cut[] {
  const { tables, limits } = $('Sizes').first<Sizes>().json;
  const days = rowsOf($('Figures so far').all());
  const [waiting] = rowsOf($('First row that is waited for').all());
  const needed = {
    'sms.inbox': Math.min(
      countedTo(days, 'inbox_id') + 1,
      waiting ? Number(waiting.read_to) + 1 : Infinity,
    ),
    'sms.outbox': countedTo(days, 'outbox_id') + 1,
  };
  return cutsOf(tables, limits, { needed, now: $now.toMillis() });
}
