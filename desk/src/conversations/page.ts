import { safe, type Markup } from '../../../builder/code/html';
import { sayIn } from '../../../builder/code/lang';
import {
  addressOf as pageAddress,
  hidden,
  masked,
  pageOf,
  quote,
} from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { STATES } from '../common/messages/states';
import { errorsIn } from '../common/records/rows';
import { clock, number } from '../common/text/format';
import { thread } from './conversation';
import { Names, rowName, type List, type Said, type Thread } from './threads';
import { addressOf, keeping, partIn, ZH, type View } from './view';
import type { Asked } from './what-was-asked';

const STYLE = `
.threads a{display:grid;grid-template-columns:auto minmax(0,1fr) auto;gap:2px 12px;align-items:baseline;padding:4px 0;color:var(--ink);text-decoration:none}.threads a:hover .last{text-decoration:underline}
.threads time{grid-column:3;color:var(--soft);font-size:13px}.threads .last{grid-row:2;grid-column:1/-1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;color:var(--soft)}
.chat,.reply,#end{max-width:760px}.chat ol{list-style:none;margin:0;padding:0;display:flex;flex-direction:column;gap:10px}
.chat li{max-width:min(86%,540px);padding:8px 12px;border:1px solid var(--line);border-radius:14px;background:var(--grid);align-self:flex-start}.chat .out{align-self:flex-end;background:var(--greenbg)}.chat .line{align-self:center;background:none;text-align:center;border:0}
.chat li p{white-space:pre-wrap;overflow-wrap:anywhere}.chat li small,.chat li .mark{display:block;font-size:13px}
#end{margin-top:12px}.reply p+p,.reply form+p{margin-top:10px}.reply label{display:block;margin:0 0 10px}.reply label select,.reply label input{display:block;width:100%;margin-top:2px}
`;

/** A page, or the address where it is. */
export interface Answer {
  html: string;
  location: string;
}

/** Writes the page: the list, or a conversation with its reply box. */
export default function page({ $, $now, DateTime }: N8n): Answer {
  const asked = $('What was asked').first<Asked>().json;
  const { lang, kept, row, digits, waits, reloads } = asked;
  if (asked.isBad || asked.number) {
    return { html: '', location: searched({ $ }, asked) };
  }
  const zone = $now.zoneName ?? 'utc';
  const say = sayIn(lang, ZH);
  const view: View = {
    ...{ asked, say },
    names: new Names($('Known templates').all()),
    at: (time) => clock(DateTime.fromISO(time, { zone }), $now),
  };
  const other = addressOf(
    { ...asked, reloads: !reloads },
    { row, digits, ...partIn(asked), waits },
  );
  const html = pageOf(
    {
      ...{ here: 'sms-conversations', title: say('Conversations'), lang, kept },
      ...{ now: $now, style: STYLE },
      reload: asked.reply ? undefined : { seconds: 30, isOn: reloads, other },
    },
    [search(view), ...notices({ $ }, view), ...(row ? thread({ $ }, view) : list({ $ }, view))],
  );
  return { html, location: '' };
}

/** Where the answer to a search is, if it is not a list: no address has a whole number in it. */
function searched({ $ }: Pick<N8n, '$'>, asked: Asked): string {
  const { was } = asked;
  if (!asked.number) return addressOf(asked, { digits: was, ...partIn(asked), bad: 'search' });
  const { row } = $('Opened message').first().json;
  return row
    ? `${addressOf(asked, { row: String(row) })}#end`
    : addressOf(asked, { digits: asked.number.slice(-4), bad: 'number' });
}

function search({ asked, say }: View): Markup {
  const { digits } = asked;
  return safe`<form class="bar" role="search" action="sms-conversations">${hidden(keeping(asked, { was: digits, ...partIn(asked) }))}<label>${say('Last four digits of the number')} <input type="search" name="digits" inputmode="numeric" autocomplete="off" maxlength="24" size="12" value="${digits}"></label><button>${say('Search')}</button></form>`;
}

