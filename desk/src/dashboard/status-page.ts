import { safe, type Markup } from '../../../builder/code/html';
import { languageOf, sayIn, type Request, type Say } from '../../../builder/code/lang';
import { addressOf, pageOf, panel, quote, reloadOf, table } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { number } from '../common/text/format';
import { unsentPanel, worstOf } from '../common/messages/unsent';
import type { Status } from './lights';

const ZH = {
  OK: '正常',
  Look: '留意',
  'Action needed': '需要处理',
  '{level} – SMS status': '{level} – 短信状态',
  'What works': '运行情况',
  'Whether messages arrive, and which reports are late, is on another page:':
    '短信是否送达、哪些状态报告延迟，请看：',
  Dashboard: '看板',
  Subscribers: '订阅者',
  'No workflow has subscribed. A workflow subscribes itself when it is published.':
    '还没有工作流订阅。工作流发布时会自动订阅。',
  'Tables, about': '表（约）',
  Table: '表',
  Rows: '行数',
  Size: '大小',
  'Oldest row': '最早的行',
  'The last days': '最近几天',
  Day: '日期',
  Taken: '已接收',
  Accepted: '已受理',
  Delivered: '已送达',
  Failed: '失败',
  Replies: '上行',
  'Opt-outs': '退订',
  'Taken, as a bar': '已接收（条形）',
} as const;

type Speak = Say<keyof typeof ZH>;

const STYLE = `
.lights li{display:grid;grid-template-columns:150px 150px minmax(0,1fr) auto;gap:2px 14px}.lights a{display:inline-block;min-height:24px;margin-left:12px}.length i{display:block;height:9px;min-width:1px;border-radius:3px;background:var(--volume)}.length{display:block;width:160px}td:first-child{white-space:nowrap}
@media (max-width:640px){.lights li{grid-template-columns:auto minmax(0,1fr)}.lights li>p,.lights li>span:last-child{grid-column:1/-1}.lights a{margin:0 16px 0 0}}
`;

const MARKS = { green: 'OK', yellow: 'Look', red: 'Action needed' } as const;

function list(lights: Status['lights'], say: Speak): Markup {
  const lines = lights.map(({ level, name, text, reason, links }) => {
    const said = reason === '' ? '' : safe` ${quote(reason)}`;
    const all = links.map((link) => safe`<a href="${link.href}">${link.text}</a>`);
    return safe`<li><span class="mark ${level}">${say(MARKS[level])}</span><b>${quote(name)}</b><p>${text}${said}</p><span>${all}</span></li>`;
  });
  return safe`<ul class="lights">${lines}</ul>`;
}

function subscribers({ subscribers: all, areSubscribersRead }: Status, say: Speak): Markup[] {
  const none = say(
    'No workflow has subscribed. A workflow subscribes itself when it is published.',
  );
  if (!areSubscribersRead) return [];
  return [panel(say('Subscribers'), all.length > 0 ? list(all, say) : safe`<p>${none}</p>`)];
}

function tables({ tables: all }: Status, say: Speak): Markup[] {
  if (all.length === 0) return [];
  const lines = all.map(({ name, rows, megabytes, since }) => [
    name,
    number(rows),
    `${megabytes.toFixed(1)} MB`,
    since,
  ]);
  const title = say('Tables, about');
  const heads = [say('Table'), `#${say('Rows')}`, `#${say('Size')}`, say('Oldest row')];
  return [panel(title, table(title, heads, lines))];
}

function days({ days: all }: Status, say: Speak): Markup[] {
  if (all.length === 0) return [];
  const most = Math.max(1, ...all.map(({ sent }) => sent));
  const lines = all.map(({ day, sent, accepted, delivered, failed, replies, opt_outs }) => [
    day,
    ...[sent, accepted, delivered, failed, replies, opt_outs].map(number),
    safe`<span class="length"><i style="width:${((sent / most) * 100).toFixed(1)}%"></i></span>`,
  ]);
  const figures = ['Taken', 'Accepted', 'Delivered', 'Failed', 'Replies', 'Opt-outs'] as const;
  const heads = [say('Day'), ...figures.map((name) => `#${say(name)}`), say('Taken, as a bar')];
  const title = say('The last days');
  return [panel(title, table(title, heads, lines))];
}

/** Writes the page. It has no script and allows none. Every value is escaped. */
export default function page({ $, $input, $now }: N8n): { html: string } {
  const status = $input.first<Status>().json;
  const { lang, lights, unsent, isRead, thresholds } = status;
  const say = sayIn(lang, ZH);
  const all = [...lights, ...status.subscribers];
  const levels = ['red', 'yellow', 'green'] as const;
  const isUnsure = unsent.length === 0 && !isRead;
  const found = [isUnsure ? 'yellow' : worstOf(unsent).level, ...all.map(({ level }) => level)];
  const worst = levels.find((level) => found.includes(level)) ?? 'green';
  const request = $('Status page is opened').first<Request>().json;
  const { kept } = languageOf(request);
  const hrefOf = (status = '') => addressOf('sms-dashboard', { status, lang: kept });
  const toDashboard = safe`<p class="more">${say('Whether messages arrive, and which reports are late, is on another page:')} <a href="${hrefOf()}">${say('Dashboard')}</a></p>`;
  const html = pageOf(
    {
      here: 'sms-status',
      title: say('{level} – SMS status', { level: say(MARKS[worst]) }),
      ...{ lang, kept, now: $now, reload: reloadOf(request, 60), style: STYLE },
    },
    [
      unsent.length > 0 || isRead ? unsentPanel(unsent, { lang, thresholds, hrefOf }) : safe``,
      panel(say('What works'), [list(lights, say), toDashboard]),
      ...subscribers(status, say),
      ...tables(status, say),
      ...days(status, say),
    ],
  );
  return { html };
}
