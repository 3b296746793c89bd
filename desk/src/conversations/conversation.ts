/** A conversation, and the box in which an answer is written. */
import { safe, type Markup } from '../../../builder/code/html';
import { addressOf as pageAddress, hidden, quote } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import { received } from '../common/messages/received';
import { reasonIn } from '../common/messages/reasons';
import { STATES } from '../common/messages/states';
import { errorsIn } from '../common/records/rows';
import { isEnabled, recordsIn, type ServiceRecord } from '../common/records/service';
import { findPlaceholders } from '../nodes/placeholders';
import { rowName, type Conversation, type Said } from './threads';
import { addressOf, keeping, type View } from './view';

/** The open conversation, and what stands below it. */
export function thread({ $ }: Pick<N8n, '$'>, view: View): Markup[] {
  const { asked, say } = view;
  const opened = $('Opened message').first<{ phone_number?: string; opted_out?: boolean }>().json;
  const { found } = $('What was said').first<{ found?: Conversation }>().json;
  const { phone_number: phone = '', opted_out: isOptedOut = false } = opened;
  if (phone === '' || !found) {
    const text = say('This message is not there any more.');
    return [
      safe`<p class="notice" role="status">${text}</p><p><a class="button" href="${addressOf(asked)}">${say('All conversations')}</a></p>`,
    ];
  }
  const box = asked.reply ? replyBox({ $ }, view, phone, isOptedOut) : replyLink(view);
  return [
    conversationIn(view, { phone, isOptedOut }, found),
    safe`<div id="end">${outcomeNotice(view, found)}${box}</div>`,
  ];
}

/** The outcome of the message that was just sent, if it is one of this conversation. */
function outcomeNotice(view: View, { rows }: Conversation): Markup | string {
  const sent = rows.find(({ side, id }) => side === 'o' && id === view.asked.sent);
  if (!sent) return '';
  const { kind, text } = outcomeOf(view, sent);
  const color = { '': 'green', yellow: '' }[kind as string] ?? kind;
  return safe`<p class="notice ${color}" role="status"><bdi>${text}</bdi></p>`;
}

/** A conversation as on a phone, oldest message first. */
function conversationIn(
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
function outcomeOf({ asked: { lang }, say, at }: View, send: Said) {
  const { text, color } = STATES[send.state];
  const waits = send.state === 'waiting' ? at(send.sent_at) : reasonIn(lang, send);
  const told = send.report === 'DELIVRD' ? at(String(send.reported_at)) : reportOf(send);
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

function replyLink({ asked, say }: View): Markup {
  const address = addressOf(asked, { row: asked.row, reply: 1 });
  return safe`<p><a class="button" href="${address}#end">${say('Answer')}</a></p>`;
}

/** The box in which an answer is written: first the template is chosen, then its parameters are filled in. */
function replyBox({ $ }: Pick<N8n, '$'>, view: View, phone: string, isOptedOut: boolean): Markup {
  const { asked, say } = view;
  // What the service gave, and why it did not when it was asked last.
  const said = [$('Templates').first(), $('Signatures').first()];
  const [error] = errorsIn(said);
  const [all = [], signatures = []] = said.map(({ json }) => recordsIn(json));
  const templates = all.filter(isEnabled);
  const chosen = templates.find(({ id }) => String(id) === asked.template);
  const notices = [
    isOptedOut &&
      say('This customer has opted out. The outbox refuses the message unless its rules allow it.'),
    error && say('The templates could not be read: {reason}', { reason: error }),
    !error && templates.length === 0 && say('There is no template that is approved and enabled.'),
    asked.template &&
      !chosen &&
      say('The chosen template is not there any more, or is not enabled.'),
  ].filter(Boolean);
  const form = chosen
    ? parameterForm(view, chosen, {
        ...{ phone, signatures, token: String($('Token').first().json.token) },
      })
    : templateForm(view, templates, signatures);
  const close = safe`<p class="more"><a href="${addressOf(asked, { row: asked.row })}#end">${say('Close')}</a></p>`;
  return safe`<section class="reply"><h2>${say('Answer with a template')}</h2>${notices.map((text) => safe`<p class="notice red" role="status"><bdi>${text}</bdi></p>`)}${form}${close}</section>`;
}

function templateForm(
  { asked, say }: View,
  templates: ServiceRecord[],
  signatures: ServiceRecord[],
) {
  if (templates.length === 0) return '';
  const option = (id: unknown, text: string, chosen: string) =>
    safe`<option value="${id}"${String(id) === chosen ? safe` selected` : ''}>${text}</option>`;
  const template = templates.map(({ id, name, content }) =>
    option(id, `${name} · ${content.slice(0, 60)}`, asked.template),
  );
  const signature = signatures
    .filter(({ id }) => id)
    .map(({ id, name }) => option(id, name, asked.signature));
  return safe`<form action="sms-conversations#end">${hidden(keeping(asked, { row: asked.row, reply: 1 }))}
<label>${say('Template')} <select name="template" required>${template}</select></label>
<label>${say('Signature')} <select name="signature">${option('', say('The template’s own'), asked.signature)}${signature}</select></label>
<p><button class="main">${say('Next')}</button></p></form>`;
}

function parameterForm(
  { asked, say }: View,
  { id, name, content, sign_id, param_count }: ServiceRecord,
  { phone, signatures, token }: { phone: string; signatures: ServiceRecord[]; token: string },
) {
  const { row } = asked;
  const signature = asked.signature || (Number(sign_id) > 0 ? String(sign_id) : '');
  const signed = signatures.find((each) => String(each.id) === signature)?.name ?? '';
  const { names } = findPlaceholders(content, Number(param_count ?? NaN));
  const shown = Object.fromEntries(names.map((each) => [each, `{${each}}`]));
  const fields = names.map(
    (each, index) =>
      safe`<label><bdi>${each}</bdi> <input name="p${index}" required maxlength="200" autocomplete="off" pattern=".*\\S.*"></label>`,
  );
  const back = addressOf(asked, { row, reply: 1, signature: asked.signature });
  const sent = keeping(asked, {
    ...{ row, token, template: asked.template, signature },
    ...Object.fromEntries(names.map((each, index) => [`n${index}`, each])),
  });
  return safe`<p><b>${quote(name)}</b> <small class="id">${id}</small> · <a href="${back}#end">${say('Another template')}</a></p>
<p class="more">${say('The customer gets')}</p><blockquote><bdi>${received(content, shown, signed)}</bdi></blockquote>
<form method="post" action="sms-conversations-reply">${hidden(sent)}${fields}
<p class="more">${say('One SMS is sent to {phone}. It costs money, and cannot be taken back.', { phone })}</p>
<p><button class="main">${say('Send')}</button></p></form>`;
}
