import type { DateTime } from 'luxon';

import { parametersOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import { canOpen, clockAt, openingOf } from '../common/messages/hours';
import { received, segmentsOf } from '../common/messages/received';
import { findPlaceholders } from '../nodes/placeholders';
import { Rules, type Rule } from '../common/messages/rules';
import type { N8n } from '../../../builder/code/n8n';

/** What a start would do. */
export interface Plan {
  people: number;
  optedOut: number;
  /** Those whose message lacks nothing. */
  ready: number;
  invalid: number;
  segments: number;
  /** How many people have nothing in a parameter of the template, by its name. */
  blank: Map<string, number>;
}

/** Counts what a start would send. */
export function planOf(
  { content, signature }: Campaign,
  rows: Recipient[],
  optOuts: Set<string>,
): Plan {
  const plan: Plan = {
    people: 0,
    optedOut: 0,
    ready: 0,
    invalid: 0,
    segments: 0,
    blank: new Map(),
  };
  const { names } = findPlaceholders(content ?? '');
  for (const row of rows) {
    if (row.status === 'invalid') plan.invalid += 1;
    if (row.status !== 'pending') continue;
    plan.people += 1;
    if (optOuts.has(row.phone_number)) {
      plan.optedOut += 1;
      continue;
    }
    const parameters = parametersOf(row);
    plan.segments += segmentsOf(received(content ?? '', parameters, signature ?? ''));
    const blank = names.filter((name) => parameters[name] === '');
    for (const name of blank) plan.blank.set(name, (plan.blank.get(name) ?? 0) + 1);
    if (blank.length === 0) plan.ready += 1;
  }
  return plan;
}

/** The rule of campaigns, and how many of their messages the limit of the day lets go. Infinity: all. */
export type Pace = Rule & { today?: number; later?: number };

/** The rule of campaigns, with what the limit leaves of today. */
export function ruleOf({ $ }: Pick<N8n, '$'>): Pace {
  const rules = new Rules($('Rules').all<Partial<Rule>>());
  const rule = rules.of('marketing');
  const later = rules.limitOf(rule.class);
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
    const isOvernight = rule.from_hour > rule.to_hour && at.hour >= rule.from_hour;
    const closing = clockAt(isOvernight ? 24 : rule.to_hour, at);
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

/** When so many messages have gone, at so many a minute. Undefined: never. */
export function endOf(...plan: Parameters<typeof daysOf>): DateTime | undefined {
  return daysOf(...plan)?.at(-1)?.end;
}
