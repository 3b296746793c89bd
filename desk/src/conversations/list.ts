import { addressOf, type View } from './view';
import { safe, type Markup } from '../../../builder/code/html';
import { masked, quote } from '../../../builder/code/look';
import type { Asked } from './what-was-asked';
import { goes, isReceived, LIST, rowName, type Received, type Send, type Thread } from './threads';
import { STATES } from '../common/messages/states';
import { number } from '../common/text/numbers';

/** The rows that were read, and how many numbers wait, if that is known. */
interface Read {
  sends: Send[];
  records: Received[];
  waiting: number | undefined;
}

export function listOf(view: View, threads: Thread[], read: Read): Markup {
  const { asked, say } = view;
  const { waiting } = read;
  const title = asked.digits
    ? say('Numbers that end in {digits}', { digits: asked.digits })
    : say('Latest conversations');
  const older = olderThan(view, read);
  const isNewest = !asked.digits && !asked.isOlder;
  const links = [
    !isNewest &&
      safe`<a class="button" href="${addressOf(asked)}">${say('Newest conversations')}</a>`,
    older && safe`<a class="button" href="${older}">${say('Older conversations')}</a>`,
  ].filter(Boolean);
  const choices = [
    choice(view, say('All'), ''),
    choice(
      view,
      safe`${say('Needs a reply')} <b>${waiting === undefined ? '–' : number(waiting)}</b>`,
      '1',
    ),
  ];
  const isCut = asked.waits && Number(waiting) > threads.length;
  const cut = isCut && say('The {n} who have waited longest.', { n: number(threads.length) });
  return safe`<div class="bar"><nav class="choice" aria-label="${title}">${choices}</nav></div><section><h2>${title}</h2>${cut ? safe`<p>${cut}</p>` : ''}${threads.length > 0 ? safe`<ul class="threads">${threads.map((thread) => lineOf(view, thread))}</ul>` : emptyList(view, waiting, isNewest)}</section>
<p class="bar more">${links}</p>`;
}

/** What stands in place of a list. Nothing, if nobody knows who needs a reply: a notice says why. */
function emptyList({ asked, say }: View, waiting: number | undefined, isNewest: boolean): Markup {
  if (asked.waits)
    return waiting === undefined ? safe`` : safe`<p>${say('Nobody here needs a reply.')}</p>`;
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

function lineOf(view: View, { phone, last, at, waits }: Thread): Markup {
  const text = isReceived(last) ? quote(last.content) : ours(view, last);
  const mark = waits
    ? safe`<span class="mark yellow">${view.say('Needs a reply')}</span>`
    : unsent(view, last);
  return safe`<li><a href="${addressOf(view.asked, { row: rowName(last) })}#end"><b class="id">${masked(phone)}</b>${mark}<time>${view.at(at)}</time><span class="last">${text}</span></a></li>`;
}

/** How the last message was not sent. */
function unsent({ say }: View, last: Send | Received): Markup | string {
  if (isReceived(last) || goes(last)) return '';
  const { text, color } = STATES[last.state];
  return safe`<span class="mark ${color}">${say(text)}</span>`;
}

function ours({ say, names }: View, send: Send): Markup {
  const template = names.of('template', send.template) || send.template;
  const text =
    names.text(send) ??
    (send.class === 'code'
      ? say('Verification code, text not stored')
      : say('Template {template}', { template }));
  return safe`${say('You:')} ${quote(text)}`;
}

/** Where the rows before these are listed. Empty if there are none. */
function olderThan({ asked }: View, { sends, records }: Read): string {
  const { sendsBelow, recordsBelow, digits, waits } = asked;
  const lowest = (rows: { id: number }[], limit: number, before: number) =>
    Math.min(before, ...rows.slice(0, limit).map(({ id }) => id));
  const hasMore = sends.length > LIST.sends || records.length > LIST.records;
  const o = lowest(sends, LIST.sends, sendsBelow);
  const i = lowest(records, LIST.records, recordsBelow);
  return hasMore && !waits ? addressOf(asked, { digits, o, i }) : '';
}
