import { noticesOf, unsentPanel, worstOf } from '../common/messages/unsent';
import { Markup, safe } from '../../../builder/code/html';
import { hidden, pageOf, panel, tile } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { number, share } from '../common/text/format';
import type { Alert } from './alerts';
import type { Shown } from './count-and-judge';
import { address, statusPage, voiceOf, type Voice as VoiceOf } from './voice';
import { STATES_ZH } from '../common/messages/states';

const ZH = {
  ...STATES_ZH,
  'SMS dashboard': '短信看板',
  'Time window': '时间范围',
  All: '全部',
  'Last four digits, or a number': '手机尾号（4 位）或完整号码',
  Search: '搜索',
  'CSV file': '下载 CSV',
  'Complete numbers and texts: personal data': '含完整号码和内容，属个人信息',
  Template: '模板',
  Batch: '批次',
  Status: '状态',
  Period: '时段',
  'Remove: {name}': '移除：{name}',
  'All filters': '全部筛选条件',
  'no report': '无状态报告',
  'not sent': '未发送',
  failed: '失败',
  late: '状态报告延迟',
  overdue: '到时未发',
  'the last hour': '最近 1 小时',
  'the last 24 hours': '最近 24 小时',
  'the last 7 days': '最近 7 天',
  'all time': '全部时间',
  'this period': '该时段',
  'Nothing is above its threshold: failures, time to delivery and balance were looked at.':
    '没有超过阈值：已检查失败率、送达用时和余额。',
  'Whether all parts of the desk work is on another page:': '各部分是否正常运行，请看：',
  'What is wrong now': '当前问题',
  'Earlier in the last 24 hours': '最近 24 小时内较早的问题',
  'What is wrong now is on the page about now.': '要看当前问题，点“查看现在”。',
  'Look at now': '查看现在',
  'A table is missing. Publish SMS · Schema again: it makes the tables. ({problem})':
    '缺少表。请重新发布 SMS · Schema：它会建表。（{problem}）',
  'The numbers are not complete. A table could not be read: {problem}':
    '数字不完整。有一张表无法读取：{problem}',
  '“{typed}” is neither four digits nor a mobile number. One has 11 digits; +86, spaces and dashes are fine.':
    '“{typed}”既不是 4 位尾号，也不是手机号。手机号为 11 位，可带 +86、空格和短横线。',
  'Not sent': '未发送',
  Sent: '已发送',
  Segments: '计费条数',
  Delivered: '送达率',
  Failed: '失败',
  'No report yet': '暂无状态报告',
  'Time to delivery': '送达用时',
  Replies: '上行',
  'could not be read': '无法读取',
  '{n} {n|opt-out|opt-outs}': '退订 {n}',
  Balance: '余额',
  'Last record': '最新记录',
  'before: {value}': '上一时段：{value}',
  '{n} of {whole} reported': '{whole} 条状态报告中 {n} 条',
  '{rate} of the reported': '占状态报告 {rate}',
  '{n} of them estimated': '其中 {n} 条为估算',
  '{n} for more than {minutes} min': '{n} 条超过 {minutes} 分钟',
  '95 % within {time}': '95% 在 {time} 内',
  '{n} {n|report of another message|reports of other messages}': '另有 {n} 条其他短信的状态报告',
  'for about {n} {n|day|days}': '约可用 {n} 天',
  '{time} ago': '{time}前',
  never: '从未',
  median: '中位数',
  'Nothing in {period}': '{period}没有数据',
  'No message was sent, and no report or reply came.': '没有发送短信，也没有收到状态报告或上行。',
  'Look at all time': '查看全部时间',
  'Nothing was sent yet': '还没有发过短信',
  'Status page': '状态页',
  'Look whether all parts of the desk work:': '看看各部分是否正常：',
  'Send a message to yourself, by a small campaign:': '用一个小群发给自己发一条短信：',
  'New campaign': '新建群发',
  'Wait for a minute. This page then shows the message and its report.':
    '等一分钟，本页就会显示这条短信和它的状态报告。',
} as const;

type PageText = keyof typeof ZH;

