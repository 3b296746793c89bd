import { addToDays, countedTo, dayRow, daysIn, rowsOf, type DayRow } from '../days';
import type { Fields, Item, N8n } from '../n8n';
import { number } from '../numbers';
import { roomProblem, totalOf, type Limits, type TableSize } from '../retention';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** As many rows as a reading node gives at most: then there are more. */
const MAX_READ = 1000;

/** A page that was tried more often is called failing. */
const MAX_TRIES = 3;

/** A day's limit is called near from this share on. */
const NEAR_LIMIT = 0.8;

const DAYS_SHOWN = 14;

export interface Link {
  text: string;
  href: string;
}

/** Green needs nothing, yellow a look, red somebody who does something. */
export interface Light {
  level: 'green' | 'yellow' | 'red';
  name: string;
  text: string;
  links: Link[];
}

/** What the page shows. */
export interface Status {
  at: string;
  zone: string;
  lights: Light[];
  subscribers: Light[];
  tables: { name: string; rows: number; megabytes: number; since: string }[];
  days: DayRow[];
}

const TABLES: Link = { text: 'Data tables', href: '../home/datatables' };

function workflowLinks(id: unknown): Link[] {
  const href = `../workflow/${encodeURIComponent(String(id))}`;
  return [
    { text: 'Workflow', href },
    { text: 'Executions', href: `${href}/executions` },
  ];
}

/** A reason of a service or of n8n, short and without whole phone numbers. */
function shown(reason: unknown): string {
  const text = String(reason ?? '').trim();
  const masked = text.replace(/(1[3-9]\d)\d{4}(\d{4})/g, '$1 •••• $2');
  return masked.length > 300 ? `${masked.slice(0, 300)}…` : masked;
}

