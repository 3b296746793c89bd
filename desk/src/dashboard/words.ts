/** The texts of the page in Chinese. */
import { STATES_ZH } from '../common/messages/states';
import { ALERTS_ZH } from './alerts';
import { CHARTS_ZH } from './charts';

export const ZH = {
  ...STATES_ZH,
  ...ALERTS_ZH,
  ...CHARTS_ZH,
  'SMS dashboard': '短信看板',
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
  late: '状态报告延迟',
  overdue: '到时未发',
  'the last hour': '最近 1 小时',
  'the last 24 hours': '最近 24 小时',
  'the last 7 days': '最近 7 天',
  'all time': '全部时间',
  'this period': '该时段',
  'Deliveries look right: failures, time to delivery and balance were looked at.':
    '送达正常：已检查失败率、送达用时和余额。',
  'Whether all parts of the desk work is on another page:': '各部分是否正常运行，请看：',
  'What is wrong now': '当前问题',
  'Earlier in the last 24 hours': '最近 24 小时内较早的问题',
  'What is wrong now is on the page about now.': '要看当前问题，点“查看现在”。',
  'Look at now': '查看现在',
  'A table is missing. Publish SMS · Schema again: it makes the tables. ({problem})':
    '缺少表。请重新发布 SMS · Schema：它会建表。（{problem}）',
  'The numbers are not complete. A table could not be read: {problem}':
    '数字不完整。有一张表无法读取：{problem}',
  'The newest {most} rows are read. These figures begin at {time}.':
    '只读取最新的 {most} 行，以下数字从 {time} 开始统计。',
  'The newest {most} rows are read, so nothing is compared with the time before.':
    '只读取最新的 {most} 行，因此不与上一时段比较。',
  '{n} {n|report has|reports have} a time in the future. Check this server’s clock, and your SMS provider’s.':
    '{n} 条状态报告的时间在未来。请检查本服务器和短信服务商的时钟。',
  '“{typed}” is neither four digits nor a mobile number. One has 11 digits; +86, spaces and dashes are fine.':
    '“{typed}”既不是 4 位尾号，也不是手机号。手机号为 11 位，可带 +86、空格和短横线。',
  'Not sent': '未发送',
  Sent: '已发送',
  Segments: '计费条数',
  Delivered: '送达率',
  Failed: '失败',
  'No report yet': '暂无状态报告',
  'Time to delivery': '送达用时',
  Replies: '上行',
  'could not be read': '无法读取',
  '{n} {n|opt-out|opt-outs}': '退订 {n}',
  Balance: '余额',
  'Last record': '最新记录',
  'before: {value}': '上一时段：{value}',
  '{n} of {whole} reported': '{whole} 条状态报告中 {n} 条',
  '{rate} of the reported': '占状态报告 {rate}',
  '{n} of them estimated': '其中 {n} 条为估算',
  '{n} for more than {minutes} min': '{n} 条超过 {minutes} 分钟',
  '95 % within {time}': '95% 在 {time} 内',
  '{n} {n|report of another message|reports of other messages}': '另有 {n} 条其他短信的状态报告',
  'for about {n} {n|day|days}': '约可用 {n} 天',
  '{time} ago': '{time}前',
  never: '从未',
  'By template': '按模板',
  'Latest batches': '最近批次',
  'Why messages failed': '失败原因',
  'Latest failures': '最近失败',
  'Latest messages': '最近短信',
  'Latest replies': '最近上行',
  'no template': '无模板',
  'no status': '无状态',
  median: '中位数',
  '#Not sent': '#未发送',
  '#Failed': '#失败',
  '#Sent': '#已发送',
  '#No report': '#无状态报告',
  '#Messages': '#短信数',
  '#Of failed': '#占失败',
  Time: '时间',
  'Nothing in {period}': '{period}没有数据',
  'No message was sent, and no report or reply came.': '没有发送短信，也没有收到状态报告或上行。',
  'Look at all time': '查看全部时间',
  'If nothing has ever come:': '如果从未有过数据：',
  'Publish the workflow SMS · Inbox. It stores reports and replies in the table sms.inbox.':
    '发布工作流 SMS · Inbox。它把状态报告和上行存入表 sms.inbox。',
  'Publish the workflow SMS · Outbox, and a workflow that sends by it. It stores what was sent in the table sms.outbox.':
    '发布工作流 SMS · Outbox，以及一个通过它发送的工作流。它把已发送的短信存入表 sms.outbox。',
  'Send a message, and wait for a minute. This page shows what is in both tables.':
    '发送一条短信，等一分钟。本页显示这两张表的内容。',
} as const;

export type PageText = keyof typeof ZH;
