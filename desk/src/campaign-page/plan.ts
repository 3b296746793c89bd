import type { DateTime } from 'luxon';

import { canOpen, clockAt, openingOf } from '../common/messages/hours';
import { Rules, type Rule } from '../common/messages/rules';
import type { N8n } from '../../../builder/code/n8n';
import { rowsIn, type Cell } from './cells';

/** What a start would do. */
export interface Plan {
  people: number;
  optedOut: number;
  /** Those whose message lacks nothing. */
  ready: number;
  invalid: number;
  /** Unknown if a later list has brought another text. */
  segments: number | undefined;
  /** How many people have nothing in a parameter of the template, by its name. */
  blank: Map<string, number>;
}

/** Counts what a start would send. */
export function planOf(cells: Cell[]): Plan {
  const plan: Plan = {
    people: rowsIn(cells, 'pending'),
    ...{ optedOut: 0, ready: 0, invalid: rowsIn(cells, 'invalid'), segments: 0, blank: new Map() },
  };
  const planned = cells.filter(({ status, out }) => out || status === 'pending');
  for (const { segments, blank, out, rows } of planned) {
    // Who has opted out is counted among the others, too.
    const added = out ? -rows : rows;
    if (out) plan.optedOut += rows;
    plan.segments =
      plan.segments === undefined || segments == null
        ? undefined
        : plan.segments + added * segments;
    const names = blank ? blank.split('\n') : [];
    for (const name of names) plan.blank.set(name, (plan.blank.get(name) ?? 0) + added);
    if (names.length === 0) plan.ready += added;
  }
  return plan;
}

/** The rule of campaigns, and how many of their messages the limit of the day lets go. Infinity: all. */
export type Pace = Rule & { today?: number; later?: number };

/** The rule of campaigns, with what the limit leaves of today. */
export function ruleOf({ $ }: Pick<N8n, '$'>): Pace {
  const rules = new Rules($('Rules').all<Partial<Rule>>());
  const rule = rules.of('marketing');
  const later = rules.limitOfCampaigns;
  const { sent = 0 } = $('Figures of today').first<{ sent?: number }>().json;
  return { ...rule, later, today: Math.max(0, later - sent) };
}

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
function closingOf({ from_hour, to_hour }: Rule, at: DateTime): DateTime {
  const isOvernight = from_hour > to_hour && at.hour >= from_hour;
  return clockAt(isOvernight ? 24 : to_hour, at);
}

/** When so many messages have gone, at so many a minute. Undefined: never. */
export function endOf(...plan: Parameters<typeof daysOf>): DateTime | undefined {
  return daysOf(...plan)?.at(-1)?.end;
}
