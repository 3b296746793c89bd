import type { Fields } from '../../../builder/code/n8n';
import { errorOf } from '../common/records/days';
import { failingIn } from '../common/records/subscribers';
import { groupBy } from './figures';
import { isDelivered, type Message, type Rows, type Send } from './rows';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Fewer reports or failures prove nothing. */
export const MIN_REPORTS = 50;
export const MIN_FAILURES = 15;

/** Fewer reports do not say what is usual. */
const MIN_PAST = 200;

/** By how much a slice must be worse than usual: of many slices, chance makes less than 4.5 standard deviations. */
const MIN_DEVIATIONS = 4.5;
const MIN_RATIO = 1.5;
const MIN_DIFFERENCE = 0.03;

/** Without a past, this share is too much. */
const MAX_SHARE = 0.2;

/** What a failure rate is about. `from` and `to` are those of a stretch. */
export interface Slice {
  kind: 'all' | 'template' | 'batch' | 'status' | 'stretch';
  name: string;
  from: number;
  to: number;
}

/** What is wrong, now or earlier in the last 24 hours. */
export type Finding =
  | {
      rule: 'failures';
      slice: Slice;
      failed: number;
      reports: number;
      usual: number | undefined;
      /** When the last of them failed. */
      last: number;
      isNow: boolean;
    }
  | { rule: 'late'; missing: number; sent: number; from: number; to: number }
  | { rule: 'silent'; sent: number; since: number | undefined }
  | { rule: 'behind'; name: string; since: number; reason: string }
  | { rule: 'balance'; balance: number; perDay: number; days: number }
  | { rule: 'noBalance'; reason: string };

/** What the rules look at. */
export interface Seen {
  rows: Rows;
  /** Rows of sms_days and sms_subscribers. */
  days: Fields[];
  subscribers: Fields[];
  /** What the SMS node says. */
  balance: Fields;
  /** How many segments a message has on average. */
  segments: number;
  now: number;
  /** The day of a time, in the time zone of the workflow. */
  dayOf: (at: number) => string;
}

interface Report {
  template: string;
  batch: string;
  status: string;
  isFailed: boolean;
  at: number;
}

interface Count {
  reports: number;
  failed: number;
}

function countOf(reports: Iterable<Report>): Count {
  const count = { reports: 0, failed: 0 };
  for (const { isFailed } of reports) {
    count.reports += 1;
    if (isFailed) count.failed += 1;
  }
  return count;
}

function add(a: Count, b: Count): Count {
  return { reports: a.reports + b.reports, failed: a.failed + b.failed };
}

/** What is usual: a rate, and how many reports say so. */
interface Usual {
  rate: number;
  reports: number;
}

function usualOf({ reports, failed }: Count): Usual | undefined {
  return reports < MIN_PAST ? undefined : { rate: failed / reports, reports };
}

function reportsOf({ messages }: Rows): Report[] {
  return messages.flatMap(({ report, template, batch }: Message): Report[] => {
    if (!report) return [];
    const { status, at } = report;
    return [{ template, batch, status, at, isFailed: !isDelivered(report) }];
  });
}

/** The failures of a slice against what is usual. */
interface Judged {
  slice: Slice;
  /** The reports that it explains. */
  members: Set<Report>;
  failed: number;
  reports: number;
  usual: number | undefined;
  /** In standard deviations. */
  excess: number;
}

/** Judges slices of the last 24 hours against the time before, or else against the rest of them. */
class Judge {
  private readonly overall: Usual | undefined;
  private readonly byTemplate: Map<string, Usual>;

  constructor(
    private readonly day: Report[],
    private readonly past: Report[],
    earlier: Count,
  ) {
    this.overall = usualOf(add(countOf(past), earlier));
    this.byTemplate = new Map(
      [...groupBy(past, ({ template }) => template)].flatMap(([template, reports]) => {
        const usual = usualOf(countOf(reports));
        return usual ? [[template, usual] as const] : [];
      }),
    );
  }

  /** Undefined if nothing is wrong with the slice. */
  ofSlice(slice: Slice, reports: Report[]): Judged | undefined {
    const { failed } = countOf(reports);
    const count = { failed, reports: reports.length };
    if (reports.length < MIN_REPORTS || failed < MIN_FAILURES) return undefined;
    const rest = this.restOf(reports);
    let expected = 0;
    let variance = 0;
    for (const { template } of reports) {
      const usual = this.byTemplate.get(template) ?? this.overall ?? rest;
      if (usual === undefined) {
        const isTooMuch = failed / reports.length >= MAX_SHARE;
        const judged = { slice, members: new Set(reports), ...count, usual: undefined, excess: 0 };
        return isTooMuch ? judged : undefined;
      }
      const chance = Math.max(usual.rate, 0.005);
      expected += chance;
      // What is usual is known only as well as its reports say.
      variance += chance * (1 - chance) * (1 + reports.length / usual.reports);
    }
    return this.worse(slice, reports, count, expected, variance);
  }

