/** The lights of the status page: what works, and what to do where something does not. */
import { errorOf, type DayRow } from '../common/records/rows';
import { Rules } from '../common/messages/rules';
import type { Thresholds } from '../common/messages/thresholds';
import { unsentOf, type Alike, type Line } from '../common/messages/unsent';
import type { Fields } from '../../../builder/code/n8n';
import { number } from '../common/text/numbers';
import { megabytesOf, roomProblem, type TableSize } from '../common/records/retention';
import { silentIn } from '../common/records/heartbeats';
import { failingIn } from '../common/records/subscribers';
import { levelOf, type FailedPulls } from './pulls';
import type { LIGHTS_ZH } from './light-texts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A day's limit is called near from this share on. */
const NEAR_LIMIT = 0.8;

/** What a light can say, in English. */
type LightText = keyof typeof LIGHTS_ZH;

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
  /** Whether they could be read. */
  isRead: boolean;
  thresholds: Thresholds;
  lights: Light[];
  subscribers: Light[];
  tables: { name: string; rows: number; megabytes: number; since: string }[];
  days: DayRow[];
}

/** What the lights are decided by. Days are the latest first. */
export interface Facts {
  now: number;
  /** Writes a time, in ISO 8601 or Unix milliseconds. */
  clock: (at: unknown) => string;
  /** Whether the outbox has refused a message for the limit of today. */
  refusesToday: boolean;
  isTest: boolean;
  /** What the inbox and the service have answered, or `error`. */
  inbox: Fields;
  balance: Fields;
  tables: TableSize[];
  /** The figures of days, as they were counted in the last minutes, and those of today. */
  days: DayRow[];
  today: DayRow | undefined;
  optOuts: number;
  failedPulls: FailedPulls | undefined;
  /** The workflows to open, by their IDs. */
  ids: { page: unknown; inbox: unknown };
  subscribers: Fields[];
  rules: Fields[];
  heartbeats: Fields[];
  areHeartbeatsRead: boolean;
  /** Rows of sms.unsent. */
  unsentRows: Alike[];
  isUnsentRead: boolean;
  thresholds: Thresholds;
  /** The tables that n8n does not find. */
  missing: string[];
  /** Why another table could not be read. */
  unreadable: string | undefined;
}

const NOUNS = {
  record: '{n} {n|record|records}',
  message: '{n} {n|message|messages}',
} as const satisfies Record<string, LightText>;

const amount = (count: number, noun: keyof typeof NOUNS): Sentence => [
  NOUNS[noun],
  { n: number(count) },
];

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

/** What keeps records from being called fine: pulls that fail, or a service that does not answer this page. */
function pullsOf(facts: Facts): Pick<Light, 'level' | 'says' | 'reason'> {
  const { now, clock, failedPulls: failed, balance } = facts;
  const level = failed && levelOf(failed, now, newestIn('sms.inbox', facts));
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
  const opens = { workflow: ids.inbox };
  if (answer.error !== undefined) {
    const [why, reason]: [LightText, unknown?] = isUnpublished(answer.error)
      ? ['It is not published: publish it.']
      : ['It does not answer.', answer.error];
    const says: Sentence[] = [[why], ['No reports and replies are pulled.']];
    return { level: 'red', name, says, reason, opens };
  }
  const pulls = pullsOf(facts);
  const says: Sentence[] = [['The inbox is published: it answers.'], ...pulls.says];
  return { ...pulls, name, says, opens };
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

/** When the newest row of a table was stored. 0 if there is none. */
const newestIn = (table: string, { tables }: Facts): number =>
  Date.parse(tables.find(({ name }) => name === table)?.newest ?? '') || 0;

function newest(facts: Facts): Light {
  const { now, clock, ids, today } = facts;
  const name = 'Records';
  const opens = { workflow: ids.inbox };
  const came = newestIn('sms.inbox', facts);
  const sent = newestIn('sms.outbox', facts);
  const count = today ? today.delivered + today.failed + today.replies : 0;
  const values = { time: clock(came), ago: ago(now - came) };
  const says: Sentence[] =
    came > 0
      ? [
          ['The newest record came at {time}, {ago}.', values],
          ['Today: {records}.', { records: amount(count, 'record') }],
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

function limitOfDay({ today, rules, refusesToday }: Facts): Light {
  const { messagesPerDay: limit, limitOfCampaigns } = new Rules(rules.map((json) => ({ json })));
  const sent = today?.sent ?? 0;
  const messages = amount(sent, 'message');
  const name = 'Daily limit';
  if (limit <= 0) {
    const text = '{messages} sent or waiting today. The rules set no daily limit.';
    return { level: 'green', name, says: [[text, { messages }]] };
  }
  const values = { messages, limit: number(limit) };
  const says: Sentence[] = [
    ['{messages} sent or waiting today, of {limit} that the rules allow a day.', values],
  ];
  const isFull = refusesToday || sent >= limitOfCampaigns;
  if (!isFull && sent < NEAR_LIMIT * limit) return { level: 'green', name, says };
  if (isFull) says.push(['The outbox refuses more.']);
  says.push(['Change “per_day” of the row “all” in sms.rules if more may be sent.']);
  return { level: isFull ? 'red' : 'yellow', name, says };
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

function room({ tables, thresholds, now }: Facts): Light {
  const problem = roomProblem(tables, thresholds);
  const megabytes = megabytesOf(tables).toFixed(1);
  const says: Sentence[] = problem
    ? [problem]
    : [
        [
          'The tables take about {megabytes} MB of the {allowed} MB that they may.',
          { megabytes, allowed: number(thresholds.keep_megabytes) },
        ],
      ];
  const since = Math.min(...tables.map(({ oldest }) => Date.parse(oldest)));
  if (tables.length > 0) says.push(['The oldest row was stored {ago}.', { ago: ago(now - since) }]);
  return { level: problem ? 'red' : 'green', name: 'Tables', says };
}

function optedOut({ optOuts }: Facts): Light {
  const text = '{n} {n|number gets|numbers get} no messages any more.';
  const says: Sentence[] = [[text, { n: number(optOuts) }]];
  return { level: 'green', name: 'Opt-outs', says, page: 'sms-opt-outs' };
}

/** Decides which lights are green. */
export function statusOf(facts: Facts): Status {
  const { thresholds, days } = facts;
  return {
    unsent: unsentOf(facts.unsentRows, thresholds),
    isRead: facts.isUnsentRead,
    thresholds,
    lights: [
      inbox(facts),
      service(facts),
      ...scheduled(facts),
      newest(facts),
      limitOfDay(facts),
      ...unread(facts),
      room(facts),
      optedOut(facts),
    ],
    subscribers: facts.subscribers.map((row) => subscriber(row, facts)),
    tables: facts.tables.map(({ name, rows, bytes, oldest }) => ({
      ...{ name, rows, megabytes: bytes / 1e6, since: facts.clock(oldest) },
    })),
    days,
  };
}
