import type { Item, N8n } from '../n8n';
import { roomProblem, type Limits, type TableSize } from '../retention';

/** The reason for an alarm, or none. */
export default function oldRowsAlarm({ $, $now }: N8n): Item<{ reason: string }>[] {
  const tables = $('Old rows sizes').all<TableSize>();
  const limits = $('Old rows: how long to keep').first<Limits>().json;
  const sizes = tables.map(({ json }) => json).filter(({ id }) => id);
  return [{ json: { reason: roomProblem(sizes, limits, $now.toMillis()) } }];
}