  /** A status that comes more often than usual. */
  ofStatus(slice: Slice, reports: Report[]): Judged | undefined {
    const members = reports.filter(({ status }) => status === slice.name);
    const before = this.past.filter(({ status }) => status === slice.name).length;
    if (this.past.length < MIN_PAST || reports.length < MIN_REPORTS) return undefined;
    if (members.length < MIN_FAILURES) return undefined;
    const chance = Math.max(before / this.past.length, 0.005);
    const expected = chance * reports.length;
    const count = { failed: members.length, reports: reports.length };
    const variance = expected * (1 - chance) * (1 + reports.length / this.past.length);
    return this.worse(slice, members, count, expected, variance);
  }

  private worse(
    slice: Slice,
    members: Report[],
    { failed, reports }: Count,
    expected: number,
    variance: number,
  ): Judged | undefined {
    const excess = (failed - expected) / Math.sqrt(variance);
    const isWorse =
      excess >= MIN_DEVIATIONS &&
      failed >= MIN_RATIO * expected &&
      (failed - expected) / reports >= MIN_DIFFERENCE;
    const usual = expected / reports;
    return isWorse
      ? { slice, members: new Set(members), failed, reports, usual, excess }
      : undefined;
  }

  private restOf(reports: Report[]): Usual | undefined {
    if (this.overall !== undefined || reports.length === this.day.length) return undefined;
    const own = new Set(reports);
    return usualOf(countOf(this.day.filter((report) => !own.has(report))));
  }
}

/** The slices that can be judged alone. Hours that follow one another and are bad are one stretch. */
function slicesOf(reports: Report[], judge: Judge): (Judged | undefined)[] {
  const named = (kind: 'template' | 'batch') =>
    [...groupBy(reports, (report) => report[kind])].map(([name, members]) =>
      judge.ofSlice({ kind, name, from: 0, to: 0 }, members),
    );
  const failed = reports.filter(({ isFailed }) => isFailed);
  const statuses = [...groupBy(failed, ({ status }) => status)]
    .map(([name]) => ({ kind: 'status' as const, name, from: 0, to: 0 }))
    .map((slice) => judge.ofStatus(slice, reports));
  const hours = [...groupBy(reports, ({ at }) => Math.floor(at / HOUR_MS))]
    .map(([hour, members]) => ({ from: hour * HOUR_MS, members }))
    .sort((a, b) => a.from - b.from);
  const stretches: { from: number; to: number; members: Report[] }[] = [];
  for (const { from, members } of hours) {
    const to = from + HOUR_MS;
    if (!judge.ofSlice({ kind: 'stretch', name: '', from, to }, members)) continue;
    const last = stretches.at(-1);
    if (last?.to === from) {
      last.to = to;
      last.members.push(...members);
    } else {
      stretches.push({ from, to, members: [...members] });
    }
  }
  const bad = stretches.map(({ from, to, members }) =>
    judge.ofSlice({ kind: 'stretch', name: '', from, to }, members),
  );
  return [...named('template'), ...named('batch'), ...statuses, ...bad];
}

/** Whether a slice still fails is told by so much time. */
const RECENT_MS = 2 * HOUR_MS;

/** When the last of a slice failed, and whether it still fails at half its rate or more. */
function ageOf(
  { slice, members, failed, reports }: Judged,
  all: Report[],
  now: number,
): { last: number; isNow: boolean } {
  const isRecent = ({ at }: Report) => at > now - RECENT_MS;
  const bad = [...members].filter(({ isFailed }) => isFailed);
  const of = slice.kind === 'status' ? all : [...members];
  const recent = bad.filter(isRecent).length;
  return {
    last: bad.reduce((latest, { at }) => Math.max(latest, at), 0),
    isNow: recent > 0 && recent / of.filter(isRecent).length >= failed / reports / 2,
  };
}

/** At most so many slices are told: the worst, and what it does not explain. */
const MAX_SLICES = 4;

