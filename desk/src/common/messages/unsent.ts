/** What was not sent: the first that every page says. */
import { safe, type Markup } from '../../../../builder/code/html';
import { sayIn, type Lang } from '../../../../builder/code/lang';
import { quote } from '../../../../builder/code/look';
import { number, withoutNumbers } from '../text/format';
import { reasonIn, said, whyOf, type Why } from './reasons';
import { STATES, type State } from './states';
import type { Thresholds } from './thresholds';

/** Each way not to be sent: what is said of its messages, and then what to do. Those that need somebody come first. */
const KINDS = {
  rejected: {
    '{messages} {n|was|were} rejected by the SMS service.': '短信服务商拒绝了 {messages}。',
    'Mend what the reason says, and send again.': '请按原因处理，然后重新发送。',
  },
  refused: {
    '{messages} {n|was|were} refused.': '{messages}被规则拦下。',
    'Your hours and limits are in the table sms.rules. Mend what the reason says, and send again.':
      '您的时段和限额在表 sms.rules 中。请按原因处理，然后重新发送。',
  },
  overdue: {
    '{messages} should have gone by now.': '{messages}到了时间却没有发出。',
    'SMS · Outbox sends 500 of them a minute. Look whether it is published, and what they say in sms.outbox.':
      'SMS · Outbox 每分钟补发 500 条。请检查它是否已发布，并查看表 sms.outbox 中的这些行。',
  },
  unknown: {
    '{messages} may have been sent, or not.': '{messages}可能已发出，也可能没有。',
    'Wait for the delivery reports. Send again only what may come twice.':
      '请先等待状态报告。只重发收到两次也无妨的短信。',
  },
  late: {
    '{messages} {n|was|were} accepted, and no report has come for {minutes} min.':
      '{messages}已受理，但超过 {minutes} 分钟没有状态报告。',
    'Look on the status page whether the inbox is green. If it is, ask your SMS provider.':
      '请在状态页查看收件箱是否正常；如果正常，请询问短信服务商。',
  },
  pending: {
    '{messages} {n|has|have} not been sent.': '{messages}尚未发送。',
    'The state of the campaign says whether they go, and when.': '是否发送、何时发送见群发状态。',
  },
  waiting: {
    '{messages} {n|waits|wait} for the allowed hours.': '{messages}在等待允许的时段。',
    'They go by themselves.': '到时会自动发送。',
  },
} as const;

const UNSENT_ZH = {
  ...{ ...KINDS.rejected, ...KINDS.refused, ...KINDS.overdue, ...KINDS.unknown },
  ...{ ...KINDS.late, ...KINDS.pending, ...KINDS.waiting },
  '{n} {n|message|messages}': '{n} 条短信',
  'Most say: {reason} ({n})': '最多的原因：{reason}（{n} 条）',
  'Red from {n} on (“not_sent” in sms.thresholds).':
    '达到 {n} 条为红色（sms.thresholds 的 “not_sent”）。',
  'Red above {percent} % of at least {of} messages (“late_percent” and “late_of” in sms.thresholds).':
    '至少 {of} 条短信中超过 {percent} % 为红色（sms.thresholds 的 “late_percent” 和 “late_of”）。',
  'Not sent, or not confirmed': '未发送或未确认',
  'Show these messages': '查看这些短信',
  'Nothing is unsent: no message was refused or rejected, waits, or may be lost.':
    '没有未发送的短信：没有被规则拦下、被服务商拒绝、等待中或结果未知的短信。',
} as const;

type Text = keyof typeof UNSENT_ZH;

export type Kind = keyof typeof KINDS;

const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** Messages that are alike, as PostgreSQL counts them: their kind, by `sms.kind_of`, if they have one. */
export interface Alike extends Partial<Why> {
  kind: Kind | null;
  rows: number;
  state?: State;
  /** Whether a report should have come by now. */
  is_old?: boolean | null;
}

/** The messages that were not sent in one way. */
export interface Line {
  kind: Kind;
  messages: number;
  /** The reason that most of them have, and how many. */
  why: Why;
  most: number;
  level: Level;
  /** What they are of, where a page tells of several, and its page. */
  of?: { name: string; href: string };
}

type Level = 'red' | 'yellow' | 'plain';

/** Whether messages go by themselves. */
const isInTime = (kind: Kind) => kind === 'waiting' || kind === 'pending';

