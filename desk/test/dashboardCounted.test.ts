/** What PostgreSQL counts for the dashboard, and gives for its file, is what an oracle counts of the same rows. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { settings } from '../../test/kit/search/settings';
import { open, type Row } from './dashboardCode';

const ZONE = 'Asia/Shanghai';
const NOW = DateTime.fromISO('2026-06-03T10:00:00', { zone: ZONE }) as DateTime<true>;
const MINUTE = 60_000;

/** Before now: around what is judged by its age. */
const age = fc.oneof(
  fc.integer({ min: -90_000, max: 90_000 }),
  fc
    .tuple(fc.constantFrom(5, 10, 60, 120, 1_440, 2_880, -11), fc.integer({ min: -70, max: 70 }))
    .map(([minutes, seconds]) => minutes * MINUTE + seconds * 997),
);
const ofBoth = {
  phone_number: fc.constantFrom('13810000001', '13810000002', '13810000003'),
  batch_id: fc.constantFrom('', 'b1', 'b2', 'b3', 'b4', null),
  age,
};
const send = fc.record({
  ...ofBoth,
  status: fc.constantFrom('accepted', 'accepted', 'refused', 'unknown', 'claimed', 'waiting'),
  reason: fc.constantFrom('', 'busy', null),
  reason_code: fc.constantFrom('', null, 'opted_out', 'limit', 'key_used'),
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
  from: fc.constantFrom('', '2026-06-03T09:00'),
  to: fc.constantFrom('', '2026-06-03T09:58:20'),
  template: fc.constantFrom('', '', '301'),
  batch: fc.constantFrom('', '', 'b1'),
  status: fc.constantFrom('', '', 'failed', 'none', 'unsent', 'DELIVRD', 'late', 'overdue'),
});
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never;

interface Known {
  row: string;
  at: number;
  state: string;
  kind: string | undefined;
  /** Undefined: its sender keeps no rows. */
  template: string | undefined;
  batch: string;
  report: string | undefined;
  took: number | undefined;
  segments: number;
  guessed: number;
}

const text = (value: unknown) => String(value ?? '');
const millis = (row: Row, time: string) => Date.parse(text(row[time]));
const stateOf = ({ status }: Row) => (status === 'DELIVRD' ? 'delivered' : 'failed');

/** The state of a message, as the design has it. */
function ownState(row: Row, report: Row | undefined): string {
  if (report) return stateOf(report);
  const minutes = (+NOW - millis(row, 'sent_at')) / MINUTE;
  if (row.status === 'claimed') return minutes > 10 ? 'unknown' : 'sending';
  const meant: Record<string, string> = { opted_out: 'opted_out', key_used: 'duplicate' };
  return (row.status === 'refused' && meant[text(row.reason_code)]) || text(row.status);
}

/** How it was not sent. */
function kindOf(state: string, at: number): string | undefined {
  const minutes = (+NOW - at) / MINUTE;
  if (state === 'waiting') return minutes > 5 ? 'overdue' : 'waiting';
  if (state === 'accepted') return minutes > 60 ? 'late' : undefined;
  return ['refused', 'unknown'].includes(state) ? state : undefined;
}

/** All messages. A report is about the first message of its number and batch, and the latest by its time counts. */
function knownOf(sends: Row[], events: Row[]): Known[] {
  const reports = events.filter((each) => each.event === 'deliveryReport');
  const isOf = (a: Row, b: Row) =>
    text(a.batch_id) !== '' && a.batch_id === b.batch_id && a.phone_number === b.phone_number;
  const messageOf = (report: Row) => sends.find((row) => isOf(report, row));
  const own = sends.map((row): Known => {
    const report = reports
      .filter((each) => messageOf(each) === row)
      .sort((a, b) => millis(a, 'time') - millis(b, 'time'))
      .at(-1);
    const [at, state] = [millis(row, 'sent_at'), ownState(row, report)];
    const told = Number(report?.split_count ?? 0);
    const took = report && state === 'delivered' ? millis(report, 'time') - at : undefined;
    return {
      ...{ row: `o${text(row.id)}`, at, state, kind: kindOf(state, at), took },
      ...{ template: text(row.template), batch: text(row.batch_id) },
      report: report && text(report.status),
      ...{ segments: told, guessed: told > 0 ? 0 : Number(row.estimate ?? 1) },
    };
  });
  const others = reports
    .filter((report) => !messageOf(report))
    .map((report): Known => {
      const told = Number(report.split_count ?? 0);
      return {
        ...{ row: `i${text(report.id)}`, at: millis(report, 'time'), state: stateOf(report) },
        ...{ kind: undefined, template: undefined, batch: text(report.batch_id), took: undefined },
        ...{ report: text(report.status), segments: told, guessed: told > 0 ? 0 : 1 },
      };
    });
  return [...own, ...others];
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
  const paid = messages.filter(({ state }) => /delivered|failed|accepted/.test(state));
  const sum = (name: 'segments' | 'guessed') => paid.reduce((all, each) => all + each[name], 0);
  const times = messages.flatMap(({ took }) => took ?? []).sort((a, b) => a - b);
  const quantile = (share: number) =>
    times.length > 0 ? stepOf(times[Math.ceil(times.length * share) - 1] ?? 0) : null;
  return {
    unsent: count(({ kind }) => kind && kind !== 'late'),
    sent: paid.filter(({ template }) => template !== undefined).length,
    reported: count(({ report }) => report !== undefined),
    delivered: count(({ state }) => state === 'delivered'),
    failed: count(({ state }) => state === 'failed'),
    missing: count(({ state }) => state === 'accepted'),
    late: count(({ kind }) => kind === 'late'),
    unknown: count(({ template }) => template === undefined),
    ...{ segments: sum('segments') + sum('guessed'), estimated: sum('guessed') },
    ...{ replies: replies.length, p50: quantile(0.5), p95: quantile(0.95) },
  };
}