function failures({ rows, days, now, dayOf }: Seen): Finding[] {
  const all = reportsOf(rows).filter(({ at }) => at <= now);
  const day = all.filter(({ at }) => at > now - DAY_MS);
  const past = all.filter(({ at }) => at <= now - DAY_MS);
  // Yesterday is partly in the last 24 hours.
  const earlier = days
    .filter(
      (row) => String(row.day) < dayOf(now - DAY_MS) && String(row.day) >= dayOf(now - 8 * DAY_MS),
    )
    .map((row) => ({
      failed: Number(row.failed),
      reports: Number(row.failed) + Number(row.delivered),
    }))
    .reduce(add, { reports: 0, failed: 0 });
  const judge = new Judge(day, past, earlier);
  const whole = { kind: 'all' as const, name: '', from: now - DAY_MS, to: now };
  const overall = judge.ofSlice(whole, day);
  const found = overall ? [overall] : [];
  let left = day;
  for (let round = 0; round < MAX_SLICES; round += 1) {
    const [worst] = slicesOf(left, judge)
      .filter((judged) => judged !== undefined)
      .sort((a, b) => b.excess - a.excess);
    if (!worst) break;
    found.push(worst);
    left = left.filter((report) => !worst.members.has(report));
  }
  return found.map((judged) => {
    const { slice, failed, reports, usual } = judged;
    return { rule: 'failures', slice, failed, reports, usual, ...ageOf(judged, day, now) };
  });
}

/** Fewer messages without a report prove nothing. */
export const MIN_SENT = 30;
export const MIN_MISSING = 10;
const MAX_MISSING = 0.1;

/** Reports are late: many of the messages sent 1 to 6 hours ago have none. */
function late({ rows, now }: Seen): Finding[] {
  const to = now - HOUR_MS;
  const from = now - 6 * HOUR_MS;
  const recent = { sent: 0, missing: 0 };
  const before = { sent: 0, missing: 0 };
  for (const { send, report } of rows.messages) {
    if (send?.status !== 'accepted' || send.at > to) continue;
    const count = send.at >= from ? recent : before;
    count.sent += 1;
    if (!report) count.missing += 1;
  }
  const { sent, missing } = recent;
  const usual = before.sent < MIN_PAST ? 0 : before.missing / before.sent;
  const isLate =
    sent >= MIN_SENT &&
    missing >= MIN_MISSING &&
    missing / sent >= Math.max(MAX_MISSING, 3 * usual);
  return isLate ? [{ rule: 'late', missing, sent, from, to }] : [];
}

export const MIN_SILENT = 5;
const SILENCE_MS = 30 * MINUTE_MS;

/** Messages were accepted, and nothing has come since. */
function silent({ rows, now }: Seen): Finding[] {
  const since = rows.lastStored;
  const isAlone = ({ status, at }: Send) =>
    status === 'accepted' && at > (since ?? 0) && at < now - SILENCE_MS;
  const sent = rows.messages.filter(({ send }) => send && isAlone(send)).length;
  return sent >= MIN_SILENT ? [{ rule: 'silent', sent, since }] : [];
}

const BEHIND_MS = 10 * MINUTE_MS;

function behind({ subscribers, now }: Seen): Finding[] {
  return subscribers.flatMap((row): Finding[] => {
    const failing = failingIn(row, now);
    if (!failing || now - failing.since <= BEHIND_MS) return [];
    return [{ rule: 'behind', name: String(row.name), ...failing }];
  });
}

/** Who sends less a day needs no forecast. */
export const MIN_PER_DAY = 10;
export const FEW_DAYS = 7;

/** What is spent a day: by the full days of the last week, or else by the last 24 hours. In segments. */
export function perDay({ rows, days, now, dayOf, segments }: Seen): number {
  const full = days.filter(
    (row) => String(row.day) < dayOf(now) && String(row.day) >= dayOf(now - 7 * DAY_MS),
  );
  const isRecent = ({ send }: Message) => send && send.at > now - DAY_MS && send.at <= now;
  const sent =
    full.length > 0
      ? full.reduce((sum, row) => sum + Number(row.sent), 0) / full.length
      : rows.messages.filter(isRecent).length;
  return sent * segments;
}

function balanceLasts(seen: Seen): Finding[] {
  const { balance } = seen.balance;
  const reason = errorOf(seen.balance);
  if (reason || typeof balance !== 'number') return [{ rule: 'noBalance', reason }];
  const spent = perDay(seen);
  const days = spent < MIN_PER_DAY ? Infinity : balance / spent;
  return balance <= 0 || days < FEW_DAYS ? [{ rule: 'balance', balance, perDay: spent, days }] : [];
}

/** What is wrong. What stops everything comes first. */
export function findingsOf(seen: Seen): Finding[] {
  const quiet = silent(seen);
  return [
    ...balanceLasts(seen),
    ...quiet,
    ...behind(seen),
    // A silent inbox makes every report late.
    ...(quiet.length > 0 ? [] : late(seen)),
    ...failures(seen),
  ];
}
