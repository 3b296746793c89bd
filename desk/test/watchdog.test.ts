/** What the watchdog takes for wrong, and how often it says so. */
import { DateTime } from 'luxon';

import { said, why, type Why } from '../src/common/messages/reasons';
import { foundBy } from './database';
import { fieldsOf, parametersOf, valueOf } from '../../test/kit/workflows/expression';
import { runDesk, type Nodes, type Row } from './workflow';

const NOW = DateTime.fromISO('2026-06-03T12:00:00Z', { zone: 'Asia/Shanghai' });
const SETTINGS = {
  status_page: 'https://n8n.example.com/webhook/sms-status',
};

/** A watchdog with its memory. */
function watchdog() {
  const memory: Row = {};
  let hours = 0;
  /** One look, an hour later, at what these nodes have read. Returns the mail. */
  return (read: Nodes, isMailed = true) => {
    const now = NOW.plus({ hours: (hours += 1) });
    const given = { Settings: [SETTINGS], ...read, ...(!isMailed && { 'Send the mail': [] }) };
    const nodes = runDesk('watchdog', 'Every hour', {}, { tables: {}, given, memory, now });
    return (nodes['Find what is wrong'] ?? []) as { subject: string; text: string }[];
  };
}

/** Sends of an hour of this day, newest first, and how many of the older ones have no report. */
function sends(count: number, silent: number, hour: number, change: Row = {}) {
  const all = Array.from({ length: count }, (_, index) => ({
    batch_id: `${hour}-${index}`,
    phone_number: '13810000001',
    sent_at: NOW.plus({ hours: hour, seconds: -index }).toISO(),
    ...change,
  }));
  return { all, silent: silent > 0 ? all.slice(-silent) : [] };
}

type Sends = ReturnType<typeof sends>;

const tablesOf = (...parts: Sends[]) => ({
  'Get the sends that need a report': parts.flatMap(({ all, silent }) =>
    all.map((row) => ({ ...row, report: silent.includes(row) ? null : 'DELIVRD' })),
  ),
});

const subjects = (mails: { subject: string }[]) => mails.map(({ subject }) => subject);

test.each([
  [[], 2],
  [[{ name: 'late_minutes', value: 30 }], 3],
  // The last of a name holds, as on the pages.
  [
    [
      { name: 'late_minutes', value: 500 },
      { name: 'late_minutes', value: 30 },
    ],
    3,
  ],
])('with %j, a message counts when it is late, and not for ever', (thresholds, count) => {
  const ages = [0, 0.9, 1.1, 5, 100];
  const rows = ages.map((hours) => ({ status: 'accepted', sent_at: NOW.minus({ hours }).toISO() }));
  const nodes = { Settings: [{ ...SETTINGS, hours: 24 }], Thresholds: thresholds };
  const sight = { nodes, $now: NOW };
  const found = foundBy('watchdog', 'Get the sends that need a report', rows, sight);
  expect(found).toEqual(rows.slice(4 - count, 4));
});

test('what may have been sent is found by its state and the hour at which it went, in whatever words it has a reason', () => {
  const sent_at = NOW.minus({ hours: 1 }).toISO();
  // It was taken in the evening, and sent in the morning.
  const row = { reason: '', sent_at, createdAt: NOW.minus({ days: 2 }).toISO() };
  const rows = [
    { ...row, status: 'unknown' },
    { ...row, status: 'unknown', reason: 'HTTP 502' },
    { ...row, status: 'accepted', reason: 'Interrupted' },
    { ...row, status: 'unknown', sent_at: NOW.minus({ hours: 25 }).toISO() },
    { ...row, status: 'claimed' },
    // The hour of these has just come.
    { ...row, status: 'claimed', sent_at: NOW.minus({ minutes: 14 }).toISO() },
  ];
  const world = { tables: { 'sms.outbox': rows }, given: { Settings: [SETTINGS] }, now: NOW };
  const found = runDesk('watchdog', 'Every hour', {}, world)['Get what was not sent'] ?? [];
  expect(found.map(({ kind, reason, rows }) => [kind, reason, rows]).sort()).toEqual([
    ['unknown', '', 3],
    ['unknown', 'HTTP 502', 1],
  ]);
});

test('what was rejected is mailed, also behind many who have opted out', () => {
  let ids = 0;
  const row = (status: string, reason: Why) => () => ({
    ...{ id: (ids += 1), createdAt: NOW.toISO(), sent_at: NOW.toISO(), status, ...reason },
  });
  const outbox = [
    ...Array.from({ length: 20 }, row('rejected', said('busy'))),
    ...Array.from({ length: 1_500 }, row('refused', why('opted_out'))),
  ];
  const given = { Settings: [SETTINGS] };
  const world = { tables: { 'sms.outbox': outbox }, given, now: NOW };
  const mails = runDesk('watchdog', 'Every hour', {}, world)['Find what is wrong'];
  expect(mails).toMatchObject([{ subject: 'SMS: 20 messages were rejected by the SMS service' }]);
});

