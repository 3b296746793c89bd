import type { DateTime } from 'luxon';

import { canOpen, openingOf } from '../common/messages/hours';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { number } from '../common/text/numbers';
import { hourOf } from './again';
import {
  INTERRUPTED_AFTER_MS,
  NOT_SENT,
  parametersOf,
  rowsInLine,
  sentOf,
  type Decisions,
  type Row,
  type Sendable,
  type Verdict,
} from '../common/messages/outbox';
import { why, whyOf, type Code, type Values, type Why } from '../common/messages/reasons';
import { groupBy } from '../common/records/groups';
import { CODE, Rules, type Rule } from '../common/messages/rules';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Which rows are sent, and how, and why the others are not. The rows with a lower id stand before. */
export default function verdicts({ $, $now }: N8n): Decisions {
  const own = rowsInLine({ $ })
    .map(({ json }) => json)
    .sort((a, b) => a.id - b.id);
  const gate = new Gate($now, {
    rules: new Rules($('Rules').all<Partial<Rule>>()),
    optOuts: $('Who opted out').all(),
    rows: $('Who stands before')
      .all<Row>()
      .map(({ json }) => json)
      .filter(({ id, status }) => id && !NOT_SENT.includes(status))
      .concat(own),
    sentToday: $('Sent today').first<SentToday>().json,
  });
  const decisions: Decisions = { template: [], text: [], none: [] };
  for (const row of own) {
    const { id, sent_at } = row;
    const verdict = gate.decide(row);
    if (verdict) decisions.none.push({ id, sent_at, ...verdict });
    else decisions[row.template ? 'template' : 'text'].push(sendable(row, $));
  }
  return decisions;
}

/** What the nodes that send read by paths: none may be empty, as the SMS node takes that for a mistake. */
function sendable(row: Row, $: N8n['$']): Sendable {
  const { id, sent_at, phone_number, template } = row;
  const parameters = sentFor(row, $);
  const extra = row.signature ? `{"sms_sign_id":${row.signature}}` : '{}';
  return {
    ...{ id, sent_at, phone_number, extra },
    phone_data: row.phone_data || `sms_outbox:${id}`,
    ...(template ? { template, parameters } : { content: contentOf(row, parameters) }),
  };
}

/** What is sent. The table does not have it of a code. */
function sentFor({ run, parameters, ...row }: Row, $: N8n['$']): string {
  if (row.class !== CODE || !$('Messages').isExecuted) return parameters;
  const message = $('Messages').all()[Number(run.split(':')[1])];
  return message ? sentOf(message.json) : parameters;
}

/** What a text says, without the signature. Rows that an earlier version stored have it as their text. */
function contentOf({ text }: Row, sent: string): string {
  const { content } = JSON.parse(parametersOf({ parameters: sent }) ?? '{}') as Fields;
  return typeof content === 'string' ? content : text;
}

interface Known {
  rules: Rules;
  optOuts: Item[];
  /** Those that stand before, and those of this execution. */
  rows: Row[];
  sentToday: SentToday;
}

/** What went today or may go: how many did before this execution, and the IDs of those behind. */
interface SentToday {
  count?: number;
  ids?: number[] | null;
}

/** Decides about rows, in the order of their ids. */
class Gate {
  private readonly rules: Rules;
  private readonly optOuts: Map<unknown, Fields>;
  private readonly byNumber: Map<string, Row[]>;
  private readonly byKey: Map<string, Row[]>;
  /** The rows of today that are not counted yet. Empty if they are below the day's limit anyway. */
  private readonly today: number[];
  private passed = 0;
  private sentToday: number;
  /** The rows of this execution that do not go. */
  private readonly out = new Set<number>();

  constructor(
    private readonly now: DateTime,
    { rules, optOuts, rows, sentToday }: Known,
  ) {
    this.rules = rules;
    this.optOuts = new Map(optOuts.map(({ json }) => [json.phone_number, json]));
    // Two questions may have found the same row.
    const different = [...new Map(rows.map((row) => [row.id, row])).values()];
    const inLine = different.sort((a, b) => a.id - b.id);
    this.byNumber = groupBy(inLine, ({ phone_number }) => phone_number);
    this.byKey = groupBy(inLine, ({ key }) => key);
    this.today = [...(sentToday.ids ?? [])].sort((a, b) => a - b);
    this.sentToday = sentToday.count ?? 0;
  }

  /** Why it does not go. Undefined if it goes. */
  decide(row: Row): Verdict | undefined {
    const verdict = this.verdictOn(row);
    if (verdict && verdict.status !== 'waiting') this.out.add(row.id);
    return verdict;
  }

