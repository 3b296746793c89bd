import { addressOf } from './view';
import { safe } from '../../../builder/code/html';
import { reasonIn } from '../common/messages/reasons';
import { sayIn } from '../../../builder/code/lang';
import { pageOf } from '../../../builder/code/look';
import type { N8n } from '../../../builder/code/n8n';
import type { Sent } from './what-was-sent';

const ZH = {
  Conversations: '会话',
  'Not sent': '未发送',
  'This page is outdated. Nothing was done.': '此页面已过期，未执行任何操作。',
  'It was sent before, somebody has answered in another window, or it was open for more than a day. Look at the conversation first.':
    '此表单已提交过、已在其他窗口回复，或打开超过一天。请先查看会话。',
  'The outbox has not taken the message: {reason}': '发件箱没有收下这条短信：{reason}',
  'Not confirmed': '未确认',
  'It may have been sent. Look at the conversation before you send it again: {reason}':
    '可能已发出。再发之前请先查看会话：{reason}',
  'To the conversation': '查看会话',
} as const;

/** Says why nothing was sent, and where to go on. */
export default function pageThatSaysWhy({ $, $now, $input }: N8n): object {
  const sent = $('What was sent').first<Sent>().json;
  const { lang, kept, row } = sent;
  const say = sayIn(lang, ZH);
  const isOutdated = !$('Outbox').isExecuted;
  const { error, ...answer } = $input.first().json;
  const failure = isOutdated ? undefined : $('Outbox').all(1)[0]?.json.error;
  // The outbox has failed, and the table could not be asked what it had done.
  const isUnknown = failure !== undefined && error !== undefined;
  const text = isOutdated
    ? safe`<b>${say('This page is outdated. Nothing was done.')}</b> ${say('It was sent before, somebody has answered in another window, or it was open for more than a day. Look at the conversation first.')}`
    : say(
        isUnknown
          ? 'It may have been sent. Look at the conversation before you send it again: {reason}'
          : 'The outbox has not taken the message: {reason}',
        { reason: reasonIn(lang, { ...answer, reason: answer.reason ?? failure ?? error }) },
      );
  const html = pageOf(
    { here: 'sms-conversations', title: say('Conversations'), lang, kept, now: $now },
    safe`<section><h2>${say(isUnknown ? 'Not confirmed' : 'Not sent')}</h2><p class="notice red" role="status"><bdi>${text}</bdi></p>
<p><a class="button" href="${addressOf(sent, { row })}#end">${say('To the conversation')}</a></p></section>`,
  );
  return { html, status: isOutdated ? 409 : 200 };
}
