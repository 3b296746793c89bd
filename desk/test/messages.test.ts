/**
 * One message, one truth: whatever comes in whatever order, its row says what became of it, and every page says the same.
 * The oracle is the design: the latest report by its time decides; without one, a later row of the same key or recipient
 * stands for what was not sent; a report that names its message proves that it was sent.
 */
import fc from 'fast-check';

import { VERSION } from '../src/declared';
import { settings } from '../../test/kit/search/settings';
import { database, quoted as sql } from './database';
import { NOW } from './workflow';

const at = (seconds: number) => String(NOW.minus({ hours: 1 }).plus({ seconds }).toUTC().toISO());

/** What happens to a number: a message takes its row, or its end is written, or a report comes. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('take' as const),
    key: fc.constantFrom('', 'k'),
    recipient: fc.constantFrom(0, 7, 7),
  }),
  fc.record({
    kind: fc.constant('end' as const),
    of: fc.nat({ max: 2 }),
    end: fc.constantFrom(
      ...(['accepted', 'accepted', 'no_batch', 'refused', 'rejected'] as const),
      ...(['unknown', 'no_batch', 'opted_out', 'key_used', 'days_limit'] as const),
    ),
  }),
  fc.record({
    kind: fc.constant('report' as const),
    of: fc.nat({ max: 2 }),
    status: fc.constantFrom('DELIVRD', 'DELIVRD', 'EXPIRED', ''),
    time: fc.nat({ max: 600 }),
    has: fc.constantFrom('batch', 'both', 'both', 'data'),
    phone: fc.constantFrom(1, 1, 1, 2),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

const PHONE = (one: number) => `1380000000${one}`;
const batchOf = (id: number) => `b${id}`;

interface Message {
  id: number;
  key: string;
  data: string;
  status: 'claimed' | 'accepted' | 'refused' | 'rejected' | 'unknown';
  code: string;
  batch: string;
  report?: { status: string; time: number };
  sentBy?: number;
}

/** What the design says of a history. */
function oracle(steps: Step[]): Message[] {
  const all: Message[] = [];
  const early = new Map<string, { status: string; time: number }>();
  const take = (message: Message, report: { status: string; time: number }) => {
    if (!message.report || message.report.time <= report.time) message.report = report;
    Object.assign(message, { status: 'accepted', code: '' });
  };
  for (const each of steps) {
    if (each.kind === 'take') {
      // Its key is open: it is not sent.
      if (all.some((one) => each.key && one.key === each.key && one.status === 'claimed')) continue;
      const id = all.length + 1;
      const data = each.recipient > 0 ? `sms_recipients:${each.recipient}` : '';
      all.push({ id, key: each.key, data, status: 'claimed', code: '', batch: '' });
    }
    const own = each.kind === 'take' ? undefined : all[each.of];
    if (each.kind === 'end' && own?.status === 'claimed' && !own.report) {
      const isCode = ['opted_out', 'key_used', 'days_limit'].includes(each.end);
      const end = each.end === 'no_batch' ? 'accepted' : each.end;
      Object.assign(own, { status: isCode ? 'refused' : end, code: isCode ? end : '' });
      if (each.end === 'accepted') own.batch = batchOf(own.id);
      const report = own.batch ? early.get(own.batch) : undefined;
      if (report) take(own, report);
      if (own.code !== 'key_used') replace(all, own);
    }
    if (each.kind === 'report' && own && each.phone === 1) {
      const batch = batchOf(own.id);
      const report = { status: each.status, time: each.time };
      const data = own.data || `sms_outbox:${own.id}`;
      // What has no batch and this data: the first of which nobody knows, or that was accepted, or else the last.
      // What is refused under a name that others may have was never sent.
      const named = all.filter(
        (one) =>
          one.batch === '' &&
          (one.data || `sms_outbox:${one.id}`) === data &&
          !(one.status === 'refused' && one.data !== ''),
      );
      const open = named.filter(({ status }) => /claimed|unknown/.test(status));
      const accepted = named.find(({ status }) => status === 'accepted');
      const isClear = open.length === 1 || !open.some(({ status }) => status === 'claimed');
      const byBatch = all.find((one) => each.has !== 'data' && one.batch === batch);
      const byData =
        each.has === 'both' && isClear ? (open[0] ?? accepted ?? named.at(-1)) : undefined;
      const found = byBatch ?? byData;
      if (found) {
        const wasClaimed = found.status === 'claimed';
        take(found, report);
        found.batch ||= batch;
        if (wasClaimed) replace(all, found);
      } else if (each.has !== 'data') {
        const before = early.get(batch);
        if (!before || before.time <= each.time) early.set(batch, report);
      }
    }
  }
  return all;
}

function replace(all: Message[], own: Message): void {
  for (const other of all) {
    const isSame =
      (other.key !== '' && other.key === own.key) || (other.data !== '' && other.data === own.data);
    const isOpen = ['refused', 'rejected'].includes(other.status) && other.sentBy === undefined;
    if (other.id < own.id && isSame && isOpen) other.sentBy = own.id;
  }
}

function stateOf({ status, code, report, sentBy, data }: Message): string {
  if (report) return report.status === 'DELIVRD' ? 'delivered' : 'failed';
  if (sentBy !== undefined) return 'replaced';
  // An hour ago.
  if (status === 'claimed') return 'unknown';
  if (status === 'refused' && code === 'opted_out') return 'opted_out';
  if (status === 'refused' && code === 'key_used') return 'duplicate';
  if (status === 'refused' && code === 'days_limit' && data !== '') return 'pending';
  return status;
}

