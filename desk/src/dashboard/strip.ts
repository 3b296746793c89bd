import { safe, type Markup } from '../../../builder/code/html';
import { quote } from '../../../builder/code/look';
import { number, share } from '../common/text/numbers';
import { address } from './address';
import * as health from './health';
import type { Finding } from './health';
import { withoutNumbers, type Voice } from './voice';

export const WARNINGS_ZH = {
  Template: '模板',
  Batch: '批次',
  'What is wrong now': '当前问题',
  'Deliveries look right: failures, late reports, a silent inbox, subscribers and balance were looked at.':
    '投递正常：已检查失败率、回执延迟、收件中断、订阅和余额。',
  'Whether all parts of the desk work is on another page:': '各部分是否正常运行，请看：',
  'Earlier in the last 24 hours': '最近 24 小时内较早的问题',
  'The last one at {time}.': '最近一条在 {time}。',
  'All messages of the last 24 hours': '最近 24 小时全部短信',
  'Status {name}: {failed} of {reports} {reports|message|messages} {failed|has|have} it ({rate}). Usual is {usual}.':
    '状态 {name}：{reports} 条回执中出现 {failed} 次（{rate}），平常为 {usual}。',
  '{name}: {failed} of {reports} failed ({rate}). Usual is {usual}.':
    '{name}：{reports} 条回执中 {failed} 条失败（{rate}），平常为 {usual}。',
  'not known yet': '尚不清楚',
  'Only slices with at least {reports} reports and {failures} failures count. The rate must be half as high again as its templates usually have, 3 points higher, and more than chance explains; without a past it is told from 20 % on.':
    '只看至少有 {reports} 条回执且 {failures} 条失败的部分。失败率须高出其模板平常水平一半以上、至少高 3 个百分点，且超出随机波动；没有历史数据时达到 20% 才提示。',
  'Reports are late: {missing} of {sent} {sent|message|messages} sent {from} – {to} {missing|has|have} none.':
    '回执延迟：{from} – {to} 发送的 {sent} 条短信中，{missing} 条没有回执。',
  'Of at least {sent} messages sent 1 to 6 hours ago, {missing} or more and 10 % or more have no report. It must also be three times the share of the time before.':
    '1 至 6 小时前至少发送了 {sent} 条，其中至少 {missing} 条且 10% 以上没有回执。并且须达到此前比例的三倍。',
  'The inbox is silent: {sent} {sent|message was|messages were} accepted since {since}, and no record has come.':
    '收件中断：自 {since} 起已有 {sent} 条短信被受理，但没有收到任何记录。',
  'The inbox is silent: {sent} {sent|message was|messages were} accepted, and no record has ever come.':
    '收件中断：已有 {sent} 条短信被受理，但从未收到任何记录。',
  'At least {sent} messages were accepted more than 30 minutes ago, and after the last record. Look whether the inbox is published and its login works.':
    '至少 {sent} 条短信在 30 分钟前、且在最后一条记录之后被受理。请检查收件工作流是否已发布、登录是否有效。',
  '{name} has not taken its records since {since}. {reason}':
    '{name} 自 {since} 起没有接收记录。{reason}',
  'This has lasted for more than 10 minutes. The inbox keeps the records and goes on trying.':
    '已持续超过 10 分钟。收件工作流会保留记录并继续重试。',
  'The balance of {balance} lasts for about {days} {days|day|days}.':
    '余额 {balance} 大约还能用 {days} 天。',
  'The balance of {balance} lasts for less than a day.': '余额 {balance} 不足一天使用。',
  'The balance is {balance}: nothing can be sent.': '余额为 {balance}：无法发送。',
  'About {perDay} segments are spent a day, by the last full days. It is told below {days} days, and from {least} segments a day on.':
    '按最近完整的几天计算，每天约消耗 {perDay} 条计费短信。少于 {days} 天时提示；每天不足 {least} 条时不提示。',
  'A request to the SMS service failed. {reason}': '短信服务请求失败。{reason}',
  '“SMS · Service” asks for the balance every 5 minutes. Look at the credential, and at the status page.':
    '“SMS · Service” 每 5 分钟查询一次余额。请检查凭据，并查看状态页。',
  'Show these messages': '查看这些短信',
  'Show the failures': '查看失败短信',
  'Status page': '状态页',
} as const;