/** What was not sent of these messages, in the order in which it is said. */
export function unsentOf(messages: Alike[], thresholds: Thresholds): Line[] {
  const kinds = new Map<Kind, Map<string, number>>();
  let due = 0;
  for (const each of messages) {
    const { kind, rows, state, is_old } = each;
    if (is_old && state && STATES[state].isSent) due += rows;
    if (!kind) continue;
    const reasons = kinds.get(kind) ?? new Map<string, number>();
    kinds.set(kind, reasons);
    const why = JSON.stringify(whyOf(each));
    reasons.set(why, (reasons.get(why) ?? 0) + rows);
  }
  const { not_sent, late_percent, late_of } = thresholds;
  const levelOf = (kind: Kind, count: number): Level => {
    if (kind === 'late') {
      return due >= late_of && count * 100 > late_percent * due ? 'red' : 'plain';
    }
    if (isInTime(kind)) return 'plain';
    return count >= not_sent ? 'red' : 'yellow';
  };
  return KIND_NAMES.flatMap((kind): Line[] => {
    const reasons = [...(kinds.get(kind) ?? [])]
      .map(([why, rows]) => ({ why: JSON.parse(why) as Why, rows }))
      .sort((a, b) => b.rows - a.rows);
    if (reasons.length === 0) return [];
    const count = reasons.reduce((sum, { rows }) => sum + rows, 0);
    const { why, rows: most } = reasons.find((each) => each.why.reason) ?? { why: said(), rows: 0 };
    return [{ kind, messages: count, why, most, level: levelOf(kind, count) }];
  });
}

/** How many of them need somebody, and how badly. */
export function worstOf(lines: Pick<Line, 'level' | 'messages'>[]) {
  const found = lines.filter(({ level }) => level !== 'plain');
  const level: Level =
    found.find((line) => line.level === 'red')?.level ?? found[0]?.level ?? 'plain';
  return { level, count: found.reduce((sum, { messages }) => sum + messages, 0) };
}

/** How a page says it. */
interface Telling {
  lang: Lang;
  thresholds: Thresholds;
  /** What to do on this page, where that is not the same as everywhere. */
  todo?: Partial<Record<Kind, string>>;
  /** Where the messages of a kind are listed. */
  hrefOf?: (kind: Kind) => string;
}

/** A line in words: what happened, why, what to do, and by which threshold. */
export function wordsOf(
  { kind, messages: n, why, most }: Line,
  { lang, thresholds, todo }: Telling,
) {
  const say = sayIn(lang, UNSENT_ZH);
  const { not_sent, late_minutes, late_percent: percent, late_of: of } = thresholds;
  const [text, toDo] = Object.keys(KINDS[kind]) as [Text, Text];
  const messages = say('{n} {n|message|messages}', { n: number(n) });
  const reason = withoutNumbers(reasonIn(lang, why));
  const rule =
    kind === 'late'
      ? 'Red above {percent} % of at least {of} messages (“late_percent” and “late_of” in sms.thresholds).'
      : 'Red from {n} on (“not_sent” in sms.thresholds).';
  return {
    text: say(text, { messages, n: number(n), minutes: late_minutes }),
    why: reason && say('Most say: {reason} ({n})', { reason, n: number(most) }),
    todo: todo?.[kind] ?? say(toDo),
    rule: isInTime(kind) ? '' : say(rule, { percent, of, n: number(not_sent) }),
  };
}

/** What stands in a list at the top of a page. */
export interface Notice {
  level: Level;
  text: string;
  /** Why, what to do, and by which rule it is said. */
  more: string[];
  link?: { text: string; href: string };
}

/** Notices with a heading. */
export function noticesOf(title: string, notices: Notice[]): Markup {
  const lines = notices.map(({ level, text, more, link }) => {
    const button = link ? safe` <a class="button" href="${link.href}">${link.text}</a>` : '';
    const small = more.filter(Boolean).map((each) => safe`<small>${quote(each)}</small>`);
    return safe`<li class="notice ${level}"><b class="mark ${level}">${quote(text)}</b>${button}${small}</li>`;
  });
  return safe`<section class="alerts"><h2>${title}</h2><ul>${lines}</ul></section>`;
}

/** What was not sent, or that nothing is unsent: it stands first on a page. */
export function unsentPanel(lines: Line[], telling: Telling): Markup {
  const { lang, hrefOf } = telling;
  const say = sayIn(lang, UNSENT_ZH);
  if (lines.length === 0) {
    const text = say(
      'Nothing is unsent: no message was refused or rejected, waits, or may be lost.',
    );
    return safe`<p class="notice green" role="status"><b class="mark green">${text}</b></p>`;
  }
  const notices = lines.map((line): Notice => {
    const { text, why, todo, rule } = wordsOf(line, telling);
    const { level, of, kind } = line;
    const href = of?.href ?? hrefOf?.(kind);
    const link = href ? { text: say('Show these messages'), href } : undefined;
    const more = [why, `${todo} ${rule}`.trim()];
    return { level, text: of ? `${of.name}: ${text}` : text, more, link };
  });
  return noticesOf(say('Not sent, or not confirmed'), notices);
}
