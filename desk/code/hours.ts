import type { DateTime } from 'luxon';

import type { Rule } from './rules';

type Hours = Pick<Rule, 'from_hour' | 'to_hour'>;

/** The next time at which messages of a class may go. Undefined: now. */
export function openingOf({ from_hour, to_hour }: Hours, now: DateTime): DateTime | undefined {
  const hour = now.hour + now.minute / 60;
  const isOpen =
    from_hour <= to_hour
      ? hour >= from_hour && hour < to_hour
      : hour >= from_hour || hour < to_hour;
  if (isOpen) return undefined;
  const today = now.startOf('day').plus({ hours: from_hour });
  return today > now ? today : today.plus({ days: 1 });
}

/** How many hours of a day messages of a class may go. */
export function hoursPerDay({ from_hour, to_hour }: Hours): number {
  return from_hour <= to_hour ? to_hour - from_hour : 24 - from_hour + to_hour;
}
