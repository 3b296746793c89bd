/** What is wrong with deliveries: each alert by a threshold that its owner sets in sms.thresholds. */
import type { Fields } from '../../../builder/code/n8n';
import type { Notice } from '../common/messages/unsent';
import type { Thresholds } from '../common/messages/thresholds';
import { number, share } from '../common/text/numbers';
import { address, statusPage } from './address';
import { groupBy } from '../common/records/groups';
import { figuresOf } from './figures';
import type { Message } from './rows';
import type { Voice } from './voice';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What failed in this time fails now. */
const NOW_MS = 2 * HOUR_MS;

/** So many templates are told at most. */
const MAX_TEMPLATES = 4;

export const ALERTS_ZH = {
  'All messages': '全部短信',
  'Template {name}': '模板 {name}',
  'the last 2 hours': '最近 2 小时',
  'the last 24 hours': '最近 24 小时',
  '{name}, {period}: {failed} of {reports} failed ({rate}).':
    '{name}，{period}：{reports} 条状态报告中 {failed} 条失败（{rate}）。',
  'The last 2 hours are better.': '最近 2 小时已好转。',
  'Told above {percent} % of at least {of} reports (“failed_percent” and “failed_of” in sms.thresholds).':
    '至少 {of} 条状态报告中超过 {percent} % 时提示（sms.thresholds 的 “failed_percent” 和 “failed_of”）。',
  'Delivery is slow: half of the messages of the last 24 hours took {time} or more.':
    '送达缓慢：最近 24 小时有一半的短信用时 {time} 或更久。',
  'Told above {minutes} min (“slow_minutes” in sms.thresholds).':
    '超过 {minutes} 分钟时提示（sms.thresholds 的 “slow_minutes”）。',
  'The balance of {balance} lasts for about {days} {days|day|days}.':
    '余额 {balance} 大约还能用 {days} 天。',
  'The balance of {balance} lasts for less than a day.': '余额 {balance} 不足一天使用。',
  'The balance is {balance}: nothing can be sent.': '余额为 {balance}：无法发送。',
  'About {perDay} segments are spent a day, by the last full days. Told below {days} days (“balance_days” in sms.thresholds).':
    '按最近完整的几天计算，每天约消耗 {perDay} 条计费短信。少于 {days} 天时提示（sms.thresholds 的 “balance_days”）。',
  'Show the failures': '查看失败短信',
  'Status page': '状态页',
} as const;

type Alerter = Voice<keyof typeof ALERTS_ZH>;

export interface Alert extends Notice {
  rule: 'failures' | 'slow' | 'balance';
  /** Whether it is so now, or was earlier in the last 24 hours. */
  isNow: boolean;
}

/** What the rules look at. */
export interface Seen {
  messages: Message[];
  /** Rows of sms.days. */
  days: Fields[];
  /** As the service says it, if it does. */
  balance: unknown;
  /** How many segments a message has on average. */
  segments: number;
  thresholds: Thresholds;
  now: number;
  /** The day of a time, in the time zone of the workflow. */
  dayOf: (at: number) => string;
}

/** What is wrong. What stops everything comes first. */
export function alertsOf(seen: Seen, voice: Alerter): Alert[] {
  const templates = [...groupBy(seen.messages, ({ template }) => template)]
    .flatMap(([template, messages]) => failures(template, messages, seen, voice))
    .sort((a, b) => b.failed - a.failed)
    .slice(0, MAX_TEMPLATES);
  const found = [
    ...balanceLasts(seen, voice),
    ...failures('', seen.messages, seen, voice),
    ...templates,
    ...slow(seen, voice),
  ];
  // Red before yellow, as their names are.
  return found.sort((a, b) => a.level.localeCompare(b.level));
}

function failures(
  template: string,
  messages: Message[],
  { now, thresholds }: Seen,
  { say, asked, nameOf }: Alerter,
): (Alert & { failed: number })[] {
  const { failed_percent: percent, failed_of: of } = thresholds;
  const ofLast = (length: number) => figuresOf(messages, [], { from: now - length, to: now });
  const [recent, day] = [ofLast(NOW_MS), ofLast(DAY_MS)];
  const isBad = ({ failed, reported }: typeof day) => failed * 100 > percent * reported;
  const told = [day, recent].find((each) => each.reported >= of && isBad(each));
  if (!told) return [];
  const { failed, reported } = told;
  const isNow = isBad(recent);
  const text = say('{name}, {period}: {failed} of {reports} failed ({rate}).', {
    name: template
      ? say('Template {name}', { name: nameOf(template) || template })
      : say('All messages'),
    period: say(told === day ? 'the last 24 hours' : 'the last 2 hours'),
    ...{ failed: number(failed), reports: number(reported), rate: share(failed, reported) },
  });
  const rule = say(
    'Told above {percent} % of at least {of} reports (“failed_percent” and “failed_of” in sms.thresholds).',
    { percent, of },
  );
  const shown = { template, batch: '', from: '', to: '', window: '24h', status: 'failed' } as const;
  return [
    {
      ...{ rule: 'failures', isNow, failed, level: isNow ? 'red' : 'yellow' },
      text: isNow ? text : `${text} ${say('The last 2 hours are better.')}`,
      more: [rule],
      link: { text: say('Show the failures'), href: address(asked, shown) },
    },
  ];
}

function slow({ messages, now, thresholds }: Seen, { say, lengthOf }: Alerter): Alert[] {
  const { p50 } = figuresOf(messages, [], { from: now - DAY_MS, to: now });
  const { slow_minutes: minutes } = thresholds;
  if (p50 === undefined || p50 <= minutes * 60_000) return [];
  const text = say(
    'Delivery is slow: half of the messages of the last 24 hours took {time} or more.',
    { time: lengthOf(p50) },
  );
  const rule = say('Told above {minutes} min (“slow_minutes” in sms.thresholds).', { minutes });
  return [{ rule: 'slow', isNow: true, level: 'yellow', text, more: [rule] }];
}

/** What is spent a day: by the full days of the last week, or else by the last 24 hours. In segments. */
export function perDay({ messages, days, now, dayOf, segments }: Seen): number {
  const full = days.filter(
    (row) => String(row.day) < dayOf(now) && String(row.day) >= dayOf(now - 7 * DAY_MS),
  );
  const sent =
    full.length > 0
      ? full.reduce((sum, row) => sum + Number(row.sent), 0) / full.length
      : figuresOf(messages, [], { from: now - DAY_MS, to: now }).sent;
  return sent * segments;
}

function balanceLasts(seen: Seen, { say, asked }: Alerter): Alert[] {
  const { balance } = seen;
  if (typeof balance !== 'number') return [];
  const spent = perDay(seen);
  const days = balance <= 0 ? 0 : balance / spent;
  const { balance_days } = seen.thresholds;
  if (balance > 0 && !(days < balance_days)) return [];
  const lasts =
    days < 1
      ? 'The balance of {balance} lasts for less than a day.'
      : 'The balance of {balance} lasts for about {days} {days|day|days}.';
  const text = say(balance > 0 ? lasts : 'The balance is {balance}: nothing can be sent.', {
    ...{ balance: number(balance), days: number(Math.floor(days)) },
  });
  const rule = say(
    'About {perDay} segments are spent a day, by the last full days. Told below {days} days (“balance_days” in sms.thresholds).',
    { perDay: number(Math.round(spent)), days: balance_days },
  );
  const link = { text: say('Status page'), href: statusPage(asked) };
  const level = days < 2 ? 'red' : 'yellow';
  return [{ rule: 'balance', isNow: true, level, text, more: [rule], link }];
}
