/** The lights of the status page: what works, and what to do where something does not. */
import { addToDays, countedTo, dayRow, errorOf, type DayRow } from '../common/records/days';
import { Rules } from '../common/messages/rules';
import type { Thresholds } from '../common/messages/thresholds';
import { sendable, unsentOf, type Line } from '../common/messages/unsent';
import type { Fields } from '../../../builder/code/n8n';
import { number } from '../common/text/numbers';
import { roomProblem, totalOf, type Limits, type TableSize } from '../common/records/retention';
import { silentIn } from '../common/records/heartbeats';
import { failingIn } from '../common/records/subscribers';
import { levelOf, type FailedPulls } from './pulls';
import type { LIGHTS_ZH } from './light-texts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** As many rows as a reading node gives at most: then there are more. */
const MAX_READ = 1000;

/** A day's limit is called near from this share on. */
const NEAR_LIMIT = 0.8;

const DAYS_SHOWN = 14;

/** What a light can say, in English. */
export type LightText = keyof typeof LIGHTS_ZH;

/** A text and its values, of which some are texts themselves. */
export type Sentence = [text: LightText, values?: Record<string, string | number | Sentence>];

/** Green needs nothing, yellow a look, red somebody who does something. */
export interface Light {
  level: 'green' | 'yellow' | 'red';
  name: LightText;
  /** The name of a workflow, as its user wrote it. Then `name` is not shown. */
  workflow?: string;
  says: Sentence[];
  /** What the service or n8n said. */
  reason?: unknown;
  /** Where the remedy is: a workflow by its ID. */
  opens?: { workflow: unknown };
  /** A page of the desk that has more. */
  page?: string;
}

/** What the page shows. */
export interface Status {
  /** What was not sent in the last 24 hours, or not yet. */
  unsent: Line[];
  /** Whether their rows could be read, and whether there are more. */
  isRead: boolean;
  isCut: boolean;
  thresholds: Thresholds;
  lights: Light[];
  subscribers: Light[];
  tables: { name: string; rows: number; megabytes: number; since: string }[];
  days: DayRow[];
}

/** What the lights are decided by. Rows are the oldest first, days the latest first. */
export interface Facts {
  now: number;
  /** Writes a time, in ISO 8601 or Unix milliseconds. */
  clock: (at: unknown) => string;
  /** Gives the day of a time. */
  dayOf: (at: unknown) => string;
  isTest: boolean;
  /** What the inbox, the upkeep and the service have answered, or `error`. */
  inbox: Fields;
  upkeep: { tables?: TableSize[]; limits?: Limits; error?: unknown };
  balance: Fields;
  failedPulls: FailedPulls | undefined;
  /** The workflows to open, by their IDs. */
  ids: { page: unknown; inbox: unknown; upkeep: unknown };
  stored: Fields[];
  inboxRows: Fields[];
  outboxRows: Fields[];
  optedOut: Fields[];
  subscribers: Fields[];
  rules: Fields[];
  heartbeats: Fields[];
  areHeartbeatsRead: boolean;
  /** Rows of messages that were not sent, as two nodes have read them. */
  unsentRows: Fields[][];
  isUnsentRead: boolean;
  thresholds: Thresholds;
  /** The tables that n8n does not find. */
  missing: string[];
  /** Why another table could not be read. */
  unreadable: string | undefined;
}

const NOUNS = {
  record: ['{n} {n|record|records}', '{n} or more records'],
  message: ['{n} {n|message|messages}', '{n} or more messages'],
} as const satisfies Record<string, LightText[]>;

function amount(count: number, noun: keyof typeof NOUNS, isAll = true): Sentence {
  const [all, atLeast] = NOUNS[noun];
  return [isAll ? all : atLeast, { n: number(count) }];
}

/** How long ago, in words. */
function ago(millis: number): Sentence {
  if (millis < MINUTE_MS) return ['less than a minute ago'];
  if (millis < HOUR_MS)
    return ['{n} {n|minute|minutes} ago', { n: Math.floor(millis / MINUTE_MS) }];
  if (millis < 48 * HOUR_MS) return ['{n} {n|hour|hours} ago', { n: Math.floor(millis / HOUR_MS) }];
  return ['{n} days ago', { n: Math.floor(millis / (24 * HOUR_MS)) }];
}