test('the canary alone is enough for an alarm, and for its end', () => {
  const look = watchdog();
  const canary = (silent: number, hour: number) =>
    tablesOf(sends(1, silent, hour, { reference: 'canary' }));
  expect(subjects(look(canary(1, 0)))).toEqual(['SMS: no delivery report for 1 of 1 message']);
  const [over] = look(canary(0, 2));
  expect(over?.subject).toBe('SMS: delivery reports come again');
  expect(over?.text).toMatch(/1 of 1 message since the alarm .* has one\.$/);
});

test('the canary has a key of its own each day', () => {
  const keys = [0, 1, 31].map(
    (days) => fieldsOf('watchdog', 'Canary', { $now: NOW.plus({ days }) }).key,
  );
  expect(new Set(keys).size).toBe(keys.length);
});

test.each([
  ['refused', 'was not sent'],
  ['rejected', 'was not sent'],
  ['unknown', 'may not have been sent'],
  // The call of the outbox has failed, perhaps behind the send.
  [undefined, 'may not have been sent'],
])('the mail about a canary that is %s: it %s', (status, says) => {
  const nodes = { Settings: [SETTINGS] };
  const sight = { $json: { status, error: 'x' }, nodes, $workflow: { name: 'Watchdog' } };
  const { subject, text } = parametersOf('watchdog', 'Mail that it was not sent');
  expect(valueOf(subject, sight)).toBe(`SMS: the canary ${says}`);
  expect(valueOf(text, sight)).toContain(`What happened: the daily SMS to yourself ${says}. x`);
});

test('an alarm when a share has no report, once; over when the messages since then have theirs', () => {
  const look = watchdog();
  const first = sends(50, 48, 0);
  const [mail] = look(tablesOf(first));
  expect(mail?.subject).toBe('SMS: no delivery report for 48 of 50 messages');
  expect(mail?.text).toContain(
    'between 2026-06-03 19:59 (Asia/Shanghai) and 2026-06-03 19:59 (Asia/Shanghai)',
  );
  expect(mail?.text).toContain('The inbox has stored nothing yet.');
  expect(mail?.text).toContain('https://n8n.example.com/webhook/sms-status');
  expect(look(tablesOf(first))).toEqual([]);
  // One late report, then all of them: they are no news about the messages since the alarm.
  expect(look(tablesOf({ ...first, silent: first.silent.slice(1) }))).toEqual([]);
  expect(look(tablesOf({ ...first, silent: [] }))).toEqual([]);
  expect(look(tablesOf(sends(10, 3, 2), first))).toEqual([]);
  // Four prove nothing.
  expect(look(tablesOf(sends(4, 0, 2), first))).toEqual([]);
  expect(subjects(look(tablesOf(sends(10, 2, 2), first)))).toEqual([
    'SMS: delivery reports come again',
  ]);
  expect(look(tablesOf(sends(10, 2, 2), first))).toEqual([]);
  expect(subjects(look(tablesOf(sends(10, 9, 8), first)))).toHaveLength(1);
});

test('while the mail does not go out, the alarm is tried again', () => {
  const look = watchdog();
  const tables = tablesOf(sends(5, 5, 0));
  expect(look(tables, false)).toHaveLength(1);
  expect(look(tables)).toHaveLength(1);
  expect(look(tables)).toEqual([]);
});

test('each subscriber that does not take its records is an alarm of its own, and its end too', () => {
  const look = watchdog();
  const failing = { since: '2026-06-03T08:00:00Z', reason: 'Workflow is not active' };
  const late = (...ids: string[]) => ({
    'Get the subscribers': [
      { workflow_id: 'a', name: 'Campaign' },
      { workflow_id: 'b', name: 'Shop' },
    ].map((row) => ({ ...row, ...(ids.includes(row.workflow_id) && failing) })),
  });
  const [mail] = look(late('a'));
  expect(mail?.subject).toBe('SMS: “Campaign” does not get its records');
  expect(mail?.text).toContain('since 2026-06-03 16:00 (Asia/Shanghai)');
  expect(mail?.text).toContain('The last try: Workflow is not active');
  expect(mail?.text).toContain('https://n8n.example.com/workflow/a.');
  expect(subjects(look(late('a', 'b')))).toEqual(['SMS: “Shop” does not get its records']);
  expect(subjects(look(late('b')))).toEqual(['SMS: “Campaign” gets its records again']);
  expect(look(late('b'))).toEqual([]);
  // A look that saw nothing forgets no alarm.
  expect(look({ 'Get the subscribers': [{ error: 'no connection' }] })).toHaveLength(1);
  expect(look(late('b'))).toEqual([]);
  // Not for long.
  const young = {
    workflow_id: 'c',
    name: 'Alerts',
    reason: 'Busy',
    since: NOW.plus({ hours: 8, minutes: -10 }),
  };
  expect(look({ 'Get the subscribers': [{ ...young, since: young.since.toJSON() }] })).toEqual([]);
  const hung = { updatedAt: failing.since, free_at: NOW.plus({ days: 1 }).toJSON() };
  const hangs = { workflow_id: 'd', name: 'CRM', ...failing, ...hung };
  expect(look({ 'Get the subscribers': [hangs] })[0]?.text).toMatch(
    /goes on trying\. Its execution does not end, and it gets no other before 2026-06-\d\d \d\d:\d\d/,
  );
});

