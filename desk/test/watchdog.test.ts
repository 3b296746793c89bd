/** What the watchdog takes for wrong, and how often it says so. */
import { DateTime } from 'luxon';

import { fieldsOf, parametersOf, valueOf } from '../../test/kit/workflows/expression';
import { inTurn, runDesk, type Nodes, type Row } from './workflow';

const NOW = DateTime.fromISO('2026-06-03T12:00:00Z', { zone: 'Asia/Shanghai' });
const SETTINGS = { status_page: 'https://n8n.example.com/webhook/sms-status' };

/** A watchdog with its memory. */
function watchdog() {
  const memory: Row = {};
  let hours = 0;
  /** One look, an hour later, at what these nodes have read. Returns the mail. */
  return async (read: Nodes, isMailed = true) => {
    const now = NOW.plus({ hours: (hours += 1) });
    const given = { Settings: [SETTINGS], ...read, ...(!isMailed && { 'Send the mail': [] }) };
    const nodes = await runDesk('watchdog', 'Every hour', {}, { tables: {}, given, memory, now });
    return (nodes['Find what is wrong'] ?? []) as { subject: string; text: string }[];
  };
}

/** Sends of an hour of this day, newest first, of which so many of the older ones have no report. */
const sends = (count: number, silent: number, hour: number, change: Row = {}): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ batch_id: `${hour}-${index}`, phone_number: '13810000001' },
    sent_at: NOW.plus({ hours: hour, minutes: -index }).toISO(),
    report: index < count - silent ? 'DELIVRD' : null,
    ...change,
  }));

const reportsOf = (...parts: Row[][]): Nodes => ({
  'Get the sends that need a report': parts.flat(),
});