function amount(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** "1,000 or more" if not all were read. */
function read(rows: unknown[], one: string): string {
  const text = amount(rows.length, one);
  return rows.length < MAX_READ ? text : text.replace(' ', ' or more ');
}

/** How long ago, in words. */
function ago(millis: number): string {
  if (millis < MINUTE_MS) return 'less than a minute ago';
  if (millis < HOUR_MS) return `${amount(Math.floor(millis / MINUTE_MS), 'minute')} ago`;
  if (millis < 48 * HOUR_MS) return `${amount(Math.floor(millis / HOUR_MS), 'hour')} ago`;
  return `${amount(Math.floor(millis / (24 * HOUR_MS)), 'day')} ago`;
}

type Clock = (at: unknown) => string;

function published(mode: unknown, links: Link[]): Light {
  const name = 'Inbox';
  if (mode === 'production') {
    return { level: 'green', name, text: 'The inbox is published: it answers.', links };
  }
  const text =
    'You have opened the test address. Publish the inbox, and open its production address.';
  return { level: 'yellow', name, text, links };
}

function login({ balance, error }: Fields, links: Link[]): Light {
  const name = 'SMS service';
  if (error !== undefined || typeof balance !== 'number') {
    const reason = shown(error ?? 'The service has not said the balance.');
    const text = `The balance could not be read. ${reason}`;
    return { level: 'red', name, text, links };
  }
  if (balance <= 0) {
    const text = `The service accepts the login, and the balance is ${number(balance)}: nothing can be sent. Top it up at your SMS provider.`;
    return { level: 'red', name, text, links: [] };
  }
  const text = `The service accepts the login. The balance is ${number(balance)}.`;
  return { level: 'green', name, text, links: [] };
}

function newest(
  tables: TableSize[],
  today: DayRow,
  more: boolean,
  now: number,
  clock: Clock,
  links: Link[],
): Light {
  const name = 'Records';
  const inbox = tables.find((table) => table.name === 'sms_inbox');
  const outbox = tables.find((table) => table.name === 'sms_outbox');
  const count = today.delivered + today.failed + today.replies;
  const least = more ? 'at least ' : '';
  const text = inbox
    ? `The newest record came at ${clock(inbox.newestAt)}, ${ago(now - inbox.newestAt)}. Today: ${least}${amount(count, 'record')}.`
    : 'No record has come yet.';
  const isLate =
    outbox && now - outbox.newestAt > HOUR_MS && !(inbox && inbox.newestAt > outbox.newestAt);
  if (isLate) {
    const since = `The last message was sent ${ago(now - outbox.newestAt)}, and nothing has come since.`;
    return { level: 'yellow', name, text: `${text} ${since}`, links };
  }
  return { level: inbox ? 'green' : 'yellow', name, text, links: inbox ? [] : links };
}

/** One subscriber and what waits for it, the oldest first. */
function subscriber(row: Fields, waiting: Fields[], clock: Clock): Light {
  const name = String(row.name || 'A workflow that has not subscribed');
  const links = workflowLinks(row.workflow_id);
  const [first] = waiting;
  if (!first) return { level: 'green', name, text: 'Has everything.', links };
  const records = waiting.reduce((sum, { records }) => sum + Number(records ?? 0), 0);
  const tries = Math.max(...waiting.map(({ tries }) => Number(tries ?? 0)));
  const reason = shown(waiting.find((each) => each.reason)?.reason);
  const isLeft = tries > 1 || reason !== '';
  if (!isLeft)
    return { level: 'green', name, text: `Gets ${amount(records, 'record')} now.`, links };
  const least = waiting.length < MAX_READ ? '' : 'At least ';
  const waits = `${least}${amount(records, 'record waits', 'records wait')} since ${clock(first.createdAt)}.`;
  const isUnpublished = /not (active|published)/i.test(reason);
  const publish = 'It is not published: publish it.';
  const last = reason === '' ? '' : ` The last try: ${reason}`;
  return {
    level: isUnpublished || tries > MAX_TRIES ? 'red' : 'yellow',
    name,
    text: `${waits} ${isUnpublished ? publish : 'The inbox tries again by itself.'}${last}`,
    links,
  };
}

function subscribersOf(rows: Fields[], deliveries: Fields[], clock: Clock): Light[] {
  const known = new Set(rows.map((row) => row.workflow_id));
  const others = new Set(deliveries.map((row) => row.workflow_id).filter((id) => !known.has(id)));
  return [...rows, ...[...others].map((workflow_id) => ({ workflow_id }))].map((row) =>
    subscriber(
      row,
      deliveries.filter((delivery) => delivery.workflow_id === row.workflow_id),
      clock,
    ),
  );
}

function failing(deliveries: Fields[]): Light {
  const pages = deliveries.filter(({ tries }) => Number(tries) > MAX_TRIES);
  const name = 'Deliveries';
  if (pages.length > 0) {
    const text = `${read(pages, 'page')} of records failed more than ${MAX_TRIES} times. The subscribers below say why. The inbox keeps them and goes on trying.`;
    return { level: 'red', name, text, links: [TABLES] };
  }
  const text = 'No page of records has failed more than three times.';
  return { level: 'green', name, text, links: [] };
}

function outbox(today: DayRow, more: boolean, rules: Fields[], claimed: Fields[]): Light[] {
  const limit = Number(rules.find((rule) => rule.class === 'all')?.per_day ?? 0);
  const sent = `${more ? 'At least ' : ''}${amount(today.sent, 'message')} sent today`;
  const share = limit > 0 ? today.sent / limit : 0;
  const links = share >= NEAR_LIMIT ? [TABLES] : [];
  const change = 'Change “per_day” of the row “all” in the table sms_rules if more may be sent.';
  const text =
    limit > 0
      ? `${sent}, of ${number(limit)} that the rules allow a day.${share >= NEAR_LIMIT ? ` ${change}` : ''}`
      : `${sent}. The rules set no limit of the day.`;
  const level = share >= 1 ? 'red' : share >= NEAR_LIMIT ? 'yellow' : 'green';
  const limitLight: Light = { level, name: 'Limit of the day', text, links };
  if (claimed.length === 0) return [limitLight];
  const may = `${read(claimed, 'message')} may have been sent: n8n stopped before the outcome was known. Look for their delivery reports before you send them again. They are the rows “claimed” in the table sms_outbox.`;
  return [limitLight, { level: 'yellow', name: 'Outbox', text: may, links: [TABLES] }];
}

function room(tables: TableSize[], limits: Limits, now: number): Light {
  const total = totalOf(tables) / 1e6;
  const problem = roomProblem(tables, limits, now);
  const since = Math.min(...tables.map(({ oldestAt }) => oldestAt));
  const back = tables.length === 0 ? '' : ` The oldest row was stored ${ago(now - since)}.`;
  const text = `The tables take about ${total.toFixed(1)} MB of the ${limits.megabytes} MB that you allow them; n8n allows ${limits.megabytes_of_n8n} MB.${back}`;
  return {
    level: problem === '' ? 'green' : total > limits.megabytes_of_n8n * 0.9 ? 'red' : 'yellow',
    name: 'Tables',
    text: problem === '' ? text : `${problem} ${text}`,
    links: [TABLES],
  };
}

function optedOut(rows: Fields[]): Light {
  const text =
    rows.length === 1
      ? '1 number gets no messages any more.'
      : `${read(rows, 'number')} get no messages any more.`;
  return { level: 'green', name: 'Opt-outs', text, links: rows.length === 0 ? [] : [TABLES] };
}

/** Decides which lights are green. */
export default function statusLights({ $, $now, $workflow, DateTime }: N8n): Item<Status>[] {
  const zone = $now.zoneName ?? 'utc';
  const now = $now.toMillis();
  const clock: Clock = (at) => {
    const time =
      typeof at === 'number'
        ? DateTime.fromMillis(at, { zone })
        : DateTime.fromISO(String(at), { zone });
    return time.toFormat(time.hasSame($now, 'day') ? 'HH:mm' : 'd LLL yyyy, HH:mm');
  };
  const links = workflowLinks($workflow.id);
  const limits = $('Old rows: how long to keep').first<Limits>().json;
  const tables = $('Old rows sizes')
    .all<TableSize>()
    .map(({ json }) => json)
    .filter(({ id }) => id);
  const stored = rowsOf($('Status: days').all());
  const inboxRows = rowsOf($('Status: inbox, not counted yet').all()).reverse();
  const outboxRows = rowsOf($('Status: outbox, not counted yet').all()).reverse();
  const opted = rowsOf($('Status: opt-outs').all());
  const counted = countedTo(stored, 'opt_outs_id');
  const dayOf = daysIn({ $now, DateTime });
  const isNew = ({ id }: Fields) => Number(id) > counted;
  const added = addToDays(
    stored,
    { inbox_id: inboxRows, outbox_id: outboxRows, opt_outs_id: opted.filter(isNew) },
    dayOf,
  );
  const changed = new Set(added.map(({ day }) => day));
  const others = stored.map((row) => dayRow(String(row.day), row));
  const days = [...added, ...others.filter(({ day }) => !changed.has(day))]
    .sort((a, b) => (a.day < b.day ? 1 : -1))
    .slice(0, DAYS_SHOWN);
  const day = dayOf($now.toISO());
  const today = days.find((each) => each.day === day) ?? dayRow(day);
  const deliveries = rowsOf($('Status: waiting for subscribers').all());
  const status: Status = {
    at: $now.toISO() ?? '',
    zone,
    lights: [
      published($('Status page is opened').first().json.executionMode, links),
      login($('Status: balance').first().json, links),
      newest(tables, today, inboxRows.length === MAX_READ, now, clock, links),
      failing(deliveries),
      ...outbox(
        today,
        outboxRows.length === MAX_READ,
        rowsOf($('Status: rules').all()),
        rowsOf($('Status: claimed too long').all()),
      ),
      room(tables, limits, now),
      optedOut(opted),
    ],
    subscribers: subscribersOf(rowsOf($('Status: subscribers').all()), deliveries, clock),
    tables: tables.map(({ name, rows, bytes, oldestAt }) => ({
      name,
      rows,
      megabytes: bytes / 1e6,
      since: clock(oldestAt),
    })),
    days,
  };
  return [{ json: status }];
}