/** How the chart and tables of the dashboard look. */
const STYLE = `
.grid{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:12px;align-items:start}.grid>div{min-width:0}.grid>section+section{margin:0}.wide{grid-column:1/-1}
@media (max-width:900px){.grid{grid-template-columns:minmax(0,1fr)}}
#numbers td:first-child{white-space:nowrap}
.search{flex:1;display:flex;gap:8px;min-width:260px}.search input{flex:1;max-width:300px;min-width:0}.chip b{margin-left:6px}.tiles.ten{grid-template-columns:repeat(5,minmax(0,1fr))}.tile a{color:inherit}
.key{color:var(--soft);font-size:13px;display:flex;flex-wrap:wrap;gap:2px 16px;margin-bottom:4px}.key i{display:inline-block;width:12px;height:12px;margin-right:6px;vertical-align:-1px}i.delivered{background:var(--good)}i.missing{background:var(--volume)}i.failed{background:var(--bad)}i.unsent{border:2px solid var(--bad)}
.chart{display:grid;grid-template-columns:44px minmax(0,1fr);gap:8px}.chart svg{display:block;overflow:visible;width:100%}.chart text{fill:var(--soft);font-size:11.5px;text-anchor:middle;font-variant-numeric:tabular-nums}.chart .axis text{text-anchor:end}.never{display:none}
.lines line{stroke:var(--grid);shape-rendering:crispEdges}.lines line:first-child{stroke:var(--edge)}rect.delivered{fill:var(--good)}rect.missing{fill:var(--volume)}rect.failed{fill:var(--bad)}rect.unsent{fill:var(--panel);stroke:var(--bad);stroke-width:1.5}rect.area{fill:transparent}g:hover>rect.area{fill:var(--grid)}
@media (max-width:1000px){.tiles.ten{grid-template-columns:repeat(3,minmax(0,1fr))}}@media (max-width:640px){.tiles.ten{grid-template-columns:1fr 1fr}.chart .wide{display:none}.chart .count{transform-box:fill-box;transform-origin:center;transform:translateY(-6px) rotate(-90deg)}.search{order:3;flex-basis:100%}}
`;

type Voice = VoiceOf<PageText>;

/** What was counted and judged. */
type Counted = NonNullable<Shown['shown']>;

const PERIODS = {
  '1h': 'the last hour',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  all: 'all time',
  '': 'this period',
} as const;

const NO_FILTER = { template: '', batch: '', status: '' };

function controls({ asked, say, nameOf }: Voice): Markup {
  const windows = (['1h', '24h', '7d', 'all'] as const).map((window) => {
    const current = window === asked.window ? safe` aria-current="page"` : '';
    const link = address(asked, { window, from: '', to: '' });
    const label = window === 'all' ? say('All') : window.replace(/\d+/, '$& ');
    return safe`<a href="${link}"${current}>${label}</a>`;
  });
  const inputs = hidden({ window: asked.window, lang: asked.kept });
  const label = say('Last four digits, or a number');
  // A whole number is not written into the page again.
  const typed = asked.pattern ? '' : asked.typed;
  const chips = [
    ['template', say('Template'), nameOf(asked.template) || asked.template],
    ['batch', say('Batch'), asked.batch],
    ['status', say('Status'), statusName(asked.status, say)],
    ['from', say('Period'), asked.from && `${asked.from} – ${asked.to}`.replaceAll('T', ' ')],
  ].flatMap(([name = '', title, value]) => {
    if (!value) return [];
    const without = name === 'from' ? { from: '', to: '', window: '24h' as const } : { [name]: '' };
    const remove = say('Remove: {name}', { name: `${title} ${value}` });
    return safe`<a class="button chip" href="${address(asked, without)}" aria-label="${remove}">${title}: <bdi>${value}</bdi> <b aria-hidden="true">×</b></a>`;
  });
  const filters =
    chips.length > 0
      ? safe`<nav class="bar" aria-label="${say('All filters')}">${chips}</nav>`
      : '';
  return safe`<div class="bar"><nav class="choice" aria-label="${say('Time window')}">${windows}</nav>
<form class="search" method="get" role="search">${inputs}<input type="search" name="digits" value="${typed}" placeholder="${label}" aria-label="${label}" inputmode="tel" autocomplete="off"> <button>${say('Search')}</button></form>
<a class="button" href="${address(asked, { format: 'csv' })}" title="${say('Complete numbers and texts: personal data')}">${say('CSV file')}</a></div>${filters}`;
}

