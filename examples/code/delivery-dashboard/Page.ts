import { Markup, safe } from '../html';
import type { Item, N8n } from '../n8n';
import { number, share } from '../numbers';
import type { Shown } from './Figures';
import type { WithTables } from './Tables';
import type { Asked } from './What was asked';

type Content = Markup | string;

/** Of each window: the text of its link, and how a sentence calls it. */
const WINDOWS = {
  '1h': ['1 h', 'the last hour'],
  '24h': ['24 h', 'the last 24 hours'],
  '7d': ['7 d', 'the last 7 days'],
  all: ['All', 'all time'],
} as const;

/** Writes a time, in the time zone of the workflow. */
type Local = (millis: number) => string;

/** The address of this page with changes. */
function address(asked: Asked, changes: Partial<Asked>): string {
  const { window, typed, refresh, format } = { ...asked, format: '', ...changes };
  const query = { window, phone: typed, refresh: refresh ? '' : 'off', format };
  const given = Object.entries(query).filter(([, value]) => value);
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

function head(asked: Asked, local: Local): { refresh: Content; line: Markup } {
  const seconds = ['1h', '24h'].includes(asked.window) ? 60 : 300;
  // A page that loads itself would take away what somebody reads after a search.
  const loads = asked.refresh && !asked.typed;
  const refresh = loads ? safe`<meta http-equiv="refresh" content="${seconds}">` : '';
  const minutes = seconds === 60 ? 'every minute' : 'every 5 minutes';
  const stop = safe` · reloads ${minutes} <a href="${address(asked, { refresh: false })}">stop</a>`;
  const start = safe` · <a href="${address(asked, { refresh: true })}">reload ${minutes}</a>`;
  const note = loads ? stop : asked.typed ? '' : start;
  const made = safe`<time datetime="${asked.now}">${local(Date.parse(asked.now))}</time>`;
  return { refresh, line: safe`made at ${made} · all times in ${asked.zone}${note}` };
}

function controls(asked: Asked): Markup {
  const windows = Object.entries(WINDOWS).map(([window, [label]]) => {
    const current = window === asked.window ? safe` aria-current="page"` : '';
    const link = address(asked, { window: window as Asked['window'] });
    return safe`<a href="${link}"${current}>${label}</a>`;
  });
  const clear = asked.typed ? safe`<a href="${address(asked, { typed: '' })}">Clear</a>` : '';
  return safe`<div class="bar"><nav aria-label="Time window">${windows}</nav>
<form method="get" role="search"><input type="hidden" name="window" value="${asked.window}">
<input type="search" name="phone" value="${asked.typed}" placeholder="Phone number" aria-label="Phone number" inputmode="tel" autocomplete="off"><button>Search</button>${clear}</form>
<a class="file" href="${address(asked, { format: 'csv' })}" title="Complete numbers and texts: personal data">CSV file</a></div>`;
}

function notices({ asked, problems, cutAt, most, tiles }: Shown, local: Local): Markup[] {
  const texts = problems.map((problem) =>
    problem.includes('not found')
      ? safe`<b>A data table is missing.</b> Publish the workflows <i>SMS · Inbox</i> and <i>SMS · Outbox</i>: each makes its tables when the first record or message comes. (${problem})`
      : safe`<b>The numbers are not complete.</b> A table could not be read: ${problem}`,
  );
  if (cutAt) {
    const [, period] = WINDOWS[asked.window];
    texts.push(
      safe`There are more than ${number(most)} rows in ${period}. These are the latest, from ${local(cutAt)} on.`,
    );
  }
  if (tiles.ahead > 0) {
    texts.push(
      safe`${number(tiles.ahead)} reports have a time in the future. Check this server's clock, and your SMS provider's.`,
    );
  }
  return texts.map((text) => safe`<p class="notice" role="status">${text}</p>`);
}

function tile(label: string, value: string, note = '', kind = ''): Markup {
  return safe`<div class="tile"><dt>${label}</dt><dd class="value ${kind}">${value}</dd><dd class="more">${note}</dd></div>`;
}

function overview({ tiles }: Shown): Markup {
  const { sent, reported, delivered, failed, missing, overdue, unknown, replies } = tiles;
  const good = `${number(delivered)} of ${number(reported)} reported`;
  const other = unknown > 0 ? `${number(unknown)} of messages that are not in “sent”` : '';
  const late = overdue > 0 ? `${number(overdue)} for more than an hour` : '';
  const bad = failed > 0 ? `${share(failed, reported)} of the reported` : '';
  return safe`<dl class="tiles">${[
    tile('Sent', number(sent)),
    tile('Reported', number(reported), other),
    tile('Delivered', share(delivered, reported), good, 'good'),
    tile('Failed', number(failed), bad, failed > 0 ? 'bad' : ''),
    tile('No report yet', number(missing), late),
    tile('Replies', number(replies)),
  ]}</dl>`;
}

/** The charts and the table of their numbers have no value that is not escaped or a number. */
function chartPanels({ charts, unit, numbers }: WithTables): Content {
  if (!charts) return '';
  const key = (kind: string, text: string) => safe`<span><i class="${kind}"></i>${text}</span>`;
  const traffic = safe`<p class="key">${key('sent', 'sent')}${key('reported', 'reported')}</p>${new Markup(charts.traffic)}`;
  const outcome = safe`<p class="key">${key('good', 'delivered')}${key('bad', 'failed, with their number')}</p>${new Markup(charts.outcome)}`;
  const details = safe`<details><summary>The numbers of both charts</summary>${new Markup(numbers)}</details>`;
  return safe`<section class="wide"><h2>Sent and reported, per ${unit}</h2>${traffic}</section>
<section class="wide"><h2>Delivered and failed, per ${unit}</h2>${outcome}${details}</section>`;
}

function body(shown: WithTables): Markup {
  const { asked, tiles, search, tables } = shown;
  const [, period] = WINDOWS[asked.window];
  const link = address(asked, { window: 'all' });
  const toAll = asked.window === 'all' ? '' : safe` <a href="${link}">Look at all time.</a>`;
  if (asked.typed && !asked.phone)
    return safe`<p class="notice">“${asked.typed}” is not a mobile number. One has 11 digits; +86, spaces and dashes are fine.</p>`;
  if (asked.typed && search === '')
    return safe`<section><h2>Messages of ${asked.phone}</h2><p>No message to this number and none from it in ${period}.${toAll}</p></section>`;
  if (asked.typed) return safe`${overview(shown)}${new Markup(search)}`;
  if (tiles.sent + tiles.reported + tiles.replies > 0)
    return safe`${overview(shown)}<div class="grid">${chartPanels(shown)}${new Markup(tables)}</div>`;
  return safe`<section class="empty"><h2>Nothing in ${period}</h2>
<p>No message was sent, and no report or reply came.${toAll}</p>
<p>If nothing has ever come:</p>
<ol><li>Publish the workflow <i>SMS · Inbox</i>. It stores reports and replies in the data table <i>sms_inbox</i>.</li>
<li>Publish the workflow <i>SMS · Outbox</i>, and a workflow that sends by it. It stores what was sent in the data table <i>sms_outbox</i>.</li>
<li>Send a message, and wait for a minute. This page shows what is in both tables.</li></ol></section>`;
}

/** Writes the page. It has no script and allows none. Every value is escaped. */
export default function page({ $input, DateTime }: N8n): Item<{ html: string }>[] {
  const shown = $input.first<WithTables>().json;
  const { asked } = shown;
  const local: Local = (millis) =>
    DateTime.fromMillis(millis, { zone: asked.zone, locale: 'en' }).toFormat(
      'd LLL yyyy, HH:mm:ss',
    );
  const { refresh, line } = head(asked, local);
  const html = safe`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
${refresh}<title>SMS delivery</title><style>${new Markup(shown.css)}</style></head>
<body><header><h1>SMS delivery</h1><p>${line}</p></header><main>${controls(asked)}
${notices(shown, local)}${body(shown)}</main></body></html>`;
  return [{ json: { html: html.text } }];
}
