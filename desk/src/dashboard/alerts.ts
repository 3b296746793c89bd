/** What is wrong with deliveries: each alert by a threshold that its owner sets in sms.thresholds. */
import type { Notice } from '../common/messages/unsent';
import type { Thresholds } from '../common/messages/thresholds';
import { number, share } from '../common/text/format';
import type { Counted, Failures } from './counted';
import { address, statusPage, type Voice } from './voice';
import type { Asked } from './what-was-asked';

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

/** What is wrong, of what was sent in the last 24 hours. What stops everything comes first. */
export function alertsOf(counted: Counted, thresholds: Thresholds, voice: Alerter): Alert[] {
  const templates = (counted.failures ?? [])
    .flatMap(({ template, figures }) => failures(template, figures, thresholds, voice))
    .sort((a, b) => b.failed - a.failed)
    .slice(0, MAX_TEMPLATES);
  const found = [
    ...balanceLasts(counted, thresholds, voice),
    ...failures('', counted.figures, thresholds, voice),
    ...templates,
    ...slow(counted, thresholds, voice),
  ];
  // Red before yellow, as their names are.
  return found.sort((a, b) => a.level.localeCompare(b.level));
}

/** What failed in the last two hours fails now. */
function failures(
  template: string,
  { day, recent }: Partial<Record<'day' | 'recent', Failures>>,
  { failed_percent: percent, failed_of: of }: Thresholds,
  { say, asked, nameOf }: Alerter,
): (Alert & { failed: number })[] {
  const isBad = (each?: Failures) =>
    each !== undefined && each.failed * 100 > percent * each.reported;
  const told = [day, recent].find((each) => each && each.reported >= of && isBad(each));
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

function slow(
  { figures }: Counted,
  { slow_minutes: minutes }: Thresholds,
  { say, lengthOf }: Alerter,
): Alert[] {
  const { p50 } = figures.day;
  if (p50 === null || p50 <= minutes * 60) return [];
  const text = say(
    'Delivery is slow: half of the messages of the last 24 hours took {time} or more.',
    { time: lengthOf(p50) },
  );
  const rule = say('Told above {minutes} min (“slow_minutes” in sms.thresholds).', { minutes });
  return [{ rule: 'slow', isNow: true, level: 'yellow', text, more: [rule] }];
}

/**
 * What is spent a day: by the full days of the last week, or else by the last 24 hours. In segments, of which a message has
 * as many as those of the last 24 hours have; if there are none, those that are shown, if they are all of their time.
 */
export function perDay(
  { sentPerDay, figures: { day, here } }: Counted,
  { template, batch, status }: Asked,
): number {
  const isAll = template + batch + status === '';
  const { sent, segments } = isAll && day.sent === 0 ? here : day;
  return (sentPerDay ?? day.sent) * (sent > 0 ? segments / sent : 1);
}

function balanceLasts(
  counted: Counted,
  { balance_days }: Thresholds,
  { say, asked }: Alerter,
): Alert[] {
  const { balance } = counted;
  if (balance === null) return [];
  const spent = perDay(counted, asked);
  const days = balance <= 0 ? 0 : balance / spent;
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