type Warner = Voice<keyof typeof WARNINGS_ZH>;

/** A line of the strip: what is wrong, the rule, and where to look. */
interface Alert {
  level: 'red' | 'yellow';
  text: string;
  rule: string;
  link: { text: string; href: string };
}

type Failures = Extract<Finding, { rule: 'failures' }>;

function failures(finding: Failures, voice: Warner): Alert {
  const { slice, failed, reports, usual, last, isNow } = finding;
  const { say, asked, clock, inAddress, nameOf } = voice;
  const { kind, from, to } = slice;
  const values = {
    ...{ failed: number(failed), reports: number(reports), rate: share(failed, reports) },
    usual: usual === undefined ? say('not known yet') : share(usual, 1),
    name: {
      all: say('All messages of the last 24 hours'),
      template: `${say('Template')} ${nameOf(slice.name) || slice.name}`,
      batch: `${say('Batch')} ${slice.name}`,
      status: slice.name,
      stretch: `${clock(from)} – ${clock(to)}`,
    }[kind],
  };
  const told =
    kind === 'status'
      ? say(
          'Status {name}: {failed} of {reports} {reports|message|messages} {failed|has|have} it ({rate}). Usual is {usual}.',
          values,
        )
      : say('{name}: {failed} of {reports} failed ({rate}). Usual is {usual}.', values);
  const all = {
    template: '',
    batch: '',
    from: '',
    to: '',
    window: '24h' as const,
    status: 'failed',
  };
  const shown = {
    all: {},
    template: { template: slice.name },
    batch: { batch: slice.name },
    status: { status: slice.name },
    stretch: { window: '' as const, from: inAddress(from), to: inAddress(to) },
  }[kind];
  return {
    level: isNow ? 'red' : 'yellow',
    text: isNow ? told : `${told} ${say('The last one at {time}.', { time: clock(last) })}`,
    rule: say(
      'Only slices with at least {reports} reports and {failures} failures count. The rate must be half as high again as its templates usually have, 3 points higher, and more than chance explains; without a past it is told from 20 % on.',
      { reports: health.MIN_REPORTS, failures: health.MIN_FAILURES },
    ),
    link: { text: say('Show the failures'), href: address(asked, { ...all, ...shown }) },
  };
}

function statusPage({ say, asked }: Warner): Alert['link'] {
  const href = asked.keepsLang ? `sms-status?lang=${asked.lang}` : 'sms-status';
  return { text: say('Status page'), href };
}

