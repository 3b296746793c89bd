import { addressOf, type View } from './view';
import { safe, type Markup } from '../../../builder/code/html';
import { masked, quote } from '../../../builder/code/look';
import type { Asked } from './what-was-asked';
import { rowName, type List, type Said, type Thread } from './threads';
import { STATES } from '../common/messages/states';
import { number } from '../common/text/numbers';

export function listOf(view: View, { threads, waiting, older }: List): Markup {
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