test.each([
  [[], 2],
  [[{ name: 'late_minutes', value: 30 }], 3],
])('with %j, a message counts when it is late, and not for ever', async (thresholds, count) => {
  const ages = [0, 0.9, 1.1, 5, 100];
  const sent = (status: string) => (hours: number, id: number) => ({
    ...{ status, reference: id, sent_at: NOW.minus({ hours }).toISO() },
    // A message counts from the hour at which it went.
    createdAt: NOW.minus({ hours: 101 }).toISO(),
  });
  const outbox = [...ages.map(sent('accepted')), ...ages.map(sent('unknown'))];
  const tables = { 'sms.outbox': outbox, 'sms.thresholds': thresholds as Row[] };
  const given = { Settings: [{ ...SETTINGS, hours: 24 }] };
  const nodes = await runDesk('watchdog', 'Every hour', {}, { tables, given, now: NOW });
  const found = nodes['Get the sends that need a report']?.map(({ reference }) => reference);
  expect(found).toEqual(['1', '2', '3'].slice(3 - count));
  expect(nodes['Get what was not sent']).toMatchObject([{ kind: 'unknown', rows: 4 }]);
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

const canary = (silent: number, hour: number) =>
  reportsOf(sends(1, silent, hour, { reference: 'canary' }));

const first = sends(50, 48, 0);
const few = sends(5, 5, 0);

const failing = { since: '2026-06-03T08:00:00Z', reason: 'Workflow is not active' };
const late = (...names: string[]) => ({
  'Get the subscribers': ['Campaign', 'Shop'].map((name) => ({
    ...{ workflow_id: name, name, ...(names.includes(name) && failing) },
  })),
});
const young = { workflow_id: 'c', name: 'Alerts', reason: 'Busy' };
const hung = { updatedAt: failing.since, free_at: NOW.plus({ days: 1 }).toJSON() };
const hangs = { 'Get the subscribers': [{ workflow_id: 'd', name: 'CRM', ...failing, ...hung }] };

/** A workflow that ran four minutes before the look of this number. */
const beats = (hours: number) => {
  const updatedAt = NOW.plus({ hours, minutes: -4 }).toISO();
  return { Heartbeats: [{ id: 1, name: 'SMS · Outbox', minutes: 1, updatedAt }] };
};
const inbox = { 'Does the inbox answer?': [{ error: 'Workflow is not active' }] };

const unsent = (kind: string, rows: number, more: Nodes = {}): Nodes => ({
  'Get what was not sent': [{ kind, rows, reason: 'busy' }],
  ...more,
});
const sizes = (bytes: number) => ({ Sizes: [{ name: 'sms.inbox', bytes }] });
const filling = unsent('unknown', 1, sizes(30e9));

const unread = {
  ...reportsOf(few),
  'Get the latest record of the inbox': [{ error: 'Data table with name "x" not found' }],
};
const away = { Sizes: [{ error: 'Away' }] };
const UNREAD = 'the watchdog cannot read its tables';
const MANY = '10 messages were rejected by the SMS service';

/** Looks an hour apart: what they read, and what is mailed. */
const STORIES: Record<string, [Nodes, string, mailed?: boolean][]> = {
  'the canary alone is enough for an alarm, and for its end': [
    [canary(1, 0), 'no delivery report for 1 of 1 message'],
    [canary(0, 2), 'delivery reports come again'],
  ],
  'an alarm when a share has no report, once; over when the messages since then have theirs': [
    [reportsOf(first), 'no delivery report for 48 of 50 messages'],
    [reportsOf(first), ''],
    // One late report, then all of them: they are no news about the messages since the alarm.
    [reportsOf(sends(50, 47, 0)), ''],
    [reportsOf(sends(50, 0, 0)), ''],
    [reportsOf(sends(10, 3, 2), first), ''],
    // Four prove nothing.
    [reportsOf(sends(4, 0, 2), first), ''],
    [reportsOf(sends(10, 2, 2), first), 'delivery reports come again'],
    [reportsOf(sends(10, 2, 2), first), ''],
    [reportsOf(sends(10, 9, 8), first), 'no delivery report for 9 of 10 messages'],
  ],
  'while the mail does not go out, the alarm is tried again': [
    [reportsOf(few), 'no delivery report for 5 of 5 messages', false],
    [reportsOf(few), 'no delivery report for 5 of 5 messages'],
    [reportsOf(few), ''],
  ],
  'each subscriber that does not take its records is an alarm of its own, and its end too': [
    [late('Campaign'), '“Campaign” does not get its records'],
    [late('Campaign', 'Shop'), '“Shop” does not get its records'],
    [late('Shop'), '“Campaign” gets its records again'],
    [late('Shop'), ''],
    // A look that saw nothing forgets no alarm.
    [{ 'Get the subscribers': [{ error: 'no connection' }] }, UNREAD],
    [late('Shop'), ''],
    // Not for long.
    [{ 'Get the subscribers': [{ ...young, since: NOW.plus({ minutes: 410 }).toJSON() }] }, ''],
    [hangs, '“CRM” does not get its records'],
  ],
  'a workflow that does not run is mailed once, and one that never ran is not': [
    [beats(1), ''],
    [beats(1), '“SMS · Outbox” does not run'],
    [beats(1), ''],
    [beats(4), ''],
    [{ ...beats(4), ...inbox }, '“SMS · Inbox” does not run; SMS: “SMS · Outbox” does not run'],
    [{ ...beats(4), ...inbox }, ''],
  ],
  'messages without an outcome, and tables that fill, are mailed once, and that there is room again':
    [
      [filling, '1 message may have been sent, or not; SMS: the tables are filling'],
      [filling, ''],
      [away, UNREAD],
      [sizes(1), 'the tables have room again'],
      [sizes(1), ''],
      [filling, '1 message may have been sent, or not; SMS: the tables are filling'],
    ],
  'what was not sent is mailed by the threshold, once, and what may have been sent at once': [
    [unsent('rejected', 9), ''],
    [unsent('rejected', 10), MANY],
    [unsent('rejected', 12), ''],
    // Over the threshold again, also if a few have been rejected all the time.
    [unsent('rejected', 3), ''],
    [unsent('rejected', 10), MANY],
    [unsent('unknown', 1), '1 message may have been sent, or not'],
    // Those whose hour has come.
    [unsent('overdue', 10), '10 messages should have gone by now'],
    [
      unsent('refused', 2, { Thresholds: [{ name: 'not_sent', value: 2 }] }),
      '2 messages were refused',
    ],
  ],
  'what cannot be read is an alarm, and ends no other': [
    [unread, `no delivery report for 5 of 5 messages; SMS: ${UNREAD}`],
    [away, ''],
    [unread, ''],
    [{}, ''],
    [unread, UNREAD],
  ],
};

test.each(Object.keys(STORIES))('%s', async (what) => {
  const look = watchdog();
  const looks = STORIES[what] ?? [];
  const mails = await inTurn(looks, ([read, , isMailed]) => look(read, isMailed));
  expect(mails.map(([mail]) => mail?.subject ?? '')).toEqual(
    looks.map(([, subject]) => subject && `SMS: ${subject}`),
  );
});

test.each<[Nodes, (string | RegExp)[]]>([
  [
    reportsOf(first),
    [
      'between 2026-06-03 19:11 (Asia/Shanghai) and 2026-06-03 19:58 (Asia/Shanghai)',
      'The inbox has stored nothing yet.',
      'https://n8n.example.com/webhook/sms-status',
    ],
  ],
  [
    late('Campaign'),
    [
      'since 2026-06-03 16:00 (Asia/Shanghai)',
      'The last try: Workflow is not active',
      'https://n8n.example.com/workflow/Campaign.',
    ],
  ],
  [
    hangs,
    [/are kept\. It works, or n8n has lost its execution\. It gets no other before 2026-06-\d/],
  ],
  [beats(0), ['has not run since 2026-06-03 19:56 (Asia/Shanghai).']],
  [filling, ['take about 30000 MB, and may take 20000']],
  [unsent('rejected', 10), ['Most say: busy (10).']],
])('at %j, the mail says %j', async (read, texts) => {
  const [mail] = await watchdog()(read);
  for (const text of texts) expect(mail?.text).toMatch(text);
});
