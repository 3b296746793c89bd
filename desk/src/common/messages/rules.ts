import type { Item } from '../../../../builder/code/n8n';
import type { Cells } from '../../tables';

export type Rule = Cells<'sms.rules'>;

/** Two rows that are no classes: their per_day is the limit of all messages of a day, and what of it is kept for codes and alarms. */
const ALL = 'all';
const RESERVED = 'reserved';

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
  rule(RESERVED, false, [0, 24], 'refuse', [0, 1_000]),
];

/** The rules that hold: the rows of *sms.rules_in_force*, or, while that cannot be read, as they start. */
export class Rules {
  private readonly byClass: Map<string, Rule>;

  constructor(rows: Item<Partial<Rule>>[]) {
    const read = rows.flatMap(({ json }) => (json.class ? [json as Rule] : []));
    this.byClass = new Map([...DEFAULT_RULES, ...read].map((each) => [each.class, each]));
  }

  /** The rule of a class that every desk has. */
  of(name: string): Rule {
    return this.byClass.get(name) as Rule;
  }

  /** How many messages may go on one day, to all numbers. 0: no limit. */
  get messagesPerDay(): number {
    return this.of(ALL).per_day;
  }

  /** From how many messages of a day on, to all numbers, no campaign sends. Infinity: no limit. */
  get limitOfCampaigns(): number {
    const limit = this.messagesPerDay;
    return limit <= 0 ? Infinity : Math.max(0, limit - this.of(RESERVED).per_day);
  }
}
