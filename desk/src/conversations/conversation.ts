import { addressOf, type View } from './view';
import { safe, type Markup } from '../../../builder/code/html';
import { addressOf as pageAddress } from '../../../builder/code/look';
import { reasonIn } from '../common/messages/reasons';
import { isDelivered, STATES } from '../common/messages/states';
import { rowName, type Conversation, type Said } from './threads';

/** A conversation as on a phone, oldest message first. */
export function conversationIn(
  view: View,
  { phone, isOptedOut }: { phone: string; isOptedOut: boolean },
  { rows, isCut }: Conversation,
): Markup {
  const { asked, say } = view;
  const { row } = asked;
  const [oldest] = rows;
  const mark = isOptedOut && safe` <span class="mark red">${say('Opted out')}</span>`;
  const links = [
    isCut &&
      oldest &&
      safe`<a class="button" href="${addressOf(asked, { row, before: rowName(oldest) })}">${say('Older messages')}</a>`,
    asked.isOlder &&
      safe`<a class="button" href="${addressOf(asked, { row })}#end">${say('Newest messages')}</a>`,
  ].filter(Boolean);
  const bar = links.length > 0 && safe`<p class="bar">${links}</p>`;
  const bubbles = rows.map((each) => bubble(view, each));
  return safe`<p class="bar"><a href="${addressOf(asked)}">‹ ${say('All conversations')}</a></p>
<section class="chat"><h2>${phone}${mark || ''}</h2>${bar || ''}${bubbles.length > 0 ? safe`<ol>${bubbles}</ol>` : safe`<p>${say('There is nothing in this conversation.')}</p>`}</section>`;
}

function bubble(view: View, row: Said): Markup {
  const { say } = view;
  const time = view.at(row.at);
  if (row.event === 'optOut') {
    return safe`<li class="line"><span class="mark red">${say('Opted out with “{word}”', { word: String(row.text) })}</span> <small>${time}</small></li>`;
  }
  if (row.event === 'deliveryReport') {
    return safe`<li class="line"><small>${time} · ${say('Report without its message: {status}', { status: reportOf(row) })}</small></li>`;
  }
  if (row.side === 'i') {
    return safe`<li class="in" aria-label="${say('Reply from the customer')}"><p><bdi>${row.text}</bdi></p><small>${time}${details(view, row)}</small></li>`;
  }
  const source = row.source ? say('Sent by {source}', { source: row.source }) : '';
  return safe`<li class="out" aria-label="${say('Sent to the customer')}">${textIn(view, row)}<small>${time}${source && ` · ${source}`}${details(view, row)}</small>${outcome(view, row)}</li>`;
}

/** The link to what the dashboard knows about a message. */
function details({ asked, say }: View, row: Said): Markup {
  const address = pageAddress('sms-dashboard', { row: rowName(row), lang: asked.kept });
  return safe` · <a href="${address}">${say('Details')}</a>`;
}

function textIn({ say, names }: View, row: Said): Markup {
  const text = names.text(row);
  if (text !== undefined) return safe`<p><bdi>${text}</bdi></p>`;
  if (row.class === 'code') return safe`<p><i>${say('Verification code, text not stored')}</i></p>`;
  const template = names.of('template', row.template) || row.template;
  return safe`<p><i>${say('Template {template}, text not stored', { template })}</i></p>`;
}

const reportOf = ({ report, report_text }: Said): string =>
  [report, report_text].filter(Boolean).join(' · ');

/** What became of a message, in words. */
export function outcomeOf({ asked: { lang }, say, at }: View, send: Said) {
  const { text, color } = STATES[send.state];
  const waits = send.state === 'waiting' ? at(send.sent_at) : reasonIn(lang, send);
  const told = isDelivered(send.report) ? at(String(send.reported_at)) : reportOf(send);
  const more = send.report === null ? waits : told;
  return {
    kind: color,
    text: more ? say('{state}: {more}', { state: say(text), more }) : say(text),
  };
}

function outcome(view: View, row: Said): Markup {
  const { kind, text } = outcomeOf(view, row);
  return kind
    ? safe`<span class="mark ${kind}"><bdi>${text}</bdi></span>`
    : safe`<small>${text}</small>`;
}
