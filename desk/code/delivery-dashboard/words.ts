import type { Say } from '../lang';

/** The texts of the pages in Chinese. */
export const ZH = {
  'SMS dashboard': '短信概览',
  // Controls.
  'Time window': '时间范围',
  All: '全部',
  'Last four digits, or a number': '手机尾号（4 位）或完整号码',
  Search: '搜索',
  'CSV file': '下载 CSV',
  'Complete numbers and texts: personal data': '含完整号码和内容，属个人信息',
  Template: '模板',
  Batch: '批次',
  Status: '状态',
  Period: '时段',
  'Remove: {name}': '移除：{name}',
  'All filters': '全部筛选条件',
  failed: '失败',
  'no report': '无回执',
  // Periods.
  'the last hour': '最近 1 小时',
  'the last 24 hours': '最近 24 小时',
  'the last 7 days': '最近 7 天',
  'all time': '全部时间',
  'this period': '该时段',
  // What is wrong.
  'What is wrong now': '当前问题',
  'Nothing is wrong: failures, late reports, inbox, subscribers, balance and tables were looked at.':
    '一切正常：已检查失败率、回执延迟、收件、订阅、余额和数据表。',
  'Earlier in the last 24 hours': '最近 24 小时内较早的问题',
  'The last one at {time}.': '最近一条在 {time}。',
  'What is wrong now is on the page about now.': '当前问题请看“现在”的页面。',
  'Look at now': '查看现在',
  'All messages of the last 24 hours': '最近 24 小时全部短信',
  'Status {name}: {failed} of {reports} messages have it ({rate}). Usual is {usual}.':
    '状态 {name}：{reports} 条回执中出现 {failed} 次（{rate}），平常为 {usual}。',
  '{name}: {failed} of {reports} failed ({rate}). Usual is {usual}.':
    '{name}：{reports} 条回执中 {failed} 条失败（{rate}），平常为 {usual}。',
  'not known yet': '尚不清楚',
  'Only slices with at least {reports} reports and {failures} failures count. The rate must be half as high again as its templates usually have, 3 points higher, and more than chance explains; without a past it is told from 20 % on.':
    '只看至少有 {reports} 条回执且 {failures} 条失败的部分。失败率须高出其模板平常水平一半以上、至少高 3 个百分点，且超出随机波动；没有历史数据时达到 20% 才提示。',
  'Reports are late: {missing} of {sent} messages sent {from} – {to} have none.':
    '回执延迟：{from} – {to} 发送的 {sent} 条短信中，{missing} 条没有回执。',
  'Of at least {sent} messages sent 1 to 6 hours ago, {missing} or more and 10 % or more have no report. It must also be three times the share of the time before.':
    '1 至 6 小时前至少发送了 {sent} 条，其中至少 {missing} 条且 10% 以上没有回执。并且须达到此前比例的三倍。',
  'The inbox is silent: {sent} messages were accepted since {since}, and no record has come.':
    '收件中断：自 {since} 起已有 {sent} 条短信被受理，但没有收到任何记录。',
  'The inbox is silent: {sent} messages were accepted, and no record has ever come.':
    '收件中断：已有 {sent} 条短信被受理，但从未收到任何记录。',
  'At least {sent} messages were accepted more than 30 minutes ago, and after the last record. Look whether the inbox is published and its login works.':
    '至少 {sent} 条短信在 30 分钟前、且在最后一条记录之后被受理。请检查收件工作流是否已发布、登录是否有效。',
  '{name} is behind: {records} records wait since {since}. {reason}':
    '{name} 落后：自 {since} 起有 {records} 条记录等待处理。{reason}',
  'A page of records has waited for more than 10 minutes, or was tried more than three times. The inbox keeps it and goes on trying.':
    '有一页记录等待超过 10 分钟，或已尝试三次以上。收件工作流会保留并继续重试。',
  'The balance of {balance} lasts for about {days} days.': '余额 {balance} 大约还能用 {days} 天。',
  'The balance of {balance} lasts for less than a day.': '余额 {balance} 不足一天使用。',
  'The balance is {balance}: nothing can be sent.': '余额为 {balance}：无法发送。',
  'About {perDay} segments are spent a day, by the last full days. It is told below {days} days, and from {least} segments a day on.':
    '按最近完整的几天计算，每天约消耗 {perDay} 条计费短信。少于 {days} 天时提示；每天不足 {least} 条时不提示。',
  'A request to the SMS service failed. {reason}': '短信服务请求失败。{reason}',
  'This page asked for the balance just now. Look at the credential, and at the status page.':
    '本页刚才查询了余额。请检查凭据，并查看状态页。',
  'The tables are nearly full. {reason}': '数据表快满了。{reason}',
  'The inbox looks every five minutes, and tells it from 80 % of the room on. When the tables are full, nothing can be stored or sent.':
    '收件工作流每五分钟检查一次，占用达到 80% 时提示。数据表满后无法存储和发送。',
  'Show these messages': '查看这些短信',
  'Show the failures': '查看失败短信',
  'Status page': '状态页',
  // Notices.
  'A data table is missing. Publish the workflows SMS · Inbox and SMS · Outbox: each makes its tables when the first record or message comes. ({problem})':
    '缺少数据表。请发布工作流 SMS · Inbox 和 SMS · Outbox：收到第一条记录或短信时会自动建表。（{problem}）',
  'The numbers are not complete. A table could not be read: {problem}':
    '数字不完整。有一张数据表无法读取：{problem}',
  'There are more than {most} rows. These figures begin at {time}.':
    '数据超过 {most} 行，以下数字从 {time} 开始统计。',
  'There are more than {most} rows, so nothing is compared with the time before.':
    '数据超过 {most} 行，因此不与上一时段比较。',
  '{n} reports have a time in the future. Check this server’s clock, and your SMS provider’s.':
    '{n} 条回执的时间在未来。请检查本服务器和短信服务商的时钟。',
  '“{typed}” is neither four digits nor a mobile number. One has 11 digits; +86, spaces and dashes are fine.':
    '“{typed}”既不是 4 位尾号，也不是手机号。手机号为 11 位，可带 +86、空格和短横线。',
  // Tiles.
  Sent: '已发送',
  Segments: '计费条数',
  Delivered: '送达率',
  Failed: '失败',
  'No report yet': '暂无回执',
  'Time to delivery': '送达用时',
  Replies: '回复',
  'Opt-outs': '退订',
  Balance: '余额',
  'Last record': '最新记录',
  'before: {value}': '上一时段：{value}',
  '{n} of {whole} reported': '{whole} 条回执中 {n} 条',
  '{rate} of the reported': '占回执 {rate}',
  '{n} of them estimated': '其中 {n} 条为估算',
  '{n} for more than an hour': '{n} 条超过 1 小时',
  '95 % within {time}': '95% 在 {time} 内',
  '{n} reports of other messages': '另有 {n} 条其他短信的回执',
  'for about {n} days': '约可用 {n} 天',
  '{time} ago': '{time}前',
  never: '从未',
  '{n} s': '{n} 秒',
  '{n} min': '{n} 分钟',
  '{n} h': '{n} 小时',
  '{n} d': '{n} 天',
  // Charts.
  'Sent and reported over time': '发送与回执',
  'Failure rate over time': '失败率',
  'Time to delivery over time': '送达用时',
  sent: '已发送',
  reported: '已回执',
  'failed, in per cent of the reported': '失败，占回执的百分比',
  'hollow: fewer than {n} reports': '空心：回执少于 {n} 条',
  'usual: {rate}': '平常：{rate}',
  median: '中位数',
  '95 % within': '95% 在此用时内',
  'per {unit}': '每{unit}',
  '5 minutes': '5 分钟',
  hour: '小时',
  '6 hours': '6 小时',
  day: '天',
  week: '周',
  month: '月',
  year: '年',
  '{sent} sent, {reported} reported': '发送 {sent}，回执 {reported}',
  '{failed} of {reported} failed ({rate})': '{reported} 条回执中 {failed} 条失败（{rate}）',
  'median {p50}, 95 % within {p95}': '中位数 {p50}，95% 在 {p95} 内',
  'nothing delivered': '无送达',
  'Show the numbers of the charts': '显示图表数据',
  'Hide the numbers': '隐藏图表数据',
  'The numbers of the charts': '图表数据',
  From: '起始',
  // Tables.
  'By template': '按模板',
  'Latest batches': '最近批次',
  'Why messages failed': '失败原因',
  'Latest failures': '最近失败',
  'Latest messages': '最近短信',
  'Latest replies': '最近回复',
  'no template': '无模板',
  'no status': '无状态',
  '#Failure rate': '#失败率',
  '#Failed': '#失败',
  '#Sent': '#已发送',
  '#Reported': '#已回执',
  '#No report': '#无回执',
  '#Median': '#中位数',
  '#95 % within': '#95% 用时',
  '#Messages': '#短信数',
  '#Of failed': '#占失败',
  Time: '时间',
  Number: '号码',
  'Nothing in {period}': '{period}没有数据',
  'No message was sent, and no report or reply came.': '没有发送短信，也没有收到回执或回复。',
  'Look at all time': '查看全部时间',
  'If nothing has ever come:': '如果从未有过数据：',
  'Publish the workflow SMS · Inbox. It stores reports and replies in the data table sms_inbox.':
    '发布工作流 SMS · Inbox。它把回执和回复存入数据表 sms_inbox。',
  'Publish the workflow SMS · Outbox, and a workflow that sends by it. It stores what was sent in the data table sms_outbox.':
    '发布工作流 SMS · Outbox，以及一个通过它发送的工作流。它把已发送的短信存入数据表 sms_outbox。',
  'Send a message, and wait for a minute. This page shows what is in both tables.':
    '发送一条短信，等一分钟。本页显示这两张表的内容。',
  // The pages of a message and of a search.
  'A message': '短信详情',
  'Messages of …{digits}': '尾号 {digits} 的短信',
  'Back to the dashboard': '返回概览',
  'The conversation with this number': '与此号码的会话',
  'No such message. Its row may have been deleted.': '没有这条短信，可能已被清理。',
  'No message to this number, and none from it.': '没有发给此号码的短信，也没有来自它的短信。',
  'These are the latest {n}.': '以下为最近 {n} 条。',
  'Text that the customer got': '客户收到的内容',
  'Text of the reply': '回复内容',
  'Not stored: the outbox keeps no codes.': '未保存：验证码不会存储。',
  'Not stored.': '未保存。',
  'Rebuilt from the template and its parameters.': '根据模板和参数还原。',
  Details: '详情',
  'Other messages of this number': '此号码的其他短信',
  'Replies of this number': '此号码的回复',
  What: '类型',
  Content: '内容',
  Report: '回执',
  Reply: '回复',
  'Sent at': '发送时间',
  'Report at': '回执时间',
  'Time taken': '用时',
  Class: '类别',
  Source: '来源',
  Reference: '业务编号',
  Result: '结果',
  accepted: '已受理',
  'not sent: {status}': '未发送：{status}',
  'no report yet': '暂无回执',
  delivered: '已送达',
} as const;

export type Text = keyof typeof ZH & string;
export type Speak = Say<Text>;

/** A stretch of time in the largest unit of which there are at least two. */
export function lengthIn(say: Speak): (millis: number) => string {
  return (millis) => {
    const seconds = Math.round(millis / 1000);
    if (seconds < 100) return say('{n} s', { n: seconds });
    const minutes = Math.round(seconds / 60);
    if (minutes < 100 && minutes !== 60) return say('{n} min', { n: minutes });
    const hours = Math.round(minutes / 60);
    return hours < 48 ? say('{n} h', { n: hours }) : say('{n} d', { n: Math.round(hours / 24) });
  };
}
