/** How every web page looks, and what stands at its top. */
import { Markup, safe } from './html';
import type { N8n } from './n8n';
import { given, sayIn, type Lang, type Request } from './lang';

/** The pages, by the names in their addresses. */
const PAGES = {
  'sms-dashboard': 'Dashboard',
  'sms-conversations': 'Conversations',
  'sms-campaign': 'Campaigns',
  'sms-opt-outs': 'Opt-outs',
  'sms-status': 'Status',
} as const;

const ZH = {
  Dashboard: '概览',
  Conversations: '会话',
  Campaigns: '群发',
  'Opt-outs': '退订',
  Status: '状态',
  Pages: '页面',
  'Skip to the content': '跳到内容',
  'as of {time}, times in {zone}': '截至 {time}，时区 {zone}',
  'reloads every {seconds} s': '每 {seconds} 秒刷新',
  stop: '停止刷新',
  'reload by itself': '自动刷新',
};

/** What a page says about itself. */
export interface Frame {
  /** Undefined: the page is not one of those with a link. */
  here?: keyof typeof PAGES;
  title: string;
  lang: Lang;
  /** The language if the address names it, so that the links keep it. */
  kept?: Lang | '';
  /** When it was made, as the time zone of the workflow has it. */
  now: N8n['$now'];
  /** Without this, it never loads itself anew. */
  reload?: Reload;
  /** The style of what only this page has. */
  style?: string;
}

/** That a page loads itself anew, unless its reader has stopped that. */
export interface Reload {
  seconds: number;
  isOn: boolean;
  /** The address of the page with the reload the other way round. */
  other: string;
}

/** The reload of a page that keeps every parameter of its address. */
export function reloadOf({ query }: Request, seconds: number): Reload {
  const isOn = given(query, 'refresh') !== 'off';
  const kept = Object.keys(query ?? {}).map((name) => [name, given(query, name)]);
  const other = { ...Object.fromEntries(kept), refresh: isOn && 'off' } as Values;
  return { seconds, isOn, other: addressOf('?', other) };
}

/** What an address or a form tells a page. What is empty is left out. */
export type Values = Record<string, string | number | false | null | undefined>;

const filled = (values: Values) => Object.entries(values).filter(([, value]) => value);

/** The address of a page. `?` is the page that it stands on. */
export function addressOf(page: string, values: Values): string {
  const query = filled(values).map((each) => each.map((text) => encodeURIComponent(String(text))));
  const asks = query.map((each) => each.join('=')).join('&');
  return asks ? `${page.replace('?', '')}?${asks}` : page;
}

/** What a form tells besides its fields. */
export const hidden = (values: Values): Markup[] =>
  filled(values).map(
    ([name, value]) => safe`<input type="hidden" name="${name}" value="${value}">`,
  );

/** A whole page. It has no script and allows none, and calls nobody else. */
export function pageOf(frame: Frame, content: Markup | Markup[]): string {
  const { here, title, lang, kept, now, reload, style = '' } = frame;
  const say = sayIn(lang, ZH);
  const links = linksToPages(lang, { here, kept });
  const made = say('as of {time}, times in {zone}', {
    time: now.toFormat('yyyy-MM-dd HH:mm:ss'),
    zone: String(now.zoneName),
  });
  const { seconds = 0, isOn = false } = reload ?? {};
  const meta = isOn ? safe`<meta http-equiv="refresh" content="${seconds}">` : '';
  const every = isOn ? ` · ${say('reloads every {seconds} s', { seconds })}` : '';
  const turn = say(isOn ? 'stop' : 'reload by itself');
  const link = reload ? safe`${every} · <a href="${reload.other}">${turn}</a>` : '';
  return safe`<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
${meta}<title>${title}</title><style>${new Markup(CSS + style)}</style></head>
<body><a class="skip" href="#content">${say('Skip to the content')}</a><header><nav class="pages" aria-label="${say('Pages')}">${links}</nav>
<h1>${title}</h1><p>${made}${link}</p></header><main id="content">${content}</main></body></html>`
    .text;
}

