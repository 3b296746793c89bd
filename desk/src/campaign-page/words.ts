import { UNKNOWN_ZH } from './unknown';
import { STATE_ZH } from './state';
import { PRESSES_ZH } from './presses';
import { PROGRESS_ZH } from './progress';

/** The texts of the page. */
export const ZH = {
  ...STATE_ZH,
  ...PROGRESS_ZH,
  ...PRESSES_ZH,
  ...UNKNOWN_ZH,
  'All campaigns': '全部群发',
  'The numbers are not complete. A table could not be read: {problem}':
    '数字不完整。有一张表无法读取：{problem}',
  'The balance could not be read.': '无法读取余额。',
  'as of {time}': '截至 {time}',
  'The service does not answer.': '短信服务没有响应。',
  'The template is not in your account any more, or is disabled.': '模板已不在账户中，或已停用。',
  'Expected to end at {time}.': '预计 {time} 结束。',
  'What will happen': '开始后会发生什么',
  'Nothing has been sent, and nothing has been paid.': '目前没有发送，也没有产生费用。',
  People: '人数',
  '{people|gets|get} a message': '将收到短信',
  'Bad numbers': '无效号码',
  'left out': '不会发送',
  Duplicates: '重复号码',
  'one message each': '每个号码只发一条',
  Segments: '计费条数',
  'by the usual rule': '按常用规则估算',
  'Balance now': '当前余额',
  'Balance after': '发送后余额',
  'if a segment costs 1': '每条按 1 计',
  'Expected to end': '预计结束',
  'at {pace} a minute, {from} to {to} o’clock': '每分钟 {pace} 条，{from} 点至 {to} 点',
  never: '不会完成',
  'Three real texts': '三条真实短信',
  'to {phone}, segments: {segments}': '发给 {phone}，计费 {segments} 条',
  'The template needs {missing}. Add a column of that name to the spreadsheet, and load it again under the same name.':
    '模板需要变量 {missing}。请在表格中加上同名的列，用同一名称重新导入。',
  '{count} {count|person has|people have} nothing in “{name}”.': '有 {count} 人的“{name}”是空的。',
  'Mend what the reason says, and press “Send again what was not sent”.':
    '请按原因处理，然后点击“重发没发出去的”。',
  'Wait for the delivery reports. More is below, under “Outcome unknown”.':
    '请先等待状态报告，详见下方“结果未知”。',
  'The balance is too small for everybody.': '余额不够发给所有人。',
  'Because of the day’s limit in sms.rules, so many go on each day: {days}.':
    '受 sms.rules 中每日限额的限制，每天发送的条数为：{days}。',
  'The day’s limit in sms.rules leaves nothing for campaigns.':
    'sms.rules 中的每日限额没有给群发留下余量。',
  'Your number': '您的手机号',
  'Send one to me': '先发一条给我',
  Start: '开始发送',
  Pause: '暂停',
  Resume: '继续',
  Stop: '停止',
  'Send again what was not sent': '重发没发出去的',
  'This sends, and costs money': '会发送并产生费用',
  'Start “{name}”?': '开始发送“{name}”？',
  'Send to {n} {n|person|people}': '发送给 {n} 人',
  'Do not start': '先不发送',
  'Not before': '开始时间',
  'Empty: now. The time is that of {zone}.': '不填就是现在。时区：{zone}。',
  Template: '模板',
  File: '文件',
  'Throw away': '删除草稿',
  'Download the bad numbers': '下载无效号码',
  'Download the failed rows': '下载失败名单',
  'A stopped campaign cannot go on.': '停止后不能再继续。',
  'Your message was accepted.': '给您的短信已受理。',
  'Your message waits for the allowed hours.': '给您的短信在等待允许的时段。',
  'Your message was not sent.': '给您的短信没有发出。',
  'Your message may have been sent.': '给您的短信可能已发出。',
  'See why': '查看原因',
  'This click did nothing: the campaign has changed since its page was opened. Look at it again.':
    '这次点击没有执行任何操作：页面打开后群发任务已有变化。请重新确认。',
} as const;