function isUnpublished(error: unknown): boolean {
  return /not (active|published)/i.test(String(error));
}

/** A workflow that this page calls, and which has not answered. */
function unanswered(name: LightText, error: unknown, id: unknown, loss: LightText): Light {
  const [why, reason]: [LightText, unknown?] = isUnpublished(error)
    ? ['It is not published: publish it.']
    : ['It does not answer.', error];
  return { level: 'red', name, says: [[why], [loss]], reason, opens: { workflow: id } };
}

/** What keeps records from being called fine: pulls that fail, or a service that does not answer this page. */
function pullsOf(facts: Facts): Pick<Light, 'level' | 'says' | 'reason'> {
  const { now, clock, failedPulls: failed, balance } = facts;
  const level = failed && levelOf(failed, now, newestIn('sms.inbox', facts.inboxRows, facts));
  if (failed && level && level !== 'green') {
    const { count: n, since, at, reason } = failed;
    const values = { n, time: clock(since), ago: ago(now - at) };
    const text = 'Pulls fail: {n} since {time}, the last one {ago}. The inbox goes on trying.';
    return { level, says: [[text, values]], reason };
  }
  return typeof balance.balance === 'number' && errorOf(balance) === ''
    ? { level: 'green', says: [] }
    : { level: 'yellow', says: [['Whether pulls work is not known: see the SMS service.']] };
}

function inbox(facts: Facts): Light {
  const { isTest, inbox: answer, ids } = facts;
  const name = 'Inbox';
  if (isTest) {
    const text =
      'This is the test address. Publish this workflow, and open its production address.';
    return { level: 'yellow', name, says: [[text]], opens: { workflow: ids.page } };
  }
  if (answer.error !== undefined) {
    return unanswered(name, answer.error, ids.inbox, 'No reports and replies are pulled.');
  }
  const pulls = pullsOf(facts);
  const says: Sentence[] = [['The inbox is published: it answers.'], ...pulls.says];
  return { ...pulls, name, says, opens: { workflow: ids.inbox } };
}

function service({ balance: said, clock }: Facts): Light {
  const name = 'SMS service';
  const reason = errorOf(said);
  const balance = typeof said.balance === 'number' ? said.balance : undefined;
  if (reason !== '') {
    const failed: Sentence = [
      'It was asked at {time}, and has not answered, or has rejected the request:',
      { time: clock(said.asked) },
    ];
    const known = { balance: number(balance ?? 0), time: clock(said.answered) };
    const before: Sentence[] =
      balance === undefined ? [] : [['At {time} the balance was {balance}.', known]];
    return { level: 'red', name, says: [...before, failed], reason };
  }
  if (balance === undefined) {
    const text = 'Nobody has asked it for 15 minutes: publish “SMS · Service”, which does.';
    return { level: 'yellow', name, says: [[text]] };
  }
  const text =
    balance > 0
      ? 'The service accepts the login. The balance is {balance}.'
      : 'The service accepts the login, and the balance is {balance}: nothing can be sent. Top it up at your SMS provider.';
  return {
    level: balance > 0 ? 'green' : 'red',
    name,
    says: [[text, { balance: number(balance) }]],
  };
}

/** When the newest row of a table was stored. Without the upkeep, rows that are not counted yet tell it. */
function newestIn(name: string, rows: Fields[], { upkeep }: Facts): number {
  const table = upkeep.tables?.find((each) => each.name === name);
  return Math.max(table?.newestAt ?? 0, ...rows.slice(-1).map(timeOf));
}

function timeOf({ createdAt }: Fields): number {
  return Date.parse(String(createdAt));
}