const stored = ({ age: before, ...row }: Row, time: string): Row => {
  const at = NOW.minus(Number(before));
  return { ...row, [time]: at.toUTC().toISO(), createdAt: DateTime.min(at, NOW).toUTC().toISO() };
};

test('the dashboard counts what an oracle counts', () => {
  fc.assert(
    fc.property(
      fc.array(send, { maxLength: 30 }),
      fc.array(event, { maxLength: 30 }),
      query,
      (given, came, asked) => {
        const rows = (all: Row[], time: string) =>
          all.map((row, index) => ({ id: index + 1, ...stored(row, time) }));
        const [sends, events] = [rows(given, 'sent_at'), rows(came, 'time')];
        const all = knownOf(sends, events);
        const opened = { now: String(NOW.toUTC().toISO()), sends, events };
        const shown = open({ ...opened, query: asked });
        check(asked, all, events, shown);
        const { file } = open({ ...opened, query: { ...asked, format: 'csv' } });
        checkFile(asked, all, events, String(file?.text));
      },
    ),
    settings(60),
  );
});

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

type Shown = ReturnType<typeof open>;

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

function check(asked: Query, all: Known[], events: Row[], page: Shown): void {
  const { start, end, before } = spanOf(asked);
  const isNow = end === Infinity;
  const isIn = (at: number) => at >= start && at <= end;
  const isHere = ({ at, kind }: Known) => isIn(at) || (isNow && kind === 'overdue');
  const isBefore = (each: Known) => !isHere(each) && each.at >= before && each.at < start;
  const shown = all.filter((each) => isShown(asked, each));
  const here = shown.filter(isHere);
  const read = all.filter(({ at }) => at >= Math.min(before, start) && at <= end);
  const replies = repliesOf(asked, read, events);
  const repliesIn = (test: (at: number) => boolean) =>
    replies.filter((row) => test(millis(row, 'time')));
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
  const isOwn = ({ template }: Known) => template !== undefined;
  const own = here.filter(isOwn);
  expect(page.unsent.map(({ kind, messages }) => [kind, messages]).sort()).toEqual(
    tally(own.map(({ kind }) => kind)).filter(([kind]) => kind !== 'none'),
  );
  const isLine = ({ state, kind }: Known) =>
    /delivered|failed|accepted/.test(state) || (kind && kind !== 'late');
  expect(
    page.templates?.map(({ template, sent, unsent }) => [template, sent + unsent]).sort(),
  ).toEqual(
    own.some(isLine) ? tally(own.filter(isLine).map(({ template }) => template)) : undefined,
  );
  const failed = here.filter(({ state }) => state === 'failed');
  expect((page.reasons ?? []).map(({ status, count }) => [status, count]).sort()).toEqual(
    tally(failed.map(({ report }) => report)),
  );
  const listed = ['', 'failed'].includes(asked.status) ? failed : here;
  expect((page.listed ?? []).map(({ at }) => Date.parse(at))).toEqual(
    listed
      .map(({ at }) => at)
      .sort((a, b) => b - a)
      .slice(0, ['', 'failed'].includes(asked.status) ? 12 : 20),
  );
  if (isNow) {
    const since = (hours: number) => all.filter(({ at }) => at >= +NOW - hours * 60 * MINUTE);
    expect(page.lately).toMatchObject({
      day: figuresOf(since(24), []),
      recent: figuresOf(since(2), []),
    });
  }
}

/** The file has the messages that the page shows, their reports of that time, and the replies. */
function checkFile(asked: Query, all: Known[], events: Row[], file: string): void {
  const { start, end } = spanOf(asked);
  const isIn = (at: number) => at >= start && at <= end;
  const here = all.filter(
    (each) =>
      isShown(asked, each) && (isIn(each.at) || (end === Infinity && each.kind === 'overdue')),
  );
  const replies = repliesOf(
    asked,
    all.filter(({ at }) => isIn(at)),
    events,
  );
  const lines = file.trimEnd().split('\r\n').slice(1);
  const count = (name: string) => lines.filter((line) => line.startsWith(`"${name}"`)).length;
  expect(count('send')).toBe(here.filter(({ template }) => template !== undefined).length);
  expect(count('reply')).toBe(replies.filter((row) => isIn(millis(row, 'time'))).length);
}
