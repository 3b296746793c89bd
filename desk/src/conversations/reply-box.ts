import { findPlaceholders } from '../nodes/placeholders';
import { addressOf, hidden, openedIn, type View } from './view';
import { safe, type Markup } from '../../../builder/code/html';
import { sayIn } from '../../../builder/code/lang';
import { quote } from '../../../builder/code/look';
import type { Fields } from '../../../builder/code/n8n';
import { isEnabled } from '../common/records/service';
import { received } from '../common/messages/received';

const ZH = {
  Answer: '回复',
  'Answer with a template': '用模板回复',
  Template: '模板',
  Signature: '签名',
  'The template’s own': '模板自带的签名',
  Next: '下一步',
  Close: '关闭',
  'Another template': '换一个模板',
  'The customer gets': '客户将收到',
  Send: '发送',
  'One SMS is sent to {phone}. It costs money, and cannot be taken back.':
    '将向 {phone} 发送一条短信。会产生费用，且无法撤回。',
  'This customer has opted out. The outbox refuses the message unless its rules allow it.':
    '此客户已退订。除非规则允许，发件箱会拒绝发送此消息。',
  'The templates could not be read: {reason}': '无法读取模板：{reason}',
  'There is no template that is approved and enabled.': '没有已通过审核并启用的模板。',
  'The chosen template is not there any more, or is not enabled.': '所选模板已不存在或未启用。',
} as const;

/** A template or a signature of the account, as the service gives it. */
interface Choice {
  id: string;
  name: string;
  content: string;
  signature: string;
  paramCount?: number;
}

/** What the service gave for the box. */
export interface Choices {
  templates: Fields[];
  signatures: Fields[];
  /** Why it did not when it was asked last. */
  error: string;
  /** What makes a form be taken once. */
  token: string;
}

/** The link that opens the box. */
export function replyLink({ asked }: View): Markup {
  const say = sayIn(asked.lang, ZH);
  const address = addressOf(asked, { ...openedIn(asked), reply: 1 });
  return safe`<p><a class="button" href="${address}#end">${say('Answer')}</a></p>`;
}

/** The box in which an answer is written: first the template is chosen, then its parameters are filled in. */
export function replyBox(
  view: View,
  phone: string,
  { templates, signatures, error, token }: Choices,
  isOptedOut: boolean,
): Markup {
  const { asked } = view;
  const say = sayIn(asked.lang, ZH);
  const all = templates.filter(isEnabled).map(choiceOf);
  const chosen = all.find(({ id }) => id === asked.template);
  const notices = [
    isOptedOut &&
      say('This customer has opted out. The outbox refuses the message unless its rules allow it.'),
    error && say('The templates could not be read: {reason}', { reason: error }),
    !error && all.length === 0 && say('There is no template that is approved and enabled.'),
    asked.template &&
      !chosen &&
      say('The chosen template is not there any more, or is not enabled.'),
  ].filter(Boolean);
  const names = new Map(signatures.map((each) => [String(each.id), String(each.name ?? '')]));
  const form = chosen
    ? parameterForm(view, phone, chosen, names, token)
    : all.length > 0 && templateForm(view, all, names);
  const close = safe`<p class="more"><a href="${addressOf(asked, openedIn(asked))}#end">${say('Close')}</a></p>`;
  return safe`<section class="reply"><h2>${say('Answer with a template')}</h2>${notices.map((text) => safe`<p class="notice red" role="status"><bdi>${text}</bdi></p>`)}${form || ''}${close}</section>`;
}

function choiceOf({ id, name, content, sign_id, param_count }: Fields): Choice {
  const count = Number(param_count);
  return {
    id: String(id),
    name: String(name ?? ''),
    content: String(content ?? ''),
    signature: /^[1-9]\d*$/.test(String(sign_id)) ? String(sign_id) : '',
    paramCount: Number.isInteger(count) ? count : undefined,
  };
}

function templateForm({ asked }: View, templates: Choice[], signatures: Map<string, string>) {
  const say = sayIn(asked.lang, ZH);
  const option = (id: string, text: string, isChosen: boolean) =>
    safe`<option value="${id}"${isChosen ? safe` selected` : ''}>${text}</option>`;
  const template = templates.map(({ id, name, content }) =>
    option(id, `${name} · ${content.slice(0, 60)}`, id === asked.template),
  );
  const signature = [...signatures]
    .filter(([id]) => id !== 'undefined')
    .map(([id, name]) => option(id, name, id === asked.signature));
  return safe`<form action="sms-conversations#end">${hidden({ ...openedIn(asked), reply: 1, refresh: !asked.reloads && 'off', lang: asked.keepsLang && asked.lang })}
<label>${say('Template')} <select name="template" required>${template}</select></label>
<label>${say('Signature')} <select name="signature">${option('', say('The template’s own'), asked.signature === '')}${signature}</select></label>
<p><button class="main">${say('Next')}</button></p></form>`;
}

function parameterForm(
  { asked }: View,
  phone: string,
  template: Choice,
  signatures: Map<string, string>,
  token: string,
) {
  const say = sayIn(asked.lang, ZH);
  const signature = asked.signature || template.signature;
  const { names } = findPlaceholders(template.content, template.paramCount);
  const shown = Object.fromEntries(names.map((name) => [name, `{${name}}`]));
  const text = received(template.content, shown, signatures.get(signature) ?? '');
  const fields = names.map(
    (name, index) =>
      safe`<label><bdi>${name}</bdi> <input name="p${index}" required maxlength="200" autocomplete="off" pattern=".*\\S.*"></label>${hidden({ [`n${index}`]: name })}`,
  );
  const back = addressOf(asked, { ...openedIn(asked), reply: 1, signature: asked.signature });
  const all = { ...openedIn(asked), token, template: template.id, signature };
  return safe`<p><b>${quote(template.name)}</b> <small class="id">${template.id}</small> · <a href="${back}#end">${say('Another template')}</a></p>
<p class="more">${say('The customer gets')}</p><blockquote><bdi>${text}</bdi></blockquote>
<form method="post" action="sms-conversations-reply">${hidden({ ...all, lang: asked.keepsLang && asked.lang })}${fields}
<p class="more">${say('One SMS is sent to {phone}. It costs money, and cannot be taken back.', { phone })}</p>
<p><button class="main">${say('Send')}</button></p></form>`;
}