function newest(today: DayRow, facts: Facts): Light {
  const { now, clock, inboxRows, outboxRows, ids } = facts;
  const name = 'Records';
  const opens = { workflow: ids.inbox };
  const came = newestIn('sms.inbox', inboxRows, facts);
  const sent = newestIn('sms.outbox', outboxRows, facts);
  const records = amount(today.delivered + today.failed + today.replies, 'record');
  const count: LightText =
    inboxRows.length === MAX_READ ? 'Today: at least {records}.' : 'Today: {records}.';
  const values = { time: clock(came), ago: ago(now - came) };
  const says: Sentence[] =
    came > 0
      ? [
          ['The newest record came at {time}, {ago}.', values],
          [count, { records }],
        ]
      : [['No record has come yet.']];
  if (sent > 0 && now - sent > HOUR_MS && came <= sent) {
    const text = 'The last message was sent {ago}, and nothing has come since.';
    return { level: 'yellow', name, says: [...says, [text, { ago: ago(now - sent) }]], opens };
  }
  const doPullsWork = pullsOf(facts).level === 'green';
  if (!doPullsWork) says.push(['More may wait at the service.']);
  return came > 0 && doPullsWork
    ? { level: 'green', name, says }
    : { level: 'yellow', name, says, opens };
}

/** One subscriber, and whether it takes its records. */
function subscriber(row: Fields, { now, clock, thresholds }: Facts): Light {
  const light = {
    name: 'A workflow without a name',
    ...(row.name ? { workflow: String(row.name) } : {}),
    opens: { workflow: row.workflow_id },
  } as const;
  const failing = failingIn(row, now);
  if (!failing) return { ...light, level: 'green', says: [['It takes its records.']] };
  const { since, reason, until } = failing;
  const isGone = isUnpublished(reason);
  const says: Sentence[] = [
    ['It has not taken its records since {time}.', { time: clock(since) }],
    until
      ? [
          'Its execution does not end, and it gets no other before {time}: stop that one, or publish the workflow again.',
          { time: clock(until) },
        ]
      : [isGone ? 'It is not published: publish it.' : 'The inbox tries again by itself.'],
  ];
  if (reason !== '') says.push(['The last try:']);
  const isLong = now - since > thresholds.behind_minutes * MINUTE_MS;
  return { ...light, level: isGone || isLong ? 'red' : 'yellow', says, reason };
}

function limitOfDay(today: DayRow, facts: Facts): Light {
  const { outboxRows, rules, unsentRows, dayOf } = facts;
  const limit = new Rules(rules.map((json) => ({ json }))).messagesPerDay;
  const messages = amount(today.sent, 'message', outboxRows.length < MAX_READ);
  const name = 'Daily limit';
  if (limit <= 0) {
    const text = '{messages} sent or waiting today. The rules set no daily limit.';
    return { level: 'green', name, says: [[text, { messages }]] };
  }
  const share = today.sent / limit;
  const values = { messages, limit: number(limit) };
  const says: Sentence[] = [
    ['{messages} sent or waiting today, of {limit} that the rules allow a day.', values],
  ];
  // Of a burst, more rows may have come since the last count than are read.
  const refuses = unsentRows
    .flat()
    .some(
      ({ createdAt, reason_code: code }) => dayOf(createdAt) === today.day && code === 'days_limit',
    );
  if (refuses) says.push(['The outbox refuses more.']);
  else if (share < NEAR_LIMIT) return { level: 'green', name, says };
  says.push(['Change “per_day” of the row “all” in sms.rules if more may be sent.']);
  return { level: refuses || share >= 1 ? 'red' : 'yellow', name, says };
}

/** The workflows with a schedule. Those that do not run have a light each. */
function scheduled({ heartbeats, areHeartbeatsRead, now, clock }: Facts): Light[] {
  const name = 'Workflows';
  if (!areHeartbeatsRead)
    return [{ level: 'yellow', name, says: [['Whether the workflows run is not known.']] }];
  const silent = silentIn(heartbeats, now);
  if (silent.length === 0)
    return [{ level: 'green', name, says: [['All workflows with a schedule run.']] }];
  return silent.map(({ name: workflow, id, since }): Light => ({
    // Without mails, the desk works.
    level: since === undefined && workflow === 'SMS · Watchdog' ? 'yellow' : 'red',
    ...{ name, workflow },
    says: since
      ? [
          ['It has not run since {time}: publish it.', { time: clock(since) }],
          ['If you do not need it any more, delete its row in sms.heartbeats.'],
        ]
      : [['It has not run yet: publish it.']],
    ...(id ? { opens: { workflow: id } } : {}),
  }));
}

