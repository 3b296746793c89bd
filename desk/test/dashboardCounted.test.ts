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
  reason: fc.constantFrom('', 'busy', null, 'The customer has opted out.'),
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

/** The same rows, joined one by one: a message for each, as the statement gives those that are alike. */
function joined(sends: Row[], events: Row[]): string {
  const inTime = (row: Row, time: string): Row => ({
    ...row,
    at: String(row[time] ?? row.createdAt),
  });
  const keyOf = (kind: string, { batch_id, phone_number, id }: Row) =>
    batch_id ? `${String(batch_id)}\n${String(phone_number)}` : `${kind}${String(id)}`;
  const messages = new Map<string, { send?: Row; report?: Row }>();
  const templates = new Map<unknown, unknown>();
  for (const row of sends.map((each) => inTime(each, 'sent_at'))) {
    const isOwn = row.phone_number && !String(row.reason).startsWith('Not sent again under');
    const key = keyOf('o', row);
    // After a crash a row may be there twice.
    if (!isOwn || messages.has(key)) continue;
    messages.set(key, { send: row });
    if (row.batch_id && !templates.has(row.batch_id)) templates.set(row.batch_id, row.template);
  }
  const replies = new Map<string, Row>();
  for (const row of events.map((each) => inTime(each, 'time'))) {
    if (row.event === 'reply') {
      const key = [row.phone_number, row.at, row.content, row.batch_id].join('\n');
      if (!replies.has(key)) replies.set(key, row);
      continue;
    }
    const key = keyOf('i', row);
    const known = messages.get(key) ?? {};
    // Of several reports, the last one counts.
    if (!known.report || Date.parse(String(known.report.at)) < Date.parse(String(row.at)))
      known.report = row;
    messages.set(key, known);
  }
  const all = [...messages.values()].map(({ send: s, report: r }): Found => {
    const { batch_id: batch, phone_number: phone } = s ?? r ?? {};
    const at = r?.at ?? s?.at;
    return {
      rows: 1,
      send: s && [
        s.id,
        '',
        s.status,
        s.reason,
        s.batch_id,
        s.template,
        s.at,
        null,
        String(s.text ?? '').length,
      ],
      report: r && [
        r.id,
        '',
        '',
        r.status,
        r.status_desc,
        '',
        r.batch_id,
        r.split_count,
        r.at,
        null,
      ],
      template: s ? s.template : templates.get(batch),
      batch: batch || null,
      times: s && r ? [Date.parse(String(r.at)) - Date.parse(String(s.at))] : null,
      newest: [[s?.id ?? null, r?.id ?? null, at, phone, batch]],
    };
  });
  const said = [...replies.values()].map((row) => [
    ...[row.id, row.event, row.phone_number, row.status, '', row.content, row.batch_id, 0, row.at],
    ...[null, templates.get(row.batch_id)],
  ]);
  return JSON.stringify({ messages: all, replies: said, cut: null });
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
    outbox.filter(isRead('sent_at', sendsTo)),
    inbox.filter(isRead('time', recordsTo)),
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
