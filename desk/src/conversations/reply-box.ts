import { findPlaceholders } from '../nodes/placeholders';
import { addressOf, keeping, type View } from './view';
import { safe, type Markup } from '../../../builder/code/html';
import { hidden, quote } from '../../../builder/code/look';
import { isEnabled, type ServiceRecord } from '../common/records/service';
import { received } from '../common/messages/received';

/** What the service gave for the box. */
interface Choices {
  phone: string;
  isOptedOut: boolean;
  templates: ServiceRecord[];
  signatures: ServiceRecord[];
  /** Why it did not when it was asked last. */
  error: string;
  /** What makes a form be taken once. */
  token: string;
}

export function replyLink({ asked, say }: View): Markup {
  const address = addressOf(asked, { row: asked.row, reply: 1 });
  return safe`<p><a class="button" href="${address}#end">${say('Answer')}</a></p>`;
}

/** The box in which an answer is written: first the template is chosen, then its parameters are filled in. */
export function replyBox(view: View, choices: Choices): Markup {
  const { asked, say } = view;
  const { isOptedOut, error, signatures } = choices;
  const templates = choices.templates.filter(isEnabled);
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
    ? parameterForm(view, chosen, choices)
    : templates.length > 0 && templateForm(view, templates, signatures);
  const close = safe`<p class="more"><a href="${addressOf(asked, { row: asked.row })}#end">${say('Close')}</a></p>`;
  return safe`<section class="reply"><h2>${say('Answer with a template')}</h2>${notices.map((text) => safe`<p class="notice red" role="status"><bdi>${text}</bdi></p>`)}${form || ''}${close}</section>`;
}

function templateForm(
  { asked, say }: View,
  templates: ServiceRecord[],
  signatures: ServiceRecord[],
) {
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
  { phone, signatures, token }: Choices,
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