/** The links at the top of a page. `folder` is where the pages are, if they are not beside this one. */
export function linksToPages(lang: Lang, { here = '', kept = '', folder = '' } = {}): Markup[] {
  const say = sayIn(lang, ZH);
  return Object.entries(PAGES).map(([path, name]) => {
    const current = path === here ? safe` aria-current="page"` : '';
    return safe`<a href="${addressOf(folder + path, { lang: kept })}"${current}>${say(name)}</a>`;
  });
}

/** A text from outside, cut after 300 characters. `bdi` keeps a text that runs from right to left to itself. */
export function quote(value: unknown): Markup {
  const whole = String(value ?? '');
  return safe`<bdi>${whole.length > 300 ? `${whole.slice(0, 300)}…` : whole}</bdi>`;
}

/** A phone number of which a passer-by reads the last four digits only. */
export function masked(phone: unknown): string {
  return String(phone ?? '').replace(/^(.{3}).+(.{4})$/, '$1 •••• $2');
}

/**
 * A table. A head that begins with # has numbers below it. `name` says to a screen reader what it is about. With a
 * `look` of its own, each cell has its head beside it, for a screen that has no room for heads.
 */
export function table(
  name: string,
  heads: string[],
  lines: (Markup | string)[][],
  look = '',
): Markup {
  const kind = (index: number) => (heads[index]?.startsWith('#') ? safe` class="number"` : '');
  const label = (index: number) => look && safe` data-label="${heads[index]?.replace('#', '')}"`;
  const th = heads.map(
    (head, index) => safe`<th scope="col"${kind(index)}>${head.replace('#', '')}</th>`,
  );
  const tr = lines.map((cells) => {
    const td = cells.map((cell, index) => safe`<td${kind(index)}${label(index)}>${cell}</td>`);
    return safe`<tr>${td}</tr>`;
  });
  return safe`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table class="${look}"><thead><tr>${th}</tr></thead><tbody>${tr}</tbody></table></div>`;
}

/** A figure in a list of them, with what is said about it. */
export function tile(
  label: string,
  value: Markup | string,
  notes: (string | false | undefined)[],
  kind = '',
): Markup {
  const more = notes.filter(Boolean).map((note) => safe`<dd class="more">${note}</dd>`);
  return safe`<div class="tile"><dt>${label}</dt><dd class="value ${kind}">${value}</dd>${more}</div>`;
}

/** A panel with a heading. */
export function panel(title: string, content: Markup | string | Markup[], kind = ''): Markup {
  return safe`<section class="${kind}"><h2>${title}</h2>${content}</section>`;
}

/**
 * What all pages have, in light and dark. A shadow at the side of a table says that it goes on there; at its
 * end, a cover that scrolls with it hides the shadow. Text has a contrast of 4.5 and more, graphics 3 and more,
 * also `good` beside `bad`.
 */