function unread({ missing: tables, unreadable: reason }: Facts): Light[] {
  const light = { level: 'red', name: 'Tables' } as const;
  const text = 'There is no {tables}. Publish “SMS · Schema” again: it makes the tables.';
  const none: Sentence = [text, { tables: tables.join(', ') }];
  return [
    ...(tables.length > 0 ? [{ ...light, says: [none] }] : []),
    ...(reason ? [{ ...light, says: [['A table could not be read:']] as Sentence[], reason }] : []),
  ];
}

function room({ upkeep, now, ids }: Facts): Light {
  const { tables, limits, error } = upkeep;
  if (!tables || !limits) {
    const loss = 'Old rows stay until the disk is full, and no figures by day are kept.';
    return unanswered('Upkeep', error, ids.upkeep, loss);
  }
  const total = totalOf(tables) / 1e6;
  const problem = roomProblem(tables, limits, now);
  const values = {
    megabytes: total.toFixed(1),
    allowed: limits.megabytes,
    all: limits.megabytes_of_disk,
  };
  const says: Sentence[] = [
    ...(problem ? [problem] : []),
    [
      'The tables take about {megabytes} MB of the {allowed} MB that you allow them; there are {all} MB.',
      values,
    ],
  ];
  const since = Math.min(...tables.map(({ oldestAt }) => oldestAt));
  if (tables.length > 0) says.push(['The oldest row was stored {ago}.', { ago: ago(now - since) }]);
  const isFull = total > limits.megabytes_of_disk * 0.9;
  const level = !problem ? 'green' : isFull ? 'red' : 'yellow';
  return { level, name: 'Tables', says };
}

function optedOut({ optedOut: rows }: Facts): Light {
  const text: LightText =
    rows.length < MAX_READ
      ? '{n} {n|number gets|numbers get} no messages any more.'
      : '{n} or more numbers get no messages any more.';
  const says: Sentence[] = [[text, { n: number(rows.length) }]];
  return { level: 'green', name: 'Opt-outs', says, page: 'sms-opt-outs' };
}

/** The figures of the last days, the latest first, with the rows that are not counted yet. */
function daysOf({ stored, inboxRows, outboxRows, optedOut: rows, dayOf }: Facts): DayRow[] {
  const counted = countedTo(stored, 'opt_outs_id');
  const opted = rows.filter(({ id }) => Number(id) > counted);
  const news = { inbox_id: inboxRows, outbox_id: outboxRows, opt_outs_id: opted };
  const added = addToDays(stored, news, dayOf);
  const changed = new Set(added.map(({ day }) => day));
  const others = stored.map((row) => dayRow(String(row.day), row));
  return [...added, ...others.filter(({ day }) => !changed.has(day))]
    .sort((a, b) => (a.day < b.day ? 1 : -1))
    .slice(0, DAYS_SHOWN);
}

/** Decides which lights are green. */
export function statusOf(facts: Facts): Status {
  const days = daysOf(facts);
  const day = facts.dayOf(new Date(facts.now).toISOString());
  const today = days.find((each) => each.day === day) ?? dayRow(day);
  const { now, thresholds } = facts;
  const rows = new Map(facts.unsentRows.flat().map((row) => [row.id, sendable(row)]));
  return {
    unsent: unsentOf(rows.values(), now, thresholds),
    isRead: facts.isUnsentRead,
    isCut: facts.unsentRows.some((each) => each.length >= MAX_READ),
    thresholds,
    lights: [
      inbox(facts),
      service(facts),
      ...scheduled(facts),
      newest(today, facts),
      limitOfDay(today, facts),
      ...unread(facts),
      room(facts),
      optedOut(facts),
    ],
    subscribers: facts.subscribers.map((row) => subscriber(row, facts)),
    tables: (facts.upkeep.tables ?? []).map(({ name, rows, bytes, oldestAt }) => ({
      name,
      rows,
      megabytes: bytes / 1e6,
      since: facts.clock(oldestAt),
    })),
    days,
  };
}
