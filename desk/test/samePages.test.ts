/** Every page, the file and the watchdog say the same of the same rows: what an oracle counts, which is the README. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { said, why } from '../src/common/messages/reasons';
import { settings, type Made } from '../../test/kit/search/settings';
import { open, type Row } from './dashboardCode';
import { ago, inTurn, NOW, runDesk, type World } from './workflow';

const ZONE = 'Asia/Shanghai';
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/** Before now: around what is judged by its age. */
const age = fc.oneof(
  fc.integer({ min: -90_000, max: 90_000 }),
  fc
    .tuple(
      fc.constantFrom(5, 10, 60, 90, 120, 1_440, 2_000, 2_880, -11),
      fc.integer({ min: -70, max: 70 }),
    )
    .map(([minutes, seconds]) => minutes * MINUTE + seconds * 997),
);
const ofBoth = {
  phone_number: fc.constantFrom('13810000001', '13810000002', '13810000003'),
  batch_id: fc.constantFrom('', 'b1', 'b2', 'b3', 'b4', null),
  age,
};
const REASONS: object[] = [
  ...['', 'busy', '<script>"', '\u202Eabc'].map((each) => said(each)),
  ...[{ reason: null }, why('opted_out', { day: '2026-06-01' })],
  why('key_used', { key: 'a', reason: why('first_waiting') }),
  ...['10', '10,000'].map((limit) => why('days_limit', { limit })),
];
const send = fc.record({
  ...ofBoth,
  status: fc.constantFrom(
    ...['accepted', 'accepted', 'refused', 'rejected', 'unknown', 'claimed', 'waiting'],
  ),
  why: fc.constantFrom(...REASONS),
  // A later row stands for it, unless a report says more.
  sent_by: fc.constantFrom(null, null, null, 1_000),
  times: fc.constantFrom(1, 1, 1, 3, 12),
  template: fc.constantFrom('301', '302', '', null),
  estimate: fc.constantFrom(1, 2, 5, null),
});
const event = fc.record({
  ...ofBoth,
  event: fc.constantFrom('deliveryReport', 'deliveryReport', 'reply'),
  status: fc.constantFrom('DELIVRD', 'DELIVRD', 'EXPIRED', '', null),
  status_desc: fc.constantFrom('', 'off', null),
  content: fc.constantFrom('TD', '<b>'),
  split_count: fc.constantFrom(0, 1, 2, null),
});
const query = fc.record({
  window: fc.constantFrom('1h', '24h', '7d', 'all', ''),
  from: fc.constantFrom('', '2026-06-03T11:00'),
  to: fc.constantFrom('', '2026-06-03T11:58:20'),
  template: fc.constantFrom('', '', '301'),
  batch: fc.constantFrom('', '', 'b1'),
  status: fc.constantFrom('', '', 'failed', 'none', 'unsent', 'DELIVRD', 'late', 'overdue'),
});
type Query = Made<typeof query>;
const threshold = fc.record({
  name: fc.constantFrom('not_sent', 'late_minutes', 'late_percent', 'late_of', 'x'),
  value: fc.constantFrom(0, -1, 3, 50, 1e9, null),
});

/** A kind and how each place says it. */
const SAID = {
  rejected: /(\d+) messages? (?:was|were) rejected/,
  refused: /(\d+) messages? (?:was|were) refused/,
  overdue: /(\d+) messages? should have gone/,
  unknown: /(\d+) messages? may have been sent/,
  waiting: /(\d+) messages? waits? for/,
};
type Kind = keyof typeof SAID;
const KINDS = Object.keys(SAID) as Kind[];

/** What the status page asks of others. */
const SERVED = {
  'Does the inbox answer?': [{}],
  Heartbeats: ['Inbox: serve', 'Outbox', 'Upkeep', 'Watchdog'].map((name, id) => ({
    ...{ id, name: `SMS · ${name}`, minutes: 60, updatedAt: NOW.toISO() },
  })),
  'Does the service answer?': [{ balance: 1234 }],
};

interface Known {
  at: number;
  state: string;
  /** How it was not sent, or late. */
  kind: string | undefined;
  /** It waits for its hour. */
  isOpen: boolean;
  /** Why it was not sent. */
  code: unknown;
  /** Undefined: its sender keeps no rows. */
  template: string | undefined;
  batch: string;
  report: string | undefined;
  took: number | undefined;
  segments: number;
  guessed: number;
}