export const CSS = `
:root{color-scheme:light dark;--bg:#f3f5f8;--panel:#fff;--ink:#15202b;--soft:#526171;--line:#d8dfe6;--edge:#7c8a98;--grid:#e6ebf0;--link:#0a5fb4;--on:#fff;--good:#32998d;--bad:#7a1f0a;--volume:#7d95b0;--strong:#0a3f75;--green:#0b6b4a;--yellow:#7a4f00;--red:#9c1c14;--greenbg:#e4f4ec;--yellowbg:#fff4d6;--redbg:#fde8e6}
@media (prefers-color-scheme:dark){:root{--bg:#10161c;--panel:#19222b;--ink:#e8eef4;--soft:#a3b1bf;--line:#33414e;--edge:#7b8a99;--grid:#27333e;--link:#7db8f5;--on:#10161c;--good:#2a8378;--bad:#ffc9ac;--volume:#5f7f9f;--strong:#cfe6ff;--green:#45c98a;--yellow:#f0c878;--red:#ffb3a8;--greenbg:#153528;--yellowbg:#3a2f12;--redbg:#45201c}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:20px;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,"Segoe UI",Roboto,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
.skip{position:absolute;left:-999px}.skip:focus{left:12px;top:12px;background:var(--panel);padding:8px 12px;z-index:1}
header{display:flex;flex-wrap:wrap;gap:2px 16px;align-items:baseline;justify-content:space-between;margin-bottom:14px}
.pages{flex-basis:100%;display:flex;flex-wrap:wrap;gap:2px 4px;margin:0 -10px 10px}
.pages a{padding:7px 10px;border-radius:8px;text-decoration:none}.pages a[aria-current]{font-weight:650;color:var(--ink);background:var(--grid)}
h1{font-size:22px;margin:0}h2{font-size:15px;margin:0 0 10px}p{margin:0}
header p,small,.more,dt,th{color:var(--soft);font-size:13px}
a{color:var(--link)}a:focus-visible,input:focus-visible,select:focus-visible,button:focus-visible,.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
section,.tile{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:14px 16px;min-width:0}
section+section{margin-top:12px}.notice{border:1px solid var(--yellow);background:var(--yellowbg);border-radius:8px;padding:10px 14px;margin-bottom:12px}
.notice.red{border-color:var(--red);background:var(--redbg)}.notice.green{border-color:var(--green);background:var(--greenbg)}
.notice.plain{border-color:var(--line);background:var(--panel)}.alerts{margin-bottom:12px}.alerts li.notice{margin:0 0 8px}.alerts li:last-child{margin:0}.alerts .mark{margin-right:8px}.alerts small{display:block;margin-top:4px}
.mark{font-weight:650}.mark::before{content:"";display:inline-block;width:11px;height:11px;border-radius:50%;margin-right:8px;background:currentColor}
.green.mark,.value.green{color:var(--green)}.yellow.mark,.value.yellow{color:var(--yellow)}.red.mark,.value.red{color:var(--red)}
form{margin:0}input,select,button,.button{font:inherit;border:1px solid var(--edge);border-radius:8px;background:var(--panel);color:var(--ink);padding:7px 12px;min-height:36px}
button,.button{cursor:pointer;text-decoration:none;display:inline-block}.button{color:var(--link)}button.main{background:var(--link);border-color:var(--link);color:var(--on);font-weight:600}button.danger{color:var(--red);border-color:var(--red)}
.bar{display:flex;flex-wrap:wrap;gap:10px 16px;align-items:center;margin:0 0 12px}
.choice{display:flex;border:1px solid var(--edge);border-radius:8px;overflow:hidden;background:var(--panel)}
.choice a{padding:7px 14px;text-decoration:none;border-left:1px solid var(--edge)}.choice a:first-child{border:0}.choice a[aria-current]{background:var(--link);color:var(--on);font-weight:600}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:0 0 12px}dd{margin:0}
.tile{container-type:inline-size}.value{font-size:clamp(15px,15cqi,27px);line-height:1.25;overflow-wrap:anywhere;font-weight:650;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto;background:linear-gradient(90deg,var(--panel) 40%,#0000) local,linear-gradient(270deg,var(--panel) 40%,#0000) 100% 0 local,linear-gradient(90deg,var(--edge),#0000),linear-gradient(270deg,var(--edge),#0000) 100% 0;background-size:36px 100%,36px 100%,9px 100%,9px 100%;background-repeat:no-repeat}table{border-collapse:collapse;width:100%;font-size:14px}
th{font-weight:600}th,td{text-align:left;padding:6px 12px 6px 0;border-bottom:1px solid var(--grid);vertical-align:top}
tr:last-child td{border:0}th:last-child,td:last-child{padding-right:0}td small{display:block}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}.id,.id bdi{white-space:nowrap}bdi,td a{overflow-wrap:anywhere}
ul{list-style:none;margin:0;padding:0}ul>li{padding:7px 0}ul>li+li{border-top:1px solid var(--grid)}ol{margin:10px 0 0;padding-left:22px}
@media (max-width:640px){body{padding:14px 12px}.tiles{grid-template-columns:1fr 1fr;gap:10px}.tile,section{padding:12px}table{font-size:13px}th,td{padding-right:8px}input,select{font-size:16px}.pages{gap:0;margin:0 -5px 10px}.pages a{padding:9px 5px;font-size:14px}td .id,td .id bdi{white-space:normal;overflow-wrap:anywhere}td a.id{display:inline-block;min-width:11ch}}
blockquote{margin:4px 0 14px;padding:8px 12px;border-radius:14px;background:var(--greenbg);border:1px solid var(--line);white-space:pre-wrap;overflow-wrap:anywhere}main>section{margin-bottom:12px}main>p+section{margin-top:12px}p.more+*{margin-top:8px}.scroll+.bar{margin:10px 0 0}.bar form{display:flex;flex-wrap:wrap;gap:8px}
`;