function statusName(status: string, say: Voice['say']): string {
  const names: Record<string, PageText> = {
    ...{ none: 'no report', unsent: 'not sent', failed: 'failed', late: 'late' },
    ...{ rejected: 'Rejected by the service', refused: 'Refused', overdue: 'overdue' },
    ...{ unknown: 'May have been sent', waiting: 'Waits for its hour' },
  };
  const name = names[status];
  return name ? say(name) : status;
}

function notices(problems: string[], { asked, say }: Voice): Markup[] {
  const texts = [
    ...problems.map((problem) =>
      problem.includes('does not exist')
        ? say('A table is missing. Publish SMS · Schema again: it makes the tables. ({problem})', {
            problem,
          })
        : say('The numbers are not complete. A table could not be read: {problem}', { problem }),
    ),
    asked.typed &&
      !asked.pattern &&
      say(
        '“{typed}” is neither four digits nor a mobile number. One has 11 digits; +86, spaces and dashes are fine.',
        { typed: asked.typed },
      ),
  ].filter(Boolean);
  return texts.map((text) => safe`<p class="notice" role="status"><bdi>${text}</bdi></p>`);
}

function tiles(counted: Counted, voice: Voice): Markup {
  const { figures, thresholds, unsent: lines } = counted;
  const { asked, say, lengthOf } = voice;
  const { unsent, sent, reported, delivered, failed, missing, late, unknown } = figures.here;
  const { replies, segments, estimated, p50, p95 } = figures.here;
  // Nothing is before all time.
  const before = figures.before.sent + figures.before.reported > 0 ? figures.before : undefined;
  const was = (value: string | undefined) =>
    value === undefined ? '' : say('before: {value}', { value });
  const length = (time?: number | null) =>
    typeof time === 'number' ? lengthOf(time * 1000) : undefined;
  const amount = (name: 'unsent' | 'sent' | 'segments' | 'replies') =>
    was(before && number(before[name]));
  const to = (status: string, value: number) =>
    value === 0 ? '0' : safe`<a href="${address(asked, { status })}">${number(value)}</a>`;
  const rate = (part: 'delivered' | 'failed') =>
    was(before && before.reported > 0 ? share(before[part], before.reported) : undefined);
  const some = (count: number, text: PageText) => count > 0 && say(text, { n: number(count) });
  return safe`<dl class="tiles ten">${[
    tile(say('Not sent'), to('unsent', unsent), [amount('unsent')], worstOf(lines).level),
    tile(say('Sent'), number(sent), [amount('sent')]),
    tile(say('Segments'), number(segments), [
      amount('segments'),
      some(estimated, '{n} of them estimated'),
    ]),
    tile(say('Delivered'), share(delivered, reported), [
      say('{n} of {whole} reported', { n: number(delivered), whole: number(reported) }),
      some(unknown, '{n} {n|report of another message|reports of other messages}'),
      rate('delivered'),
    ]),
    tile(
      say('Failed'),
      to('failed', failed),
      [
        failed > 0 && say('{rate} of the reported', { rate: share(failed, reported) }),
        rate('failed'),
      ],
      failed > 0 ? 'red' : '',
    ),
    tile(say('No report yet'), to('none', missing), [
      late > 0 &&
        say('{n} for more than {minutes} min', {
          ...{ n: number(late), minutes: thresholds.late_minutes },
        }),
    ]),
    tile(say('Time to delivery'), length(p50) ?? '–', [
      p50 !== null && say('median'),
      p95 !== null && say('95 % within {time}', { time: lengthOf(p95 * 1000) }),
      was(length(before?.p50)),
    ]),
    tile(say('Replies'), number(replies), [
      amount('replies'),
      say('{n} {n|opt-out|opt-outs}', { n: number(counted.optOuts) }),
    ]),
    balanceTile(counted, voice),
    lastRecord(counted, voice),
  ]}</dl>`;
}

function balanceTile({ balance, perDay }: Counted, { say }: Voice): Markup {
  if (balance === null) return tile(say('Balance'), '–', [say('could not be read')]);
  const n = number(Math.max(0, Math.floor(balance / perDay)));
  return tile(say('Balance'), number(balance), [
    perDay > 0 && say('for about {n} {n|day|days}', { n }),
  ]);
}

function lastRecord({ lastStored: at }: Counted, voice: Voice): Markup {
  const { asked, say, lengthOf, clock } = voice;
  if (at === null) return tile(say('Last record'), say('never'), []);
  const time = lengthOf(Math.max(0, Date.parse(asked.now) - Date.parse(at)));
  return tile(say('Last record'), say('{time} ago', { time }), [clock(at)]);
}

