import type { Item } from '../../../../builder/code/n8n';
import type { Cells } from '../../../tables.mjs';

/** What holds for one class of messages. */
export type Rule = Cells<'sms_rules'>;

/** The class that is no class: its per_day is the limit of all messages of a day. */
const ALL = 'all';

/** The class of messages with a secret: verification codes. */
export const CODE = 'code';

const rule = (
  name: string,
  check_opt_outs: boolean,
  [from_hour, to_hour]: [number, number],
  outside_hours: 'wait' | 'refuse',
  [per_hour, per_day]: [number, number],
): Rule => ({ class: name, check_opt_outs, from_hour, to_hour, outside_hours, per_hour, per_day });

export const DEFAULT_RULES = [
  rule(CODE, false, [0, 24], 'refuse', [5, 10]),
  rule('alarm', false, [0, 24], 'refuse', [20, 100]),
  rule('notice', true, [8, 21], 'wait', [5, 20]),
  rule('marketing', true, [9, 20], 'refuse', [1, 2]),
  rule(ALL, false, [0, 24], 'refuse', [0, 10_000]),
];

/** The rules by class. What the table lacks is as it starts. */
export class Rules {
  private readonly byClass: Map<string, Rule>;

  constructor(rows: Item<Partial<Rule>>[]) {
    this.byClass = new Map(DEFAULT_RULES.map((each) => [each.class, each]));
    for (const { json: row } of rows) {
      const name = String(row.class ?? '')
        .trim()
        .toLowerCase();
      if (!name) continue;
      const before = this.byClass.get(name) ?? this.of(name);
      this.byClass.set(name, { ...before, ...given(row), class: name });
    }
  }

  /** The rule of a class. A class that has none is a notice, and counts as one. */
  of(name: string): Rule {
    const known = name === ALL ? undefined : this.byClass.get(name);
    return known ?? (this.byClass.get('notice') as Rule);
  }

  /** How many messages may go on one day, to all numbers. 0: no limit. */
  get messagesPerDay(): number {
    return (this.byClass.get(ALL) as Rule).per_day;
  }
}

/** The fields that are filled in. */
function given(row: Partial<Rule>): Partial<Rule> {
  return Object.fromEntries(
    Object.entries(row).filter(([, value]) => value !== null && value !== ''),
  );
}
