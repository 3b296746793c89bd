/** What PostgreSQL counts for the dashboard is what an oracle counts of the same rows, one by one. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { settings } from '../../test/kit/search/settings';
import { runDesk, type Row } from './workflow';

const NOW = DateTime.fromISO('2026-06-03T10:00:00', { zone: 'Asia/Shanghai' });

/** Before now: around what is judged by its age, and around the minutes of the clock. */
const age = fc.oneof(
  fc.integer({ min: -90_000, max: 90_000 }),
  fc
    .tuple(fc.constantFrom(5, 10, 60, 120, 1_440, 2_880, -11), fc.integer({ min: -70, max: 70 }))
    .map(([minutes, seconds]) => minutes * 60_000 + seconds * 997),
);
const ofBoth = {
  phone_number: fc.constantFrom('13810000001', '13810000002', '13810000003', ''),
  batch_id: fc.constantFrom('', 'b1', 'b2', 'b3', 'b4', null),
  age,
};
const send = fc.record({
  ...ofBoth,
  status: fc.constantFrom('accepted', 'accepted', 'refused', 'unknown', 'claimed', 'waiting'),
  reason: fc.constantFrom('', 'busy', null),
  reason_code: fc.constantFrom('', null, 'opted_out', 'limit'),
  template: fc.constantFrom('301', 'Sale', '', null),
  text: fc.constantFrom('', 'x', 'x'.repeat(80), null),
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
  status: fc.constantFrom('', '', 'failed', 'none', 'unsent', 'DELIVRD', 'late'),
  format: fc.constantFrom('', '', 'csv'),
});

const stored = ({ age: millis, ...row }: Row, time: string): Row => {
  const at = NOW.minus(Number(millis));
  return { ...row, [time]: at.toISO(), createdAt: DateTime.min(at, NOW).toISO() };
};

type Found = Record<string, unknown>;

const text = (value: unknown) => String(value ?? '');
const timeOf = (row: Row, time: string) => text(row[time] ?? row.createdAt);
const minutesAgo = (at: string) => NOW.diff(DateTime.fromISO(at)).as('minutes');

/** The message of each report: the first of its number and batch. The latest report by its time counts. */
function reported(sends: Row[], events: Row[]) {
  const messageOf = new Map<Row, Row | undefined>();
  const reportOf = new Map<Row, Row>();
  for (const event of events.filter((each) => each.event === 'deliveryReport')) {
    const message = sends.find(
      (each) =>
        event.batch_id &&
        event.phone_number &&
        each.batch_id === event.batch_id &&
        each.phone_number === event.phone_number,
    );
    messageOf.set(event, message);
    const before = message && reportOf.get(message);
    const isLater =
      !before || Date.parse(timeOf(before, 'time')) <= Date.parse(timeOf(event, 'time'));
    if (message && isLater) reportOf.set(message, event);
  }
  return { messageOf, reportOf };
}

/** The state of a message, as the design has it. */
function stateOf(row: Row, report: Row | undefined): string {
  if (report) return report.status === 'DELIVRD' ? 'delivered' : 'failed';
  if (row.status === 'claimed')
    return minutesAgo(timeOf(row, 'sent_at')) > 10 ? 'unknown' : 'sending';
  const isOptedOut = row.status === 'refused' && row.reason_code === 'opted_out';
  return isOptedOut ? 'opted_out' : text(row.status);
}

