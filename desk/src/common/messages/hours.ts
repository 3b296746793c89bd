import type { DateTime } from 'luxon';

import type { Cells } from '../../tables';

/** A row of *sms.rules_in_force*. */
export type Rule = Cells<'sms.rules'>;

type Hours = Pick<Rule, 'from_hour' | 'to_hour'>;

/** The next time at which messages of a class may go. Undefined: now. Without `canOpen` it is never reached. */
export function openingOf({ from_hour, to_hour }: Hours, now: DateTime): DateTime | undefined {
  const hour = now.hour + now.minute / 60;
  const isOpen =
    from_hour <= to_hour
      ? hour >= from_hour && hour < to_hour
      : hour >= from_hour || hour < to_hour;
  if (isOpen) return undefined;
  const today = clockAt(from_hour, now);
  return today > now ? today : clockAt(from_hour, now.plus({ days: 1 }));
}

/** Whether there is any time of a day at which messages of a class may go. */
export function canOpen({ from_hour, to_hour }: Hours): boolean {
  return from_hour <= to_hour
    ? Math.max(from_hour, 0) < Math.min(to_hour, 24)
    : from_hour < 24 || to_hour > 0;
}

/** When the clock shows this hour. Hours since midnight are others on days on which the clock is changed. */
export function clockAt(hours: number, day: DateTime): DateTime {
  const hour = Math.floor(hours);
  return day.set({ hour, minute: Math.ceil((hours - hour) * 60), second: 0, millisecond: 0 });
}
