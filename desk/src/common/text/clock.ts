import type { DateTime } from 'luxon';

/** A time as short as it can be: of today without its day, of this year without its year. */
export function clock(at: DateTime, now: DateTime): string {
  if (at.hasSame(now, 'day')) return at.toFormat('HH:mm');
  return at.toFormat(at.hasSame(now, 'year') ? 'MM-dd HH:mm' : 'yyyy-MM-dd HH:mm');
}