  private verdictOn(row: Row): Verdict | undefined {
    const rule = this.rules.of(row.class);
    const opening = openingOf(rule, this.now);
    return (
      this.usedKey(row) ??
      this.closed(rule, opening) ??
      this.tooLate(row, rule) ??
      this.optedOut(row, rule) ??
      this.tooMany(row, rule, opening ?? this.now) ??
      this.tooManyToday(row, rule) ??
      (opening && {
        status: 'waiting',
        ...why('hours', { time: opening.toFormat('yyyy-MM-dd HH:mm') }),
        batch_id: '',
        sent_at: opening.toISO() ?? '',
      })
    );
  }

  private closed(rule: Rule, opening: DateTime | undefined): Verdict | undefined {
    const { class: name, from_hour: from, to_hour: to } = rule;
    if (!canOpen(rule)) return refused('hours', { class: name, never: from, to });
    // A code is not stored, so it cannot wait.
    if (!opening || (rule.outside_hours === 'wait' && rule.class !== CODE)) return undefined;
    return refused('hours', { class: name, from, to });
  }

  /** A day after its hour, and the minutes that its last try may take to begin. */
  private tooLate(row: Row, rule: Rule): Verdict | undefined {
    const isLate = this.now > hourOf(row, rule, this.now).plus({ days: 1, minutes: 10 });
    return isLate ? refused('too_late', { reason: whyOf(row) }) : undefined;
  }

  private usedKey(row: Row): Verdict | undefined {
    const first = row.key
      ? this.before(row, this.byKey.get(row.key)).find(({ run }) => run !== row.run)
      : undefined;
    if (!first) return undefined;
    const { status, batch_id } = first;
    const not = (reason: Why) => why('key_used', { key: row.key, reason });
    if (
      status === 'claimed' &&
      this.now.toMillis() - Date.parse(first.sent_at) > INTERRUPTED_AFTER_MS
    ) {
      return { status: 'unknown', ...not(why('interrupted')), batch_id };
    }
    if (status === 'unknown') return { status, ...not(whyOf(first)), batch_id };
    return { status: 'skipped', ...not(why(FIRST[status] ?? 'first_under_way')), batch_id };
  }

  private optedOut({ phone_number }: Row, rule: Rule): Verdict | undefined {
    const entry = rule.check_opt_outs ? this.optOuts.get(phone_number) : undefined;
    if (!entry) return undefined;
    const since = String(entry.since ?? '').slice(0, 10);
    return refused('opted_out', since ? { day: since } : {});
  }

  private tooMany(row: Row, rule: Rule, at: DateTime): Verdict | undefined {
    const same = this.before(row, this.byNumber.get(row.phone_number)).filter(
      (each) => this.rules.of(each.class).class === rule.class,
    );
    const within = (ms: number) =>
      same.filter(
        ({ status, sent_at }) => status === 'waiting' || Date.parse(sent_at) > at.toMillis() - ms,
      ).length;
    if (rule.per_hour > 0 && within(HOUR_MS) >= rule.per_hour) {
      return refused('limit', { count: rule.per_hour, class: rule.class, hours: 1 });
    }
    if (rule.per_day > 0 && within(DAY_MS) >= rule.per_day) {
      return refused('limit', { count: rule.per_day, class: rule.class, hours: 24 });
    }
    return undefined;
  }

  private tooManyToday({ id }: Row, rule: Rule): Verdict | undefined {
    for (; Number(this.today[this.passed]) < id; this.passed += 1) {
      if (!this.out.has(Number(this.today[this.passed]))) this.sentToday += 1;
    }
    const own = this.rules.limitOf(rule.class);
    if (this.sentToday < own) return undefined;
    const limit = this.rules.messagesPerDay;
    const isFull = this.sentToday >= limit;
    const values = { limit: number(limit) };
    const kept = { kept: number(limit - own) };
    return refused('days_limit', isFull ? values : { ...values, ...kept });
  }

  /** Those that stand before a row and go. */
  private before(row: Row, rows: Row[] = []): Row[] {
    return rows.filter(({ id }) => id < row.id && !this.out.has(id));
  }
}

/** What became of the first message under a key, by its status. */
const FIRST: Partial<Record<string, Code>> = {
  accepted: 'first_accepted',
  waiting: 'first_waiting',
};

function refused(code: Code, values: Values): Verdict {
  return { status: 'refused', ...why(code, values), batch_id: '' };
}
