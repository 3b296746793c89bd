import { Markup, safe } from '../html';
import type { Item, N8n } from '../n8n';
import { number } from '../numbers';
import type { Light, Link, Status } from './Status lights';

const MARKS = { green: 'OK', yellow: 'Look', red: 'Act' };

// In light and dark. Change the colours in the first two lines.
const css = `
:root{color-scheme:light dark;--bg:#f3f5f8;--panel:#fff;--ink:#15202b;--soft:#526171;--line:#d8dfe6;--grid:#e6ebf0;--link:#0a5fb4;--bar:#2f6db3;--green:#0b7a4b;--yellow:#8a5a00;--red:#b3261e}
@media (prefers-color-scheme:dark){:root{--bg:#10161c;--panel:#19222b;--ink:#e8eef4;--soft:#a3b1bf;--line:#33414e;--grid:#27333e;--link:#7db8f5;--bar:#7db8f5;--green:#45c98a;--yellow:#e8b64c;--red:#ff8a80}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1000px;padding:20px;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,"Segoe UI",Roboto,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
header{display:flex;flex-wrap:wrap;gap:2px 16px;align-items:baseline;justify-content:space-between;margin-bottom:14px}
h1{font-size:22px;margin:0}h2{font-size:15px;margin:0 0 6px}p{margin:0}
header p,th,.since{color:var(--soft);font-size:13px}a{color:var(--link)}a:focus-visible,.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
section{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:14px 16px;margin-bottom:12px}
ul{list-style:none;margin:0;padding:0}li{display:grid;grid-template-columns:74px 150px minmax(0,1fr) auto;gap:2px 14px;padding:9px 0}li+li{border-top:1px solid var(--grid)}
.mark{font-weight:650;white-space:nowrap}.mark::before{content:"";display:inline-block;width:11px;height:11px;border-radius:50%;margin-right:8px;background:currentColor}
.green{color:var(--green)}.yellow{color:var(--yellow)}.red{color:var(--red)}
b,li p{overflow-wrap:anywhere}.links a{margin-left:12px;white-space:nowrap}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px}th{font-weight:600}th,td{text-align:left;padding:5px 14px 5px 0;border-bottom:1px solid var(--grid);white-space:nowrap}
tr:last-child td{border:0}.number{text-align:right;font-variant-numeric:tabular-nums}th:last-child,td:last-child{padding-right:0}
.bar{display:block;width:160px}.bar i{display:block;height:9px;border-radius:3px;background:var(--bar);min-width:1px}
@media (max-width:640px){body{padding:14px 12px}section{padding:12px}li{grid-template-columns:70px minmax(0,1fr)}li p,li .links{grid-column:1/-1}.links a{margin:0 16px 0 0}table{font-size:13px}th,td{padding-right:10px}}
`;

function linksOf(links: Link[]): Markup {
  return safe`<span class="links">${links.map(({ text, href }) => safe`<a href="${href}">${text}</a>`)}</span>`;
}

function line({ level, name, text, links }: Light): Markup {
  return safe`<li><span class="mark ${level}">${MARKS[level]}</span><b><bdi>${name}</bdi></b><p><bdi>${text}</bdi></p>${linksOf(links)}</li>`;
}

type Content = Markup | string;

/** A head that begins with # has numbers below it. */
function table(heads: string[], lines: Content[][]): Markup {
  const kind = (index: number) =>
    safe`${heads[index]?.startsWith('#') ? safe` class="number"` : ''}`;
  const th = heads.map(
    (head, index) => safe`<th scope="col"${kind(index)}>${head.replace('#', '')}</th>`,
  );
  const tr = lines.map((cells) => {
    const td = cells.map((cell, index) => safe`<td${kind(index)}>${cell}</td>`);
    return safe`<tr>${td}</tr>`;
  });
  return safe`<div class="scroll" tabindex="0"><table><thead><tr>${th}</tr></thead><tbody>${tr}</tbody></table></div>`;
}

function subscribers({ subscribers }: Status): Markup {
  const none = safe`<p>No workflow has subscribed. A workflow subscribes itself when it is published.</p>`;
  const lines = subscribers.length > 0 ? safe`<ul>${subscribers.map(line)}</ul>` : none;
  return safe`<section><h2>Subscribers</h2>${lines}</section>`;
}

function tables({ tables }: Status): Content {
  if (tables.length === 0) return '';
  const lines = tables.map(({ name, rows, megabytes, since }) => [
    name,
    number(rows),
    safe`${megabytes.toFixed(1)} MB`,
    since,
  ]);
  return safe`<section><h2>Tables, about</h2>${table(['Table', '#Rows', '#Size', 'Oldest row'], lines)}</section>`;
}

function days({ days }: Status): Content {
  if (days.length === 0) return '';
  const most = Math.max(1, ...days.map(({ sent }) => sent));
  const lines = days.map(({ day, sent, accepted, delivered, failed, replies, opt_outs }) => [
    day,
    ...[sent, accepted, delivered, failed, replies, opt_outs].map(number),
    safe`<span class="bar"><i style="width:${((sent / most) * 100).toFixed(1)}%"></i></span>`,
  ]);
  const heads = [
    'Day',
    '#Sent',
    '#Accepted',
    '#Delivered',
    '#Failed',
    '#Replies',
    '#Opt-outs',
    'Sent',
  ];
  return safe`<section><h2>The last days</h2>${table(heads, lines)}</section>`;
}

/** Writes the page. It has no script and allows none. Every value is escaped. */
export default function statusPage({ $input, DateTime }: N8n): Item<{ html: string }>[] {
  const status = $input.first<Status>().json;
  const { at, zone, lights } = status;
  const all = [...lights, ...status.subscribers];
  const worst =
    (['red', 'yellow'] as const).find((level) => all.some((each) => each.level === level)) ??
    'green';
  const made = DateTime.fromISO(at, { zone, locale: 'en' }).toFormat('d LLL yyyy, HH:mm:ss');
  const html = safe`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="60"><title>${MARKS[worst]} – SMS status</title><style>${new Markup(css)}</style></head>
<body><header><h1>SMS status</h1><p>made at <time datetime="${at}">${made}</time> · all times in ${zone} · reloads every minute</p></header><main>
<section><h2>What works</h2><ul>${lights.map(line)}</ul></section>
${subscribers(status)}${tables(status)}${days(status)}</main></body></html>`;
  return [{ json: { html: html.text } }];
}
