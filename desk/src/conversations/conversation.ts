import { addressOf, type View } from './view';
import { safe, type Markup } from '../../../builder/code/html';
import { addressOf as pageAddress } from '../../../builder/code/look';
import { reasonIn } from '../common/messages/reasons';
import { isDelivered, STATES } from '../common/messages/states';
import { rowName, type Conversation, type Entry, type Received, type Send } from './threads';

/** A conversation as on a phone, oldest message first. */
export function conversationIn(
  view: View,
  phone: string,
  { entries, older }: Conversation,
  isOptedOut: boolean,
): Markup {
  const { asked, say } = view;
  const { row } = asked;
  const mark = isOptedOut && safe` <span class="mark red">${say('Opted out')}</span>`;
  const links = [
    older &&
      safe`<a class="button" href="${addressOf(asked, { row, o: older.sends, i: older.records })}">${say('Older messages')}</a>`,
    asked.isOlder &&
      safe`<a class="button" href="${addressOf(asked, { row })}#end">${say('Newest messages')}</a>`,
  ].filter(Boolean);
  const bar = links.length > 0 && safe`<p class="bar">${links}</p>`;
  const bubbles = entries.map((entry) => bubble(view, entry));
  return safe`<p class="bar"><a href="${addressOf(asked)}">‹ ${say('All conversations')}</a></p>
<section class="chat"><h2>${phone}${mark || ''}</h2>${bar || ''}${bubbles.length > 0 ? safe`<ol>${bubbles}</ol>` : safe`<p>${say('There is nothing in this conversation.')}</p>`}</section>`;
}

function bubble(view: View, entry: Entry): Markup {
  const { say } = view;
  const time = view.at(entry.at);
  if (entry.kind === 'optOut') {
    return safe`<li class="line"><span class="mark red">${say('Opted out with “{word}”', entry)}</span> <small>${time}</small></li>`;
  }
  if (entry.kind === 'report') {
    const status = statusOf(entry.row);
    return safe`<li class="line"><small>${time} · ${say('Report without its message: {status}', { status })}</small></li>`;
  }
  if (entry.kind === 'reply') {
    return safe`<li class="in" aria-label="${say('Reply from the customer')}"><p><bdi>${entry.row.content}</bdi></p><small>${time}${details(view, entry.row)}</small></li>`;
  }
  const { row } = entry;
  const source = row.source ? say('Sent by {source}', { source: row.source }) : '';
  return safe`<li class="out" aria-label="${say('Sent to the customer')}">${textIn(view, row)}<small>${time}${source && ` · ${source}`}${details(view, row)}</small>${outcome(view, row)}</li>`;
}

/** The link to what the dashboard knows about a message. */
function details({ asked, say }: View, row: Send | Received): Markup {
  const address = pageAddress('sms-dashboard', { row: rowName(row), lang: asked.kept });
  return safe` · <a href="${address}">${say('Details')}</a>`;
}

function textIn({ say, names }: View, row: Send): Markup {
  const text = names.text(row);
  if (text !== undefined) return safe`<p><bdi>${text}</bdi></p>`;
  if (row.class === 'code') return safe`<p><i>${say('Verification code, text not stored')}</i></p>`;
  const template = names.of('template', row.template) || row.template;
  return safe`<p><i>${say('Template {template}, text not stored', { template })}</i></p>`;
}

function statusOf({
  status,
  status_desc,
}: Record<'status' | 'status_desc', string | null>): string {
  return [status, status_desc].filter(Boolean).join(' · ');
}

/** What became of a message, in words. */
export function outcomeOf({ asked: { lang }, say, at }: View, send: Send) {
  const { state, report, report_text, reported_at } = send;
  const { text, color } = STATES[state];
  const waits = state === 'waiting' ? at(Date.parse(String(send.sent_at))) : reasonIn(lang, send);
  const told = isDelivered(report)
    ? at(Date.parse(String(reported_at)))
    : statusOf({ status: report, status_desc: report_text });
  const more = report === null ? waits : told;
  return {
    kind: color,
    text: more ? say('{state}: {more}', { state: say(text), more }) : say(text),
  };
}

function outcome(view: View, row: Send): Markup {
  const { kind, text } = outcomeOf(view, row);
  return kind
    ? safe`<span class="mark ${kind}"><bdi>${text}</bdi></span>`
    : safe`<small>${text}</small>`;
}