const text = (value: unknown) => String(value ?? '');
const timeOf = ({ sent_at, time }: Row) => Date.parse(text(sent_at ?? time));
const isPaid = ({ state }: Known) => /delivered|failed|accepted/.test(state);
const isOwn = ({ template }: Known) => template !== undefined;

/** The state of a message without a report, as the design has it. */
function ownState(row: Row): string {
  if (row.sent_by) return 'replaced';
  if (row.status === 'claimed') return +NOW - timeOf(row) > 10 * MINUTE ? 'unknown' : 'sending';
  const meant: Record<string, string> = { opted_out: 'opted_out', key_used: 'duplicate' };
  return (row.status === 'refused' && meant[text(row.reason_code)]) || text(row.status);
}

function kindOf(state: string, at: number, late: number): string | undefined {
  const minutes = (+NOW - at) / MINUTE;
  if (state === 'waiting') return minutes > 5 ? 'overdue' : 'waiting';
  if (state === 'accepted') return minutes > late ? 'late' : undefined;
  return KINDS.find((kind) => kind === state);
}

/** All messages. A report is about the first message of its number and batch, and the latest by its time counts. */
function knownOf(sends: Row[], events: Row[], late: number): Known[] {
  const reports = events
    .filter((each) => each.event === 'deliveryReport')
    .sort((a, b) => timeOf(a) - timeOf(b));
  const messageOf = ({ batch_id, phone_number }: Row) =>
    sends.find((row) => batch_id && row.batch_id === batch_id && row.phone_number === phone_number);
  const known = (row: Row, report: Row | undefined): Known => {
    // What has a report does not wait any more.
    const isReported = report && report !== row && row.status !== 'accepted';
    const at = isReported ? Math.min(timeOf(row), +NOW) : timeOf(row);
    const reported = report?.status === 'DELIVRD' ? 'delivered' : 'failed';
    const state = report ? reported : ownState(row);
    const told = Number(report?.split_count ?? 0);
    const isIts = report !== row;
    return {
      ...{ at, state, kind: kindOf(state, at, late), batch: text(row.batch_id) },
      ...{
        isOpen: row.status === 'waiting',
        code: row.reason_code,
        report: report && text(report.status),
      },
      template: isIts ? text(row.template) : undefined,
      took: report && isIts && state === 'delivered' ? timeOf(report) - at : undefined,
      ...{ segments: told, guessed: told > 0 ? 0 : Number(row.estimate ?? 1) },
    };
  };
  return [
    ...sends.map((row) =>
      known(
        row,
        reports.findLast((each) => messageOf(each) === row),
      ),
    ),
    ...reports.filter((report) => !messageOf(report)).map((report) => known(report, report)),
  ];
}

function isShown({ template, batch, status }: Query, message: Known): boolean {
  if (template && message.template !== template) return false;
  if (batch && message.batch !== batch) return false;
  const { state, kind, report } = message;
  if (status === 'none') return state === 'accepted';
  if (status === 'failed') return state === 'failed';
  if (status === 'unsent') return kind !== undefined && kind !== 'late';
  return !status || report === status || kind === status;
}

/** The last step of seconds, minutes or hours that a page says. */
function stepOf(took: number): number {
  const seconds = Math.max(0, took) / 1000;
  const units = { second: 1, minute: 60, hour: 3600 };
  return Math.max(
    ...Object.values(units).map((unit) => Math.min(99, Math.floor(seconds / unit)) * unit),
  );
}

function figuresOf(messages: Known[], replies: Row[]) {
  const count = (test: (message: Known) => unknown) => messages.filter(test).length;
  const paid = messages.filter(isPaid);
  const sum = (name: 'segments' | 'guessed') => paid.reduce((all, each) => all + each[name], 0);
  const times = messages.flatMap(({ took }) => took ?? []).sort((a, b) => a - b);
  const quantile = (share: number) =>
    times.length > 0 ? stepOf(times[Math.ceil(times.length * share) - 1] ?? 0) : null;
  return {
    unsent: count(({ kind }) => kind && kind !== 'late'),
    sent: paid.filter(isOwn).length,
    reported: count(({ report }) => report !== undefined),
    delivered: count(({ state }) => state === 'delivered'),
    failed: count(({ state }) => state === 'failed'),
    missing: count(({ state }) => state === 'accepted'),
    late: count(({ kind }) => kind === 'late'),
    unknown: count((each) => !isOwn(each)),
    ...{ segments: sum('segments') + sum('guessed'), estimated: sum('guessed') },
    ...{ replies: replies.length, p50: quantile(0.5), p95: quantile(0.95) },
  };
}

