import type { DateTime } from 'luxon';

import { canOpen, clockAt, openingOf, type Rule } from '../common/messages/hours';

/** The hours of campaigns, and how many of their messages the limit of the day lets go. Infinity: all. */
export type Pace = Pick<Rule, 'from_hour' | 'to_hour'> & { today?: number; later?: number };

/** The messages of a day, and when the last of them goes. */
export interface Day {
  end: DateTime;
  messages: number;
}

/** On which days so many messages go, at so many a minute. Undefined: never all. */
export function daysOf(
  messages: number,
  pace: number,
  { today = Infinity, later = Infinity, ...rule }: Pace,
  now: DateTime,
): Day[] | undefined {
  if (!canOpen(rule)) return undefined;
  const days: Day[] = [];
  let at = openingOf(rule, now) ?? now;
  let left = messages;
  let room = at.hasSame(now, 'day') ? today : later;
  for (let stretch = 0; stretch < 1_000; stretch += 1) {
    const closing = closingOf(rule, at);
    const most = Math.floor(Math.min(closing.diff(at, 'minutes').minutes * pace, room));
    if (left <= most) return [...days, { end: at.plus({ minutes: left / pace }), messages: left }];
    if (most > 0) days.push({ end: at.plus({ minutes: most / pace }), messages: most });
    left -= Math.max(most, 0);
    const next = openingOf(rule, closing) ?? closing;
    room = next.hasSame(at, 'day') ? room - most : later;
    at = next;
  }
  return undefined;
}

/** When the hours end that a time is in: at midnight, if they go on behind it. */
function closingOf({ from_hour, to_hour }: Pace, at: DateTime): DateTime {
  const isOvernight = from_hour > to_hour && at.hour >= from_hour;
  return clockAt(isOvernight ? 24 : to_hour, at);
}

/** When so many messages have gone, at so many a minute. Undefined: never. */
export function endOf(...plan: Parameters<typeof daysOf>): DateTime | undefined {
  return daysOf(...plan)?.at(-1)?.end;
}
