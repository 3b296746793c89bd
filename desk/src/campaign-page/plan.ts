import type { DateTime } from 'luxon';

import { parametersOf, type Campaign, type Recipient } from '../common/messages/campaigns';
import { canOpen, clockAt, openingOf } from '../common/messages/hours';
import { received, segmentsOf } from '../common/messages/received';
import { findPlaceholders } from '../nodes/placeholders';
import type { Rule } from '../common/messages/rules';

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

/** When so many minutes of the allowed hours are over. Undefined: never. */
export function endOf(minutes: number, rule: Rule, now: DateTime): DateTime | undefined {
  if (!canOpen(rule)) return undefined;
  let at = openingOf(rule, now) ?? now;
  let left = minutes;
  for (let day = 0; day < 1_000; day += 1) {
    const isOvernight = rule.from_hour > rule.to_hour && at.hour >= rule.from_hour;
    const closing = clockAt(rule.to_hour, isOvernight ? at.plus({ days: 1 }) : at);
    const open = closing.diff(at, 'minutes').minutes;
    if (left <= open) return at.plus({ minutes: left });
    left -= Math.max(open, 0);
    at = openingOf(rule, closing) ?? closing;
  }
  return undefined;
}