/** A finding in words, with the rule and a link. */
function alertOf(finding: Finding, voice: Warner): Alert {
  const { say, asked, clock, inAddress } = voice;
  const status = statusPage(voice);
  switch (finding.rule) {
    case 'failures':
      return failures(finding, voice);
    case 'late': {
      const { missing, sent, from, to } = finding;
      const stretch = { window: '' as const, from: inAddress(from), to: inAddress(to) };
      return {
        level: 'red',
        text: say(
          'Reports are late: {missing} of {sent} {sent|message|messages} sent {from} – {to} {missing|has|have} none.',
          {
            ...{ missing: number(missing), sent: number(sent), from: clock(from), to: clock(to) },
          },
        ),
        rule: say(
          'Of at least {sent} messages sent 1 to 6 hours ago, {missing} or more and 10 % or more have no report. It must also be three times the share of the time before.',
          { sent: health.MIN_SENT, missing: health.MIN_MISSING },
        ),
        link: {
          text: say('Show these messages'),
          href: address(asked, { ...stretch, template: '', batch: '', status: 'none' }),
        },
      };
    }
    case 'silent': {
      const { sent, since } = finding;
      return {
        level: 'red',
        text:
          since === undefined
            ? say(
                'The inbox is silent: {sent} {sent|message was|messages were} accepted, and no record has ever come.',
                {
                  sent: number(sent),
                },
              )
            : say(
                'The inbox is silent: {sent} {sent|message was|messages were} accepted since {since}, and no record has come.',
                { sent: number(sent), since: clock(since) },
              ),
        rule: say(
          'At least {sent} messages were accepted more than 30 minutes ago, and after the last record. Look whether the inbox is published and its login works.',
          { sent: health.MIN_SILENT },
        ),
        link: status,
      };
    }
    case 'behind': {
      const { name, since, reason } = finding;
      return {
        level: 'red',
        text: say('{name} has not taken its records since {since}. {reason}', {
          ...{ name, since: clock(since), reason: withoutNumbers(reason).slice(0, 300) },
        }),
        rule: say(
          'This has lasted for more than 10 minutes. The inbox keeps the records and goes on trying.',
        ),
        link: status,
      };
    }
    case 'balance': {
      const { balance, perDay, days } = finding;
      const values = { balance: number(balance), days: Math.floor(days) };
      const lasts =
        days < 1
          ? say('The balance of {balance} lasts for less than a day.', values)
          : say('The balance of {balance} lasts for about {days} {days|day|days}.', values);
      return {
        level: days < 2 || balance <= 0 ? 'red' : 'yellow',
        text: balance <= 0 ? say('The balance is {balance}: nothing can be sent.', values) : lasts,
        rule: say(
          'About {perDay} segments are spent a day, by the last full days. It is told below {days} days, and from {least} segments a day on.',
          {
            perDay: number(Math.round(perDay)),
            days: health.FEW_DAYS,
            least: health.MIN_PER_DAY,
          },
        ),
        link: status,
      };
    }
    case 'noBalance':
      return {
        level: 'red',
        text: say('A request to the SMS service failed. {reason}', {
          reason: withoutNumbers(finding.reason).slice(0, 300),
        }),
        rule: say(
          '“SMS · Service” asks for the balance every 5 minutes. Look at the credential, and at the status page.',
        ),
        link: status,
      };
  }
}

/** The strip that says what is wrong now. `isSure` is whether everything could be looked at. */
export function strip(findings: Finding[], isSure: boolean, voice: Warner): Markup | string {
  const { say } = voice;
  if (findings.length === 0) {
    const text =
      'Deliveries look right: failures, late reports, a silent inbox, subscribers and balance were looked at.';
    const rest = say('Whether all parts of the desk work is on another page:');
    const { text: name, href } = statusPage(voice);
    return isSure
      ? safe`<p class="notice green" role="status"><b class="mark green">${say(text)}</b> ${rest} <a href="${href}">${name}</a></p>`
      : '';
  }
  const isOver = (finding: Finding) => finding.rule === 'failures' && !finding.isNow;
  const section = (title: string, found: Finding[]) => {
    const lines = found
      .map((finding) => alertOf(finding, voice))
      // Red before yellow, as their names are.
      .sort((a, b) => a.level.localeCompare(b.level))
      .map(
        ({ level, text, rule, link }) =>
          safe`<li class="notice ${level}"><b class="mark ${level}">${quote(text)}</b> <a class="button" href="${link.href}">${link.text}</a><small>${rule}</small></li>`,
      );
    return lines.length > 0
      ? safe`<section class="alerts"><h2>${title}</h2><ul>${lines}</ul></section>`
      : '';
  };
  const now = section(
    say('What is wrong now'),
    findings.filter((finding) => !isOver(finding)),
  );
  return safe`${now}${section(say('Earlier in the last 24 hours'), findings.filter(isOver))}`;
}
