import type { Item } from '../../../../builder/code/n8n';
import type { Cells } from '../../tables';
import { text } from './outbox';

export type Rule = Cells<'sms.rules'>;

/** Two rows that are no classes: their per_day is the limit of all messages of a day, and what of it is kept for codes and alarms. */
const ALL = 'all';
const RESERVED = 'reserved';

/** The class of messages with a secret: verification codes. */
export const CODE = 'code';
const ALARM = 'alarm';

/** The classes that may use what is kept. */
const URGENT = [CODE, ALARM];

const rule = (
  name: string,
  check_opt_outs: boolean,
  [from_hour, to_hour]: [number, number],
  outside_hours: 'wait' | 'refuse',
  [per_hour, per_day]: [number, number],
): Rule => ({ class: name, check_opt_outs, from_hour, to_hour, outside_hours, per_hour, per_day });

export const DEFAULT_RULES = [
  rule(CODE, false, [0, 24], 'refuse', [5, 10]),
  rule(ALARM, false, [0, 24], 'refuse', [20, 100]),
  rule('notice', true, [8, 21], 'wait', [5, 20]),
  rule('marketing', true, [9, 20], 'refuse', [1, 2]),
  rule(ALL, false, [0, 24], 'refuse', [0, 10_000]),
  rule(RESERVED, false, [0, 24], 'refuse', [0, 1_000]),
];

/** The rules by class. What the table lacks is as it starts. */
export class Rules {
  private readonly byClass = new Map(DEFAULT_RULES.map((each) => [each.class, each]));
  private readonly reserved: number;

  constructor(rows: Item<Partial<Rule>>[]) {
    let reserved: number | undefined;
    for (const { json: row } of rows) {
      const name = nameOf(row);
      if (!name) continue;
      if (name === RESERVED) reserved = given(row).per_day ?? reserved;
      const before = this.byClass.get(name) ?? this.of(name);
      this.byClass.set(name, { ...before, ...given(row), class: name });
    }
    // The row came later than the tables: without it, a tenth.
    this.reserved = Math.max(0, reserved ?? Math.floor(this.messagesPerDay / 10));
  }

  /** The rule of a class. A class that has none is a notice, and counts as one. */
  of(name: string): Rule {
    const known = [ALL, RESERVED].includes(name) ? undefined : this.byClass.get(name);
    return known ?? (this.byClass.get('notice') as Rule);
  }

  /** How many messages may go on one day, to all numbers. 0: no limit. */
  get messagesPerDay(): number {
    return (this.byClass.get(ALL) as Rule).per_day;
  }

  /** From how many messages of a day on, to all numbers, none of a class goes. Infinity: no limit. */
  limitOf(name: string): number {
    const limit = this.messagesPerDay;
    if (limit <= 0) return Infinity;
    return URGENT.includes(name) ? limit : Math.max(0, limit - this.reserved);
  }
}

function nameOf(row: Partial<Rule>): string {
  return text(row.class).toLowerCase();
}

function given(row: Partial<Rule>): Partial<Rule> {
  return Object.fromEntries(
    Object.entries(row).filter(([, value]) => value !== null && value !== ''),
  );
}