/** The stretch of time that is asked for, and since when the figures before are counted. */
function spanOf({ window, from, to }: Query) {
  const at = (given: string) => DateTime.fromISO(given, { zone: ZONE }).toMillis();
  if (from) {
    const [start, end] = [at(from), to ? at(to) : Infinity];
    return { start, end, before: 2 * start - Math.min(end, +NOW) };
  }
  const hours: Record<string, number> = { '1h': 1, '7d': 168, all: Infinity };
  const length = (hours[window] ?? 24) * 60 * MINUTE;
  return { start: +NOW - length, end: Infinity, before: +NOW - 2 * length };
}

/** The replies that a page shows: of a template, those to its messages. */
function repliesOf({ template, batch, status }: Query, all: Known[], events: Row[]): Row[] {
  const isOfTemplate = (row: Row) =>
    all.some((each) => each.batch && each.template === template && each.batch === row.batch_id);
  return events.filter(
    (row) =>
      row.event === 'reply' &&
      status === '' &&
      (!batch || row.batch_id === batch) &&
      (!template || isOfTemplate(row)),
  );
}

/** How many there are of each. */
const tally = (values: (string | undefined)[]) =>
  [...new Set(values)]
    .map((each = 'none') => [...[each, values.filter((value = 'none') => value === each).length]])
    .sort();

type Shown = Awaited<ReturnType<typeof open>>;

/** The figures, lists and lines of the dashboard. Returns the messages that it shows. */
function checkDashboard(asked: Query, all: Known[], events: Row[], page: Shown): Known[] {
  const { start, end, before } = spanOf(asked);
  const isNow = end === Infinity;
  const isIn = (at: number) => at >= start && at <= end;
  const isHere = ({ at, kind }: Known) => isIn(at) || (isNow && kind === 'overdue');
  const isBefore = (each: Known) => !isHere(each) && each.at >= before && each.at < start;
  const shown = all.filter((each) => isShown(asked, each));
  const here = shown.filter(isHere);
  const read = all.filter(({ at }) => at >= Math.min(before, start) && at <= end);
  const replies = repliesOf(asked, read, events);
  const repliesIn = (test: (at: number) => boolean) => replies.filter((row) => test(timeOf(row)));
  expect(page.figures).toMatchObject(figuresOf(here, repliesIn(isIn)));
  expect(page.before).toMatchObject(
    figuresOf(
      shown.filter(isBefore),
      repliesIn((at) => at >= before && at < start),
    ),
  );

  const starts = page.bars.map(({ from }) => Date.parse(from));
  for (const [index, bar] of page.bars.entries()) {
    const [from, to] = [index === 0 ? -Infinity : starts[index], starts[index + 1] ?? Infinity];
    const { unsent, delivered, failed, missing } = figuresOf(
      here.filter(({ at }) => at >= Number(from) && at < to),
      [],
    );
    expect(bar).toMatchObject({ unsent, delivered, failed, missing });
  }
  const isLine = (each: Known) =>
    isOwn(each) && (isPaid(each) || (each.kind && each.kind !== 'late'));
  expect(
    page.templates?.map(({ template, sent, unsent }) => [template, sent + unsent]).sort(),
  ).toEqual(
    here.some(isLine) ? tally(here.filter(isLine).map(({ template }) => template)) : undefined,
  );
  const failed = here.filter(({ state }) => state === 'failed');
  expect((page.reasons ?? []).map(({ status, count }) => [status, count]).sort()).toEqual(
    tally(failed.map(({ report }) => report)),
  );
  const [listed, most] = ['', 'failed'].includes(asked.status) ? [failed, 12] : [here, 20];
  expect((page.listed ?? []).map(({ at }) => Date.parse(at))).toEqual(
    listed
      .map(({ at }) => at)
      .sort((a, b) => b - a)
      .slice(0, most),
  );
  if (isNow) {
    const since = (hours: number) => all.filter(({ at }) => at >= +NOW - hours * 60 * MINUTE);
    expect(page.lately).toMatchObject({
      day: figuresOf(since(24), []),
      recent: figuresOf(since(2), []),
    });
  }
  return here;
}

