/** What the parts of the page of conversations share. */
import type { Say } from '../../../builder/code/lang';
import { addressOf as pageAddress, type Values } from '../../../builder/code/look';
import { STATES_ZH } from '../common/messages/states';
import type { Names } from './threads';
import type { Asked } from './what-was-asked';

export const ZH = {
  ...STATES_ZH,
  '{state}: {more}': '{state}：{more}',
  '{n} {n|message|messages} of the last 24 hours {n|was|were} not sent, or not confirmed.':
    '过去 24 小时内有 {n} 条短信未发送或未确认。',
  'To the dashboard': '查看看板',
  'Older messages': '更早的短信',
  'Newest messages': '最新的短信',
  'All conversations': '全部会话',
  Details: '详情',
  'Opted out with “{word}”': '已回复“{word}”退订',
  'Verification code, text not stored': '验证码，内容不保存',
  'Template {template}, text not stored': '模板 {template}，内容未保存',
  'There is nothing in this conversation.': '此会话没有内容。',
  'Sent by {source}': '来自 {source}',
  'Reply from the customer': '客户的上行',
  'Sent to the customer': '发送给客户',
  'Report without its message: {status}': '未找到对应短信的状态报告：{status}',
  'Latest conversations': '最近的会话',
  'Numbers that end in {digits}': '尾号为 {digits} 的号码',
  All: '全部',
  'Needs a reply': '待回复',
  'Nobody here needs a reply.': '这里没有待回复的会话。',
  'The {n} who have waited longest.': '等待最久的 {n} 个号码。',
  'You:': '我方：',
  'Template {template}': '模板 {template}',
  'Older conversations': '更早的会话',
  'Newest conversations': '最新的会话',
  'There is no conversation here.': '这里没有会话。',
  'SMS · Outbox stores what is sent, and SMS · Inbox what comes back. Publish both, and send a message.':
    '“SMS · Outbox”保存已发送的短信，“SMS · Inbox”保存状态报告和上行。请发布这两个工作流，然后发送一条短信。',
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
    '此客户已退订。除非规则允许，发件箱会拦下这条短信。',
  'The templates could not be read: {reason}': '无法读取模板：{reason}',
  'There is no template that is approved and enabled.': '没有已通过审核并启用的模板。',
  'The chosen template is not there any more, or is not enabled.': '所选模板已不存在或未启用。',
  Conversations: '会话',
  'Last four digits of the number': '手机号后四位',
  Search: '搜索',
  'Enter the last four digits of a number, or a whole mobile number.':
    '请输入手机号后四位，或完整的手机号。',
  'There is no conversation with this number. The list has those that end in the same digits.':
    '没有与此号码的会话。列表显示尾号相同的号码。',
  'This message is not there any more.': '这条短信已不存在。',
  'The tables could not be read: {reason}': '无法读取数据表：{reason}',
} as const;

export interface View {
  asked: Asked;
  say: Say<keyof typeof ZH>;
  names: Names;
  /** A time, as short as it can be. */
  at: (time: string) => string;
}

type Kept = Pick<Asked, 'kept'> & Partial<Asked>;

/** Values, the language of the address that was opened, and no reload if it has none. */
export const keeping = ({ kept, reloads = true }: Kept, values: Values): Values => ({
  ...values,
  ...{ refresh: !reloads && 'off', lang: kept },
});

export const addressOf = (kept: Kept, values: Values = {}): string =>
  pageAddress('sms-conversations', keeping(kept, values));

/** What the address of the list says about which part of it is shown. */
export function partIn({ isOlder, sendsBelow, recordsBelow }: Asked): Values {
  return isOlder ? { o: sendsBelow, i: recordsBelow } : {};
}