test('a workflow that does not run is mailed once, and one that never ran is not', () => {
  const look = watchdog();
  const beats = (hours: number) => ({
    Heartbeats: [
      { name: 'SMS · Outbox', minutes: 1, updatedAt: NOW.plus({ hours, minutes: -4 }).toISO() },
    ].map((row) => ({ id: 1, ...row })),
  });
  expect(look(beats(1))).toEqual([]);
  const [mail] = look(beats(1));
  expect(mail?.subject).toBe('SMS: “SMS · Outbox” does not run');
  expect(mail?.text).toContain('has not run since 2026-06-03 20:56 (Asia/Shanghai).');
  expect(look(beats(1))).toEqual([]);
  expect(look(beats(4))).toEqual([]);
  const inbox = { 'Does the inbox answer?': [{ error: 'Workflow is not active' }] };
  expect(look({ ...beats(4), ...inbox })).toMatchObject([
    { subject: 'SMS: “SMS · Inbox” does not run; SMS: “SMS · Outbox” does not run' },
  ]);
  expect(look({ ...beats(4), ...inbox })).toEqual([]);
});

test('messages without an outcome, and tables that fill, are mailed once, and that there is room again', () => {
  const look = watchdog();
  const claimed = [{ id: 1, kind: 'unknown', rows: 1, createdAt: '2026-06-03T08:00:00Z' }];
  const sizes = (bytes: number) => ({ Sizes: [{ name: 'sms.inbox', bytes }] });
  const tables = { 'Get what was not sent': claimed, ...sizes(30e9) };
  const [mail] = look(tables);
  expect(mail?.subject).toBe(
    'SMS: 1 message may have been sent, or not; SMS: the tables are filling',
  );
  expect(mail?.text).toContain('take about 30000 MB, and may take 20000');
  expect(look(tables)).toEqual([]);
  expect(look({ Sizes: [{ error: 'Away' }] })).toHaveLength(1);
  expect(subjects(look(sizes(1)))).toEqual(['SMS: the tables have room again']);
  expect(look(sizes(1))).toEqual([]);
  expect(look(tables)).toHaveLength(1);
});

test('messages that were not sent are mailed by the threshold, and those that may have been sent at once', () => {
  const look = watchdog();
  const unsent = (kind: string, rows: number) => [{ kind, rows, reason: 'busy' }];
  const found = (...rows: Row[]) => look({ 'Get what was not sent': rows });
  expect(found(...unsent('rejected', 9))).toEqual([]);
  const [mail] = found(...unsent('rejected', 10));
  expect(mail?.subject).toBe('SMS: 10 messages were rejected by the SMS service');
  expect(mail?.text).toContain('Most say: busy (10).');
  expect(found(...unsent('rejected', 12))).toEqual([]);
  expect(subjects(found(...unsent('unknown', 1)))).toEqual([
    'SMS: 1 message may have been sent, or not',
  ]);
  // Those whose hour has come.
  expect(subjects(found(...unsent('overdue', 10)))).toEqual([
    'SMS: 10 messages should have gone by now',
  ]);
  const Thresholds = [{ name: 'not_sent', value: 2 }];
  const few = { Thresholds, 'Get what was not sent': unsent('refused', 2) };
  expect(subjects(look(few))).toEqual(['SMS: 2 messages were refused']);
});

test('what is over the threshold again is mailed again, also if a few have been rejected all the time', () => {
  const look = watchdog();
  const mails = [20, 3, 20, 20].map((count) => {
    const row = (_: unknown, id: number) => ({
      id: id + 1,
      sent_at: NOW.toISO(),
      kind: 'rejected',
      rows: 1,
    });
    return look({ 'Get what was not sent': Array.from({ length: count }, row) }).length;
  });
  expect(mails).toEqual([1, 0, 1, 0]);
});

test('what cannot be read is an alarm, and ends no other', () => {
  const look = watchdog();
  const { all } = sends(5, 0, 0);
  const unread = {
    'Get the sends that need a report': all.map((row) => ({ ...row, report: null })),
    'Get the latest record of the inbox': [{ error: 'Data table with name "x" not found' }],
  };
  expect(subjects(look(unread))).toEqual([
    'SMS: no delivery report for 5 of 5 messages; SMS: the watchdog cannot read its tables',
  ]);
  expect(look({ Sizes: [{ error: 'Away' }] })).toEqual([]);
  expect(look(unread)).toEqual([]);
  expect(subjects(look({}))).toEqual([]);
  expect(subjects(look(unread))).toEqual(['SMS: the watchdog cannot read its tables']);
});