/** The file has the messages that the page shows, their reports of that time, and the replies. */
function checkFile(asked: Query, all: Known[], events: Row[], here: Known[], file: string): void {
  const { start, end } = spanOf(asked);
  const isIn = (at: number) => at >= start && at <= end;
  const read = all.filter(({ at }) => isIn(at));
  const lines = file.trimEnd().split('\r\n').slice(1);
  const count = (name: string) => lines.filter((line) => line.startsWith(`"${name}"`)).length;
  expect(count('send')).toBe(here.filter(isOwn).length);
  expect(count('reply')).toBe(
    repliesOf(asked, read, events).filter((row) => isIn(timeOf(row))).length,
  );
}

/** How many messages of each kind there are, and how a page says it. */
const countsOf = (messages: Known[]) =>
  KINDS.map((kind) => [kind, messages.filter((each) => each.kind === kind).length] as const);
const saidIn = (page: unknown) =>
  KINDS.map((kind) => [kind, Number(SAID[kind].exec(String(page))?.[1] ?? 0)] as const);

test('all pages say of the same rows what an oracle says', async () => {
  const rows = [fc.array(send, { maxLength: 15 }), fc.array(event, { maxLength: 30 })] as const;
  const thresholds = fc.uniqueArray(threshold, { maxLength: 3, selector: ({ name }) => name });
  await fc.assert(fc.asyncProperty(...rows, query, thresholds, check), settings(60));
});