/** What PostgreSQL is told, as the workflows tell it: nothing of a message that there is not. */
function statementOf(each: Step): string {
  if (each.kind === 'take') {
    const data = each.recipient > 0 ? `sms_recipients:${each.recipient}` : '';
    return `INSERT INTO sms.outbox (phone_number, class, status, reason, batch_id, key, phone_data, template, sent_at)
SELECT ${sql(PHONE(1))}, 'notice', 'claimed', '', '', ${sql(each.key)}, ${sql(data)}, '7', ${sql(at(0))}
WHERE NOT EXISTS (SELECT FROM sms.outbox WHERE key = ${sql(each.key)} AND key <> '' AND status = 'claimed')`;
  }
  const id = each.of + 1;
  if (each.kind === 'end') {
    const isCode = ['opted_out', 'key_used', 'days_limit'].includes(each.end);
    const batch = each.end === 'accepted' ? batchOf(id) : '';
    const end = each.end === 'no_batch' ? 'accepted' : each.end;
    return `UPDATE sms.outbox SET status = ${sql(isCode ? 'refused' : end)}, reason_code = ${sql(isCode ? each.end : '')}, batch_id = ${sql(batch)}
WHERE id = ${id} AND status = 'claimed'`;
  }
  const batch = each.has === 'data' ? '' : batchOf(id);
  const data =
    each.has === 'batch' ? 'NULL' : "coalesce(NULLIF(phone_data, ''), 'sms_outbox:' || id)";
  return `INSERT INTO sms.inbox (event, phone_number, status, batch_id, phone_data, time, other)
SELECT 'deliveryReport', ${sql(PHONE(each.phone))}, ${sql(each.status)}, ${sql(batch)}, ${data}, ${sql(at(each.time))}, ''
FROM sms.outbox WHERE id = ${id}`;
}

test('whatever happens in whatever order, the row of a message has the state that the design says', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 14 }), (steps) => {
      database().fill({}, String(NOW.toISO()));
      database().run(steps.map(statementOf).join(';\n'));
      const rows = database().rows('SELECT id, state, batch_id FROM sms.messages ORDER BY id');
      const expected = oracle(steps).map((each) => ({
        ...{ id: each.id, state: stateOf(each), batch_id: each.batch },
      }));
      expect(rows).toEqual(expected);
    }),
    settings(400),
  );
});

test.each([
  ['after the send', true],
  ['before the service has answered', false],
])(
  'of several messages to a number in one batch, each has its own report: it came %s',
  (_, isLate) => {
    const message = { phone_number: PHONE(1), status: 'claimed', class: 'alarm', sent_at: at(0) };
    database().fill({ 'sms.outbox': [1, 2, 3].map((id) => ({ ...message, id, key: '' })) }, at(60));
    const settled = `UPDATE sms.outbox SET status = 'accepted', batch_id = 'b' WHERE status = 'claimed'`;
    const report = (id: number, status: string) => `INSERT INTO sms.inbox
(event, phone_number, status, batch_id, phone_data, time, other)
VALUES ('deliveryReport', ${sql(PHONE(1))}, ${sql(status)}, 'b', 'sms_outbox:${id}', ${sql(at(9))}, '')`;
    const reports = [report(2, 'DELIVRD'), report(1, 'UNDELIV')];
    database().run((isLate ? [settled, ...reports] : [...reports, settled]).join(';\n'));
    const states = database().rows('SELECT state FROM sms.messages ORDER BY id');
    expect(states.map(({ state }) => state)).toEqual(['failed', 'delivered', 'accepted']);
  },
);

test.each([
  [{ status: 'rejected' }, 'delivered'],
  [{ status: 'accepted', sent_at: at(0) }, 'delivered'],
  [{ status: 'waiting', reason_code: 'tried_again' }, 'delivered'],
  [{ status: 'refused', reason_code: 'too_late' }, 'delivered'],
  // It was tried again, and a rule held at last.
  [{ status: 'refused', reason_code: 'limit' }, 'delivered'],
  [{ status: 'refused', reason_code: 'opted_out' }, 'delivered'],
  // It was never sent.
  [{ status: 'waiting', reason_code: 'hours' }, 'waiting'],
])('a report that names what was %j makes it %s, and it does not go again', (row, state) => {
  const own = { phone_number: PHONE(1), class: 'alarm', sent_at: at(9999), key: 'k', ...row };
  database().fill({ 'sms.outbox': [own] }, String(NOW.toISO()));
  database().run(`INSERT INTO sms.inbox (event, phone_number, status, batch_id, phone_data)
VALUES ('deliveryReport', ${sql(PHONE(1))}, 'DELIVRD', 'b', 'sms_outbox:1')`);
  expect(database().rows('SELECT state FROM sms.messages')).toEqual([{ state }]);
  const isSent = `SELECT sent_at <= ${sql(String(NOW.toISO()))} AS sent FROM sms.outbox`;
  expect(database().rows(isSent)).toEqual([{ sent: state === 'delivered' }]);
  const again = JSON.stringify([{ phone_number: PHONE(1), class: 'alarm', key: 'k', run: '9:0' }]);
  const taken = `SELECT reason_code FROM sms.message_take(${VERSION}, ${sql(again)}, 'UTC')`;
  expect(database().rows(taken)).toEqual([{ reason_code: 'key_used' }]);
});
