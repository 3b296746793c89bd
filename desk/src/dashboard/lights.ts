/** The lights of the status page: what works, and what to do where something does not. */
import { languageOf, sayIn, type Request } from '../../../builder/code/lang';
import { addressOf } from '../../../builder/code/look';
import type { Fields, N8n } from '../../../builder/code/n8n';
import type { Rule } from '../common/messages/hours';
import { thresholdsIn } from '../common/messages/thresholds';
import { unsentOf, type Alike } from '../common/messages/unsent';
import {
  failingIn,
  megabytesOf,
  ROOM_PROBLEM,
  roomProblem,
  silentIn,
  type TableSize,
} from '../common/records/health';
import { errorOf, errorsIn, rowsOf, type DayRow } from '../common/records/rows';
import { clock, number, withoutNumbers } from '../common/text/format';
import type { FailedPulls } from './remember-the-failed-pull';

const UNREADABLE =
  'Since yesterday {n} {n|record|records} could not be read: see the rows of sms.inbox whose event is “unreadable”.';

const LIGHTS_ZH = {
  ...ROOM_PROBLEM,
  Inbox: '收件箱',
  'SMS service': '短信服务',
  Records: '状态报告与上行',
  'Daily limit': '每日限额',
  Tables: '表',
  'Opt-outs': '退订',
  Workflows: '工作流',
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
  'Whether pulls work is not known.': '无法确认拉取是否正常。',
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
  [UNREADABLE]: '昨天以来有 {n} 条记录无法识别：请看表 sms.inbox 中 event 为 “unreadable” 的行。',
  'The last message was sent {ago}, and nothing has come since.':
    '最后一条短信发送于{ago}，此后没有收到任何记录。',
  'It takes its records.': '正在正常接收记录。',
  'It has not taken its records since {time}.': '自 {time} 起没有接收记录。',
  'It works, or n8n has lost its execution. It gets no other before {time}: if none runs, publish the workflow again.':
    '它还在运行，或者 n8n 丢了它的执行。{time} 之前不会再启动新的执行：如果没有在运行的，请重新发布该工作流。',
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

const MINUTE_MS = 60_000;

/** A pull is made every minute, so after a failure this old the next one has worked, or n8n waits longer. */
const NOW_MS = 5 * MINUTE_MS;

/** A day's limit is called near from this share on. */
const NEAR_LIMIT = 0.8;

/** What PostgreSQL says of a table that is not there. */
const MISSING = /relation "([\w.]+)" does not exist/;

/** Green needs nothing, yellow a look, red somebody who does something. */
interface Light {
  level: 'green' | 'yellow' | 'red';
  name: string;
  says: string[];
  /** What the service or n8n said. */
  reason?: unknown;
  /** Where the remedy is: a workflow by its ID. */
  opens?: unknown;
  /** A page of the desk that has more. */
  page?: string;
}

/** What the lights are decided by. */
type Facts = ReturnType<typeof factsOf>;

export type Status = ReturnType<typeof lights>;

function factsOf({
  $,
  $now,
  $workflow,
  DateTime,
  $getWorkflowStaticData,
}: Omit<N8n, '$input' | '$execution' | 'helpers'>) {
  const request = $('Status page is opened').first<Request & { executionMode?: string }>().json;
  const { lang, kept } = languageOf(request);
  const timeOf = (at: unknown) =>
    DateTime.fromMillis(new Date(at as string | number).getTime(), { zone: $now.zone });
  const dayOf = (at: unknown) => timeOf(at).toISODate();
  const read = {
    subscribers: $('Who has subscribed').all(),
    rules: $('Rules').all(),
    heartbeats: $('Heartbeats').all(),
    days: $('Days').all(),
    tables: $('Sizes').all(),
    optOuts: $('Opt-outs in all').all(),
    thresholds: $('Thresholds of the status').all(),
    unsent: $('Not sent').all(),
    // What the service has answered, has the time at which it was asked.
    balance: $('Does the service answer?')
      .all()
      .filter(({ json }) => !json.asked),
  };
  const now = $now.toMillis();
  const days = rowsOf<DayRow>(read.days);
  const unsent = rowsOf<Alike & Fields>(read.unsent, 'kind');
  return {
    ...{ lang, kept, now, days, unsent, say: sayIn(lang, LIGHTS_ZH) },
    /** Writes a time, in ISO 8601 or Unix milliseconds. */
    clock: (at: unknown) => clock(timeOf(at), $now),
    today: days.find(({ day }) => day === dayOf(now)),
    /** How many records that nobody can read came yesterday and today. */
    unreadable: days
      .filter(({ day }) => day >= String(dayOf($now.minus({ days: 1 }))))
      .reduce((sum, day) => sum + day.unreadable, 0),
    /** Whether the outbox has refused a message for the limit of today. */
    refusesToday: unsent.some(
      (row) => row.reason_code === 'days_limit' && dayOf(row.createdAt) === dayOf(now),
    ),
    isTest: request.executionMode !== 'production',
    /** What the inbox and the service have answered, or `error`. */
    inbox: $('Does the inbox answer?').first().json,
    balance: $('Does the service answer?').first().json,
    failedPulls: $getWorkflowStaticData('global').failedPulls as FailedPulls | undefined,
    /** The workflows to open. */
    ids: {
      page: $workflow.id,
      inbox: ($('Does the inbox answer?').params.workflowId as { value?: unknown })?.value,
    },
    subscribers: rowsOf(read.subscribers),
    rules: rowsOf<Rule>(read.rules, 'class'),
    heartbeats: rowsOf(read.heartbeats),
    tables: rowsOf<TableSize>(read.tables, 'name'),
    optOuts: Number(read.optOuts[0]?.json.count ?? 0),
    thresholds: thresholdsIn(read.thresholds),
    isRead: (table: keyof typeof read) => errorsIn(read[table]).length === 0,
    /** Why tables could not be read. */
    errors: errorsIn(Object.values(read).flat()),
  };
}

/** How long ago, in words. */
function ago(at: number, { say, now }: Facts): string {
  const minutes = Math.floor((now - at) / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return say('less than a minute ago');
  if (hours < 1) return say('{n} {n|minute|minutes} ago', { n: minutes });
  if (hours < 48) return say('{n} {n|hour|hours} ago', { n: hours });
  return say('{n} days ago', { n: Math.floor(hours / 24) });
}

function isUnpublished(error: unknown): boolean {
  return /not (active|published)/i.test(String(error));
}

/** What keeps records from being called fine: pulls that fail, or a service that does not answer this page. */
function pullsOf(facts: Facts): Pick<Light, 'level' | 'says' | 'reason'> {
  const { say, now, clock, failedPulls: failed, balance } = facts;
  if (failed && newestIn('sms.inbox', facts) <= failed.at) {
    const { count: n, since, at, reason, next } = failed;
    const isNow = now - at <= NOW_MS;
    // Several have failed, and nothing shows that they work again.
    if (isNow || (n > 1 && now <= next)) {
      const text = 'Pulls fail: {n} since {time}, the last one {ago}. The inbox goes on trying.';
      const says = [say(text, { n, time: clock(since), ago: ago(at, facts) })];
      return { level: isNow ? 'red' : 'yellow', says, reason };
    }
  }
  return typeof balance.balance === 'number' && errorOf(balance) === ''
    ? { level: 'green', says: [] }
    : { level: 'yellow', says: [say('Whether pulls work is not known.')] };
}

function inbox(facts: Facts): Light {
  const { say, isTest, ids } = facts;
  const light = { name: say('Inbox'), opens: ids.inbox };
  if (isTest) {
    const text =
      'This is the test address. Publish this workflow, and open its production address.';
    return { ...light, level: 'yellow', says: [say(text)], opens: ids.page };
  }
  const { error } = facts.inbox;
  if (error !== undefined) {
    const [why, reason] = isUnpublished(error)
      ? (['It is not published: publish it.'] as const)
      : (['It does not answer.', error] as const);
    const says = [say(why), say('No reports and replies are pulled.')];
    return { ...light, level: 'red', says, reason };
  }
  const pulls = pullsOf(facts);
  return { ...light, ...pulls, says: [say('The inbox is published: it answers.'), ...pulls.says] };
}

function service({ say, balance: said, clock }: Facts): Light {
  const name = say('SMS service');
  const reason = errorOf(said);
  const balance = typeof said.balance === 'number' ? said.balance : undefined;
  const values = { balance: number(balance ?? 0) };
  if (reason !== '') {
    const text =
      'It was asked at {time}, and has not answered, or has rejected the request:' as const;
    const before = say('At {time} the balance was {balance}.', {
      ...{ ...values, time: clock(said.answered) },
    });
    const failed = say(text, { time: clock(said.asked) });
    return {
      level: 'red',
      name,
      says: balance === undefined ? [failed] : [before, failed],
      reason,
    };
  }
  if (balance === undefined) {
    const text = 'Nobody has asked it for 15 minutes: publish “SMS · Service”, which does.';
    return { level: 'yellow', name, says: [say(text)] };
  }
  const text =
    balance > 0
      ? 'The service accepts the login. The balance is {balance}.'
      : 'The service accepts the login, and the balance is {balance}: nothing can be sent. Top it up at your SMS provider.';
  return { level: balance > 0 ? 'green' : 'red', name, says: [say(text, values)] };
}

/** When the newest row of a table was stored. 0 if there is none. */
const newestIn = (table: string, { tables }: Facts): number =>
  Date.parse(tables.find(({ name }) => name === table)?.newest ?? '') || 0;

function newest(facts: Facts): Light {
  const { say, now, clock, ids, today, unreadable } = facts;
  const came = newestIn('sms.inbox', facts);
  const sent = newestIn('sms.outbox', facts);
  const n = number(today ? today.delivered + today.failed + today.replies : 0);
  const times = { time: clock(came), ago: ago(came, facts) };
  const isSilent = sent > 0 && now - sent > 60 * MINUTE_MS && came <= sent;
  const doPullsWork = pullsOf(facts).level === 'green';
  const wrong = [
    unreadable > 0 && say(UNREADABLE, { n: unreadable }),
    isSilent &&
      say('The last message was sent {ago}, and nothing has come since.', {
        ago: ago(sent, facts),
      }),
    !isSilent && !doPullsWork && say('More may wait at the service.'),
  ].filter((text) => text !== false);
  const says =
    came > 0
      ? [
          say('The newest record came at {time}, {ago}.', times),
          say('Today: {records}.', { records: say('{n} {n|record|records}', { n }) }),
        ]
      : [say('No record has come yet.')];
  const light = { name: say('Records'), says: [...says, ...wrong] };
  return came > 0 && wrong.length === 0
    ? { ...light, level: 'green' }
    : { ...light, level: 'yellow', opens: ids.inbox };
}

/** One subscriber, and whether it takes its records. */
function subscriber(row: Fields, { say, now, clock, thresholds }: Facts): Light {
  const name = row.name ? String(row.name) : say('A workflow without a name');
  const light = { name, opens: row.workflow_id };
  const failing = failingIn(row, now);
  if (!failing) return { ...light, level: 'green', says: [say('It takes its records.')] };
  const { since, reason, until } = failing;
  const isGone = isUnpublished(reason);
  const hangs =
    'It works, or n8n has lost its execution. It gets no other before {time}: if none runs, publish the workflow again.';
  const why = isGone ? 'It is not published: publish it.' : 'The inbox tries again by itself.';
  const says = [
    say('It has not taken its records since {time}.', { time: clock(since) }),
    until ? say(hangs, { time: clock(until) }) : say(why),
  ];
  if (reason !== '') says.push(say('The last try:'));
  const isLong = now - since > thresholds.behind_minutes * MINUTE_MS;
  return { ...light, level: isGone || isLong ? 'red' : 'yellow', says, reason };
}

function limitOfDay({ say, today, rules, refusesToday }: Facts): Light {
  const [limit, kept] = ['all', 'reserved'].map(
    (name) => rules.find((each) => each.class === name)?.per_day ?? 0,
  ) as [number, number];
  const name = say('Daily limit');
  const sent = today?.sent ?? 0;
  const messages = say('{n} {n|message|messages}', { n: number(sent) });
  if (limit <= 0) {
    const text = '{messages} sent or waiting today. The rules set no daily limit.';
    return { level: 'green', name, says: [say(text, { messages })] };
  }
  const values = { messages, limit: number(limit) };
  const says = [
    say('{messages} sent or waiting today, of {limit} that the rules allow a day.', values),
  ];
  // From there on, no campaign sends: the rest is kept for codes and alarms.
  const isFull = refusesToday || sent >= Math.max(0, limit - kept);
  if (!isFull && sent < NEAR_LIMIT * limit) return { level: 'green', name, says };
  if (isFull) says.push(say('The outbox refuses more.'));
  says.push(say('Change “per_day” of the row “all” in sms.rules if more may be sent.'));
  return { level: isFull ? 'red' : 'yellow', name, says };
}

/** The workflows with a schedule. Those that do not run have a light each. */
function scheduled({ say, heartbeats, now, clock }: Facts): Light[] {
  const says = [say('All workflows with a schedule run.')];
  const silent = silentIn(heartbeats, now);
  if (silent.length === 0) return [{ level: 'green', name: say('Workflows'), says }];
  return silent.map(({ name, id, since }) => ({
    // Without mails, the desk works.
    level: since === undefined && name === 'SMS · Watchdog' ? 'yellow' : 'red',
    says: since
      ? [
          say('It has not run since {time}: publish it.', { time: clock(since) }),
          say('If you do not need it any more, delete its row in sms.heartbeats.'),
        ]
      : [say('It has not run yet: publish it.')],
    ...{ name, opens: id },
  }));
}

function unread({ say, errors }: Facts): Light[] {
  const light = { level: 'red', name: say('Tables') } as const;
  const missing = new Set(errors.flatMap((error) => MISSING.exec(error)?.[1] ?? []));
  const tables = [...missing].join(', ');
  const text = 'There is no {tables}. Publish “SMS · Schema” again: it makes the tables.';
  const reason = errors.find((error) => !MISSING.test(error));
  return [
    ...(tables ? [{ ...light, says: [say(text, { tables })] }] : []),
    ...(reason ? [{ ...light, says: [say('A table could not be read:')], reason }] : []),
  ];
}

function room(facts: Facts): Light {
  const { say, tables, thresholds } = facts;
  const problem = roomProblem(tables, thresholds);
  const megabytes = megabytesOf(tables).toFixed(1);
  const values = { megabytes, allowed: number(thresholds.keep_megabytes) };
  const text = 'The tables take about {megabytes} MB of the {allowed} MB that they may.';
  const says = [problem ? say(...problem) : say(text, values)];
  const since = Math.min(...tables.map(({ oldest }) => Date.parse(oldest)));
  if (tables.length > 0)
    says.push(say('The oldest row was stored {ago}.', { ago: ago(since, facts) }));
  return { level: problem ? 'red' : 'green', name: say('Tables'), says };
}

function optedOut({ say, optOuts }: Facts): Light {
  const says = [
    say('{n} {n|number gets|numbers get} no messages any more.', { n: number(optOuts) }),
  ];
  return { level: 'green', name: say('Opt-outs'), says, page: 'sms-opt-outs' };
}

/** A light as the page shows it. */
function shown({ level, name, says, reason, opens, page }: Light, { say, lang, kept }: Facts) {
  const workflow = `../workflow/${encodeURIComponent(String(opens))}`;
  const links = [
    ...(page ? [{ text: say('The list'), href: addressOf(page, { lang: kept }) }] : []),
    ...(opens ? [{ text: say('Workflow'), href: workflow }] : []),
    ...(opens ? [{ text: say('Executions'), href: `${workflow}/executions` }] : []),
  ];
  const text = says.join(lang === 'zh' ? '' : ' ');
  return { level, name, text, reason: withoutNumbers(reason), links };
}

/** Decides which lights are green, and says them in the language of the reader. */
export default function lights({ $, $now, $workflow, DateTime, $getWorkflowStaticData }: N8n) {
  const facts = factsOf({ $, $now, $workflow, DateTime, $getWorkflowStaticData });
  const { lang, thresholds, days, clock, isRead } = facts;
  /** No light is known of what could not be read: another one says so. */
  const by = (
    light: (facts: Facts) => Light | Light[],
    ...tables: Parameters<typeof isRead>[0][]
  ) => (tables.every(isRead) ? light(facts) : []);
  const found = [
    ...[inbox(facts), by(service, 'balance'), by(scheduled, 'heartbeats')],
    ...[by(newest, 'tables', 'days'), by(limitOfDay, 'rules', 'days')],
    ...[unread(facts), by(room, 'tables'), by(optedOut, 'optOuts')],
  ].flat();
  return {
    ...{ lang, thresholds, days },
    /** What was not sent in the last 24 hours, or not yet, and whether that could be read. */
    unsent: unsentOf(facts.unsent, thresholds),
    isRead: isRead('unsent'),
    lights: found.map((light) => shown(light, facts)),
    areSubscribersRead: isRead('subscribers'),
    subscribers: facts.subscribers.map((row) => shown(subscriber(row, facts), facts)),
    tables: facts.tables.map(({ name, rows, bytes, oldest }) => ({
      ...{ name, rows, megabytes: bytes / 1e6, since: clock(oldest) },
    })),
  };
}