async function check(groups: Made<typeof send>[], came: Row[], asked: Query, set: Row[]) {
  const stored = ({ age, ...row }: Row, time: string, index: number): Row => {
    const at = NOW.minus(Number(age));
    const createdAt = DateTime.min(at, NOW).toUTC().toISO();
    return { id: index + 1, ...row, [time]: at.toUTC().toISO(), createdAt };
  };
  const sends = groups
    .flatMap(({ times, why: its, ...row }) => Array<Row>(times).fill({ ...row, ...its }))
    .map((row, index) => stored(row, 'sent_at', index));
  const events = came.map((row, index) => stored(row, 'time', index));
  const thresholds = set.map((each, index) => ({ id: index + 1, ...each }));
  const thresholdOf = (name: string, otherwise: number) =>
    Number(set.find((each) => each.name === name)?.value ?? otherwise);
  const [late, most] = [thresholdOf('late_minutes', 60), thresholdOf('not_sent', 10)];
  const all = knownOf(sends, events, late);

  const opened = { now: ago(0), sends, events, thresholds };
  const dashboard = await open({ ...opened, query: asked });
  const here = checkDashboard(asked, all, events, dashboard);
  const { file } = await open({ ...opened, query: { ...asked, format: 'csv' } });
  checkFile(asked, all, events, here, String(file?.text));
  const shown = here.filter(isOwn);
  expect(saidIn(dashboard.html)).toEqual(countsOf(shown));
  const due = shown.filter((each) => isPaid(each) && each.at < +NOW - late * MINUTE).length;
  const isLate = (count: number) =>
    due >= thresholdOf('late_of', 5) && count * 100 > due * thresholdOf('late_percent', 20);
  const lines = [...KINDS.slice(0, 4), 'late', 'waiting'].map((kind) => {
    const messages = shown.filter((each) => each.kind === kind).length;
    const level = kind === 'waiting' ? 'plain' : messages >= most ? 'red' : 'yellow';
    return { kind, messages, level: kind !== 'late' ? level : isLate(messages) ? 'red' : 'plain' };
  });
  expect(dashboard.unsent).toMatchObject(lines.filter(({ messages }) => messages > 0));
  if (lines.some(({ level, messages }) => messages > 0 && level !== 'plain'))
    expect(dashboard.html).not.toMatch(/mark green">(?!OK)/);

  const run = async (workflow: string, start: string, input: Row, given: World['given'] = {}) => {
    const tables = { 'sms.outbox': sends, 'sms.inbox': events, 'sms.thresholds': thresholds };
    const world = { tables: structuredClone(tables), given, now: NOW };
    return await runDesk(workflow, start, input, world);
  };
  // What is still open, and what else is of the last 24 hours.
  const own = all.filter(isOwn);
  const isLately = ({ at, isOpen }: Known) => at >= +NOW - DAY || isOpen;
  const counts = countsOf(own.filter(isLately));
  const bad = counts.filter(([kind, count]) => kind !== 'waiting' && count > 0);
  const [status, chinese] = await inTurn(['en', 'zh'], async (lang) => {
    const input = { executionMode: 'production', query: { lang } };
    const { 'Status page': page } = await run('dashboard', 'Status page is opened', input, SERVED);
    return String(page?.[0]?.html);
  });
  expect(saidIn(status)).toEqual(counts);
  if (bad.length > 0) expect(status).not.toMatch(/mark green">(?!OK)|<title>OK/);
  if (bad.some(([, count]) => count >= most)) expect(status).toContain('<title>Action needed');
  const midnight = +NOW.startOf('day');
  const isFull = own.some(
    ({ kind, at, code }) => kind && kind !== 'late' && code === 'days_limit' && at >= midnight,
  );
  const [, limit] = /"mark (\w+)">[^<]*<\/span><b><bdi>Daily limit/.exec(String(status)) ?? [];
  expect(limit).toBe(isFull ? 'red' : 'green');
  expect(status).toContain('of 10,000 that the rules allow a day');

  const listed = (await run('conversations', 'Page is opened', { query: {} })).Page?.[0];
  const conversations = String(listed?.html);
  const [, counted = '0'] = /(\d+) messages? of the last 24 hours/.exec(conversations) ?? [];
  const ofDay = countsOf(own.filter(({ at }) => at > +NOW - DAY));
  expect(Number(counted)).toBe(ofDay.slice(0, 4).reduce((sum, [, count]) => sum + count, 0));

  const toSet = { Settings: [{ hours: 6, status_page: 'https://x/webhook/sms-status' }] };
  const [mail] = (await run('watchdog', 'Every hour', {}, toSet))['Find what is wrong'] ?? [];
  const mailed = counts.map(([kind, count]) => {
    const isTold = kind === 'unknown' || (kind !== 'waiting' && count >= most);
    return [kind, isTold ? count : 0];
  });
  expect(saidIn(mail?.subject)).toEqual(mailed);

  for (const page of [dashboard.html, status, chinese, conversations])
    expect(page).not.toMatch(/NaN|undefined|Infinity|\[object|<script>|href="[^"]*1381000/);
  const words = String(chinese)
    .replace(/<style>.*?<\/style>|<[^>]*>|&#?\w+;/gs, ' ')
    .replace(/sms[._]\w+|SMS|· \w+|not_sent|late_\w+|per_day|busy|script|abc|Asia\/Shanghai/g, '')
    .replace(/English|“all”/g, '');
  expect(words).not.toMatch(/[A-Za-z]{3,}/);
}

test.each([
  ...['Not sent', 'Days', 'Sizes', 'Rules'].map((node) => ['Status page', node] as const),
  ...['Count them', 'Opened message', 'What was said'].map((node) => ['Page', node] as const),
])('%s: that “%s” could not be read is told, and nothing is called right', async (page, node) => {
  const given = { ...SERVED, [node]: [{ error: 'database is locked' }] };
  const workflow = /said|Opened/.test(node) ? 'conversations' : 'dashboard';
  const opened = { executionMode: 'production', query: { waits: '1' } };
  const world = { tables: {}, given, now: NOW };
  const nodes = await runDesk(workflow, `${page} is opened`, opened, world);
  const html = String(nodes[page]?.[0]?.html);
  expect(html).toMatch(/could not be read: (<bdi>)?database is locked/);
  const wrong: Record<string, RegExp> = {
    'Not sent': /<title>OK|Nothing is unsent/,
    'Count them': /mark green|No message was sent/,
    'What was said': /Nobody|Needs a reply <b>/,
  };
  expect(html).not.toMatch(wrong[node] ?? /<title>OK/);
});