function notices({ $ }: Pick<N8n, '$'>, { asked, say }: View): Markup[] {
  const [reason] = errorsIn([...$('Opened message').all(), ...$('What was said').all()]);
  const texts = [
    asked.bad === 'search' &&
      say('Enter the last four digits of a number, or a whole mobile number.'),
    asked.bad === 'number' &&
      say(
        'There is no conversation with this number. The list has those that end in the same digits.',
      ),
    reason && say('The tables could not be read: {reason}', { reason }),
  ];
  return texts
    .filter(Boolean)
    .map((text) => safe`<p class="notice" role="status"><bdi>${text}</bdi></p>`);
}

/** Nothing, if it could not be read: a notice says why. */
function list({ $ }: Pick<N8n, '$'>, view: View): Markup[] {
  const { found } = $('What was said').first<{ found?: List }>().json;
  if (!found) return [];
  const { asked, say } = view;
  const text = say(
    '{n} {n|message|messages} of the last 24 hours {n|was|were} not sent, or not confirmed.',
    { n: number(found.unsent) },
  );
  const more = pageAddress('sms-dashboard', { lang: asked.kept });
  const unsent =
    found.unsent > 0 &&
    safe`<p class="notice" role="status"><b>${text}</b> <a class="button" href="${more}">${say('To the dashboard')}</a></p>`;
  return [unsent || safe``, listOf(view, found)];
}

function listOf(view: View, { threads, waiting, older }: List): Markup {
  const { asked, say } = view;
  const { digits } = asked;
  const title = digits
    ? say('Numbers that end in {digits}', { digits })
    : say('Latest conversations');
  const isNewest = !digits && !asked.isOlder;
  const links = [
    !isNewest &&
      safe`<a class="button" href="${addressOf(asked)}">${say('Newest conversations')}</a>`,
    older &&
      safe`<a class="button" href="${addressOf(asked, { digits, ...older })}">${say('Older conversations')}</a>`,
  ].filter(Boolean);
  const needs = safe`${say('Needs a reply')} <b>${number(waiting)}</b>`;
  const choices = [choice(view, say('All'), ''), choice(view, needs, '1')];
  const isCut = asked.waits && waiting > threads.length;
  const cut = isCut && say('The {n} who have waited longest.', { n: number(threads.length) });
  return safe`<div class="bar"><nav class="choice" aria-label="${title}">${choices}</nav></div><section><h2>${title}</h2>${cut ? safe`<p>${cut}</p>` : ''}${threads.length > 0 ? safe`<ul class="threads">${threads.map((thread) => lineOf(view, thread))}</ul>` : emptyList(view, isNewest)}</section>
<p class="bar more">${links}</p>`;
}

/** What stands in place of a list. */
function emptyList({ asked, say }: View, isNewest: boolean): Markup {
  if (asked.waits) return safe`<p>${say('Nobody here needs a reply.')}</p>`;
  const hint =
    isNewest &&
    safe` ${say('SMS · Outbox stores what is sent, and SMS · Inbox what comes back. Publish both, and send a message.')}`;
  return safe`<p>${say('There is no conversation here.')}${hint || ''}</p>`;
}

/** A link to all that are listed, or to those who need a reply. */
function choice({ asked }: View, text: Markup | string, waits: Asked['waits']): Markup {
  const current = waits === asked.waits ? safe` aria-current="page"` : '';
  const link = addressOf(asked, { digits: asked.digits, waits });
  return safe`<a href="${link}"${current}>${text}</a>`;
}

function lineOf(view: View, last: Thread): Markup {
  const text = last.side === 'o' ? ours(view, last) : quote(last.text);
  const mark = last.since
    ? safe`<span class="mark yellow">${view.say('Needs a reply')}</span>`
    : unsent(view, last);
  return safe`<li><a href="${addressOf(view.asked, { row: rowName(last) })}#end"><b class="id">${masked(last.phone_number)}</b>${mark}<time>${view.at(last.since ?? last.at)}</time><span class="last">${text}</span></a></li>`;
}

/** How the last message was not sent. */
function unsent({ say }: View, { status, state }: Said): Markup | string {
  if (status !== 'refused' && status !== 'rejected') return '';
  const { text, color } = STATES[state];
  return safe`<span class="mark ${color}">${say(text)}</span>`;
}

function ours({ say, names }: View, send: Said): Markup {
  const template = names.of('template', send.template) || send.template;
  const text =
    names.text(send) ??
    (send.class === 'code'
      ? say('Verification code, text not stored')
      : say('Template {template}', { template }));
  return safe`${say('You:')} ${quote(text)}`;
}
