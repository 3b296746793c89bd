/** What the lights say, in Chinese. */
import { ROOM_PROBLEM } from '../common/records/retention';

export const LIGHTS_ZH = {
  ...ROOM_PROBLEM,
  Inbox: '收件箱',
  'SMS service': '短信服务',
  Records: '状态报告与上行',
  'Daily limit': '每日限额',
  Tables: '表',
  'Opt-outs': '退订',
  Workflows: '工作流',
  'Whether the workflows run is not known.': '无法确认各工作流是否在运行。',
  'All workflows with a schedule run.': '定时的工作流都在运行。',
  'It has not run since {time}: publish it.': '自 {time} 起没有运行：请发布它。',
  'It has not run yet: publish it.': '还没有运行过：请发布它。',
  'If you do not need it any more, delete its row in sms.heartbeats.':
    '不再需要它的话，请删除它在表 sms.heartbeats 的那一行。',
  'A workflow without a name': '未命名的工作流',
  Workflow: '工作流',
  'The list': '打开名单',
  Executions: '执行记录',
  '{n} {n|record|records}': '{n} 条记录',
  '{n} {n|message|messages}': '{n} 条短信',
  'less than a minute ago': '不到一分钟前',
  '{n} {n|minute|minutes} ago': '{n} 分钟前',
  '{n} {n|hour|hours} ago': '{n} 小时前',
  '{n} days ago': '{n} 天前',
  'This is the test address. Publish this workflow, and open its production address.':
    '您打开的是测试地址。请发布此工作流，并打开它的正式地址。',
  'The inbox is published: it answers.': '收件箱已发布，有应答。',
  'It does not answer.': '它没有应答。',
  'No reports and replies are pulled.': '不会拉取状态报告和上行。',
  'Pulls fail: {n} since {time}, the last one {ago}. The inbox goes on trying.':
    '拉取失败：自 {time} 起 {n} 次，最近一次在{ago}。收件箱会继续重试。',
  'Whether pulls work is not known: see the SMS service.': '无法确认拉取是否正常：请看“短信服务”。',
  'More may wait at the service.': '服务端可能还有待拉取的记录。',
  'Nobody has asked it for 15 minutes: publish “SMS · Service”, which does.':
    '已有 15 分钟没有查询：请发布负责查询的 “SMS · Service”。',
  'It was asked at {time}, and has not answered, or has rejected the request:':
    '{time} 查询余额，短信服务没有响应，或者拒绝了：',
  'At {time} the balance was {balance}.': '{time} 时余额为 {balance}。',
  'The service accepts the login. The balance is {balance}.': '服务登录正常。余额为 {balance}。',
  'The service accepts the login, and the balance is {balance}: nothing can be sent. Top it up at your SMS provider.':
    '服务登录正常，但余额为 {balance}：无法发送。请向短信服务商充值。',
  'The newest record came at {time}, {ago}.': '最新一条记录于 {time} 到达（{ago}）。',
  'Today: {records}.': '今天：{records}。',
  'No record has come yet.': '还没有收到任何记录。',
  'The last message was sent {ago}, and nothing has come since.':
    '最后一条短信发送于{ago}，此后没有收到任何记录。',
  'It takes its records.': '正在正常接收记录。',
  'It has not taken its records since {time}.': '自 {time} 起没有接收记录。',
  'Its execution does not end, and it gets no other before {time}: stop that one, or publish the workflow again.':
    '它的执行一直没有结束，{time} 之前不会再启动新的执行：请停止该执行，或重新发布该工作流。',
  'It is not published: publish it.': '它未发布：请发布它。',
  'The inbox tries again by itself.': '收件箱会自动重试。',
  'The last try:': '最近一次的原因：',
  '{messages} sent or waiting today. The rules set no daily limit.':
    '今天已发送或等待发送 {messages}。规则没有设置每日限额。',
  '{messages} sent or waiting today, of {limit} that the rules allow a day.':
    '今天已发送或等待发送 {messages}，规则允许每天 {limit} 条。',
  'Change “per_day” of the row “all” in sms.rules if more may be sent.':
    '如需发送更多，请修改表 sms.rules 中 “all” 行的 “per_day”。',
  'The outbox refuses more.': '更多的短信会被发件箱拦下。',
  'There is no {tables}. Publish “SMS · Schema” again: it makes the tables.':
    '缺少表 {tables}。请重新发布 “SMS · Schema”：它会建立这些表。',
  'A table could not be read:': '有数据表无法读取：',
  'The tables take about {megabytes} MB of the {allowed} MB that they may.':
    '表约占 {megabytes} MB，允许 {allowed} MB。',
  'The oldest row was stored {ago}.': '最早的一行保存于{ago}。',
  '{n} {n|number gets|numbers get} no messages any more.': '{n} 个号码不再接收短信。',
} as const;