/** The same rows, joined one by one: a message for each, as the statement gives those that are alike. */
function joined(all: { sends: Row[]; events: Row[] }, sends: Row[], events: Row[]): string {
  const { messageOf, reportOf } = reported(all.sends, all.events);
  const templates = new Map<unknown, unknown>();
  const mine = sends.filter(({ phone_number }) => phone_number);
  for (const row of mine)
    if (row.batch_id && !templates.has(row.batch_id)) templates.set(row.batch_id, row.template);
  const messages = mine.map((row): Found => {
    const report = reportOf.get(row);
    const sent = timeOf(row, 'sent_at');
    const told = report && timeOf(report, 'time');
    return {
      ...{
        rows: 1,
        state: stateOf(row, report),
        template: row.template,
        batch: row.batch_id || null,
      },
      send: [
        ...[row.id, row.reason, row.reason_code, '', row.batch_id, row.template, sent],
        text(row.text).length,
      ],
      report: report && [
        ...[null, '', '', text(report.status), report.status_desc, '', row.batch_id],
        ...[report.split_count, told],
      ],
      times: told ? [Date.parse(told) - Date.parse(sent)] : null,
      newest: [[row.id, null, told ?? sent, row.phone_number, row.batch_id]],
    };
  });
  const alone = new Map<string, Row>();
  for (const row of events.filter((each) => each.event === 'deliveryReport')) {
    if (sends.includes(messageOf.get(row) ?? {})) continue;
    const key = row.batch_id ? `${text(row.batch_id)}\n${text(row.phone_number)}` : text(row.id);
    const before = alone.get(key);
    if (!before || Date.parse(timeOf(before, 'time')) < Date.parse(timeOf(row, 'time')))
      alone.set(key, row);
  }
  const others = [...alone.values()].map((row): Found => {
    const told = timeOf(row, 'time');
    return {
      ...{ rows: 1, state: row.status === 'DELIVRD' ? 'delivered' : 'failed', times: null },
      ...{ template: templates.get(row.batch_id), batch: row.batch_id || null },
      report: [
        ...[row.id, '', '', text(row.status), row.status_desc, '', row.batch_id],
        ...[row.split_count, told],
      ],
      newest: [[null, row.id, told, row.phone_number, row.batch_id]],
    };
  });
  const replies = new Map<string, Row>();
  for (const row of events.filter((each) => each.event === 'reply')) {
    const key = [row.phone_number, timeOf(row, 'time'), row.content, row.batch_id].join('\n');
    if (!replies.has(key)) replies.set(key, row);
  }
  const said = [...replies.values()].map((row) => [
    ...[row.id, row.event, row.phone_number, row.status, '', row.content, row.batch_id, 0],
    ...[timeOf(row, 'time'), templates.get(row.batch_id)],
  ]);
  return JSON.stringify({ messages: [...messages, ...others], replies: said, cut: null });
}

/** What the page shows, counted by the statement, and one by one. */
function looks(asked: Row, outbox: Row[], inbox: Row[]): Row[] {
  const templates = [{ id: 1, kind: 'template', record_id: '301', name: 'Sale' }];
  const tables = { 'sms.outbox': outbox, 'sms.inbox': inbox, 'sms.templates': templates } as Record<
    string,
    Row[]
  >;
  const opened = { query: asked, headers: {} };
  const look = (given: Record<string, Row[]>) =>
    runDesk('dashboard', 'Page is opened', opened, {
      tables,
      now: NOW,
      given: { Balance: [{ balance: 9_000 }], ...given },
    });
  // Before the look fills in what became of each.
  const [sends, events] = structuredClone([outbox, inbox]) as [Row[], Row[]];
  const csv = look({});
  const [{ readFrom, recordsTo, sendsTo, window }] = csv['What was asked'] as [Row];
  const isRead = (time: string, to: unknown) => (row: Row) => {
    const at = Date.parse(String(window === 'all' ? row.createdAt : row[time]));
    return (
      at >= Date.parse(String(readFrom)) &&
      at <= Date.parse(String(to)) &&
      Date.parse(String(row.createdAt)) <= +NOW
    );
  };
  const counted = joined(
    { sends, events },
    sends.filter(isRead('sent_at', sendsTo)),
    events.filter(isRead('time', recordsTo)),
  );
  return [csv, look({ 'Count them': [{ counted }] })].map((nodes) => {
    const { figures, before, unsent, alerts, bars } = nodes['Count and judge']?.[0] ?? {};
    return { figures, before, unsent, alerts, bars };
  });
}

it('the dashboard shows the same as of rows that are joined one by one', () => {
  fc.assert(
    fc.property(
      fc.array(send, { maxLength: 30 }),
      fc.array(event, { maxLength: 30 }),
      query,
      (sends, events, asked) => {
        const rows = (all: Row[], time: string) =>
          all.map((row, index) => ({ id: index + 1, ...stored(row, time) }));
        const [counted, one] = looks(asked, rows(sends, 'sent_at'), rows(events, 'time'));
        expect(counted).toEqual(one);
      },
    ),
    settings(25),
  );
});