/** Whether there is nothing to judge. */
const isEmpty = ({ figures: { here } }: Counted) =>
  here.unsent + here.sent + here.reported + here.replies === 0;

function nothing({ isNew }: Counted, { asked, say }: Voice): Markup {
  const link = address(asked, { ...NO_FILTER, window: 'all', from: '', to: '' });
  const toAll =
    asked.window === 'all' ? '' : safe` <a href="${link}">${say('Look at all time')}</a>`;
  if (!isNew)
    return panel(
      say('Nothing in {period}', { period: say(PERIODS[asked.window]) }),
      safe`<p>${say('No message was sent, and no report or reply came.')}${toAll}</p>`,
    );
  const steps = [
    safe`${say('Look whether all parts of the desk work:')} <a href="${statusPage(asked)}">${say('Status page')}</a>`,
    safe`${say('Send a message to yourself, by a small campaign:')} <a href="../form/sms-campaign-form">${say('New campaign')}</a>`,
    say('Wait for a minute. This page then shows the message and its report.'),
  ].map((step) => safe`<li>${step}</li>`);
  return panel(say('Nothing was sent yet'), safe`<ol>${steps}</ol>`);
}

/** Whether the page may say that something is right: what a narrowed page lacks is not known. */
const isSure = ({ asked, problems }: Shown, counted: Counted) =>
  !isEmpty(counted) && problems.length === 0 && !asked.template && !asked.batch && !asked.status;

/** What was not sent, and what is wrong now or was earlier. */
function wrong(judged: Shown, counted: Counted, voice: Voice): Markup {
  const { asked, say } = voice;
  const { unsent, alerts, thresholds, isNow } = counted;
  const hrefOf = (status: string) => address(asked, { status });
  const first =
    unsent.length > 0 || isSure(judged, counted)
      ? unsentPanel(unsent, { lang: asked.lang, thresholds, hrefOf })
      : '';
  if (!isNow) {
    const toNow = address(asked, { ...NO_FILTER, window: '24h', from: '', to: '' });
    return safe`${first}<p class="notice">${say('What is wrong now is on the page about now.')} <a href="${toNow}">${say('Look at now')}</a></p>`;
  }
  const section = (title: string, found: Alert[]) =>
    found.length > 0 ? noticesOf(title, found) : '';
  const now = alerts.filter((alert) => alert.isNow);
  const earlier = alerts.filter((alert) => !alert.isNow);
  const told = [
    section(say('What is wrong now'), now),
    section(say('Earlier in the last 24 hours'), earlier),
  ];
  const isFine =
    alerts.length === 0 &&
    isSure(judged, counted) &&
    counted.balance !== null &&
    worstOf(unsent).level === 'plain';
  const fine = isFine
    ? safe`<p class="notice green" role="status"><b class="mark green">${say('Nothing is above its threshold: failures, time to delivery and balance were looked at.')}</b> ${say('Whether all parts of the desk work is on another page:')} <a href="${statusPage(asked)}">${say('Status page')}</a></p>`
    : '';
  return safe`${first}${told.map((part) => safe`${part}`)}${fine}`;
}

/** Writes the page. */
export default function page({ $, $now, DateTime }: N8n): { html: string } {
  const judged = $('Count and judge').first<Shown>().json;
  const { asked, problems, shown } = judged;
  const voice = voiceOf(asked, ZH, shown?.names, DateTime);
  const { say } = voice;
  const body =
    shown && !isEmpty(shown) ? safe`${tiles(shown, voice)}${new Markup(judged.drawn)}` : '';
  const none = shown && isEmpty(shown) && problems.length === 0 ? nothing(shown, voice) : '';
  const seconds = ['1h', '24h'].includes(asked.window) ? 60 : 300;
  const html = pageOf(
    {
      here: 'sms-dashboard',
      title: say('SMS dashboard'),
      ...{ lang: asked.lang, kept: asked.kept, now: $now, style: STYLE },
      // A page instead of the file would load the file.
      reload:
        asked.end === null && asked.view !== 'csv'
          ? { seconds, isOn: asked.refresh, other: address(asked, { refresh: !asked.refresh }) }
          : undefined,
    },
    [
      shown ? wrong(judged, shown, voice) : safe``,
      controls(voice),
      ...notices(problems, voice),
      safe`${body}${none}`,
    ],
  );
  return { html };
}
