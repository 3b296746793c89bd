/** What of a campaign is sent behind other messages: nobody gets two. */
import { DateTime } from 'luxon';

import { deskOf } from '../../test/kit/workflows/expression';
import { runDesk, type Row } from './workflow';

const NOON = DateTime.fromISO('2026-06-03T12:00:00', { zone: 'Asia/Shanghai' }) as DateTime<true>;
const ago = (time: object) => NOON.minus(time).toISO();

const phoneOf = (index: number) => String(13_800_000_000 + index);

const message = (id: number, change: Row): Row => ({
  ...{ id, phone_number: phoneOf(90_000 + id), class: 'marketing', status: 'accepted', run: '1:0' },
  ...{ key: '', sent_at: ago({ days: 9 }), createdAt: ago({ days: 9 }) },
  ...{ source: deskOf('campaign').name, ...change },
});

const recipient = (id: number, change: Row = {}): Row => ({
  ...{ id, campaign: 'Spring', phone_number: phoneOf(id), parameters: '{}', line: id },
  ...{ status: 'pending', portion: '', batch_id: '', reason: '', sent_at: null },
  ...{ changed: ago({ hours: 1 }), createdAt: ago({ hours: 1 }), ...change },
});

/** The send of a campaign behind these messages. */
function sender(outbox: Row[], recipients: Row[]) {
  const campaigns = [{ id: 1, campaign: 'Spring', state: 'running', template_id: '302' }];
  const rules = [{ class: 'all', per_day: 0 }];
  const tables = {
    'sms.outbox': outbox,
    'sms.recipients': recipients,
    'sms.campaigns': campaigns,
    'sms.rules': rules,
  } as Record<string, Row[]>;
  const sent: unknown[] = [];
  let executions = 0;
  const tick = (now = NOON) => {
    const world = () => ({ tables, now, execution: String((executions += 1)) });
    const sends = (rows: Row[]) => {
      sent.push(...rows.map(({ phone_number }) => phone_number));
      return rows.map(() => ({ status: 'accepted', batch_id: 'b' }));
    };
    runDesk(
      'campaign',
      'Every 10 seconds',
      {},
      {
        ...world(),
        given: {
          'Read the balance': [{ balance: 1e9 }],
          'Send through the outbox': (start) => {
            const given = { 'Send by template': sends };
            return runDesk('outbox', 'Messages', {}, { ...world(), start, given }).Results ?? [];
          },
        },
      },
    );
  };
  return { tick, sent, tables };
}

const RECIPIENTS = Array.from({ length: 300 }, (_, index) => recipient(index + 1));
const people = (rows: Row[] = RECIPIENTS) => rows.map((row) => ({ ...row }));

test('behind any number of messages, and of its own, each gets one', () => {
  const older = Array.from({ length: 2_000 }, (_, index) =>
    message(index + 1, {
      key: `Winter|${phoneOf(90_001 + index)}`,
      ...(index % 2 && {
        class: 'notice',
        sent_at: ago({ hours: 2 }),
        createdAt: ago({ hours: 2 }),
      }),
    }),
  );
  const { tick, sent } = sender(older, people());
  tick();
  tick();
  tick();
  expect(sent).toEqual(RECIPIENTS.map(({ phone_number }) => phone_number));
});

test('who has had the message under its name, or another one today, does not get it', () => {
  const before = [
    message(1, { phone_number: phoneOf(1), key: `Spring|${phoneOf(1)}` }),
    message(2, { phone_number: phoneOf(2), sent_at: ago({ minutes: 30 }) }),
    message(3, { phone_number: phoneOf(3), key: 'x', sent_at: ago({ minutes: 30 }) }),
    message(4, { phone_number: phoneOf(4), key: 'A', sent_at: ago({ minutes: 30 }) }),
    // Since this list was loaded, under names that begin alike.
    ...['Spring|1', 'Spring|', 'Spring|VIP'].map((name, index) => {
      const at = { sent_at: ago({ minutes: 30 }), createdAt: ago({ minutes: 30 }) };
      const phone_number = phoneOf(index + 5);
      return message(index + 5, { phone_number, key: `${name}|${phone_number}`, ...at });
    }),
    // What others have sent under its keys.
    ...[{ source: 'Orders' }, { source: null, class: null, run: null, sent_at: null }].map(
      (change, index) => {
        const phone_number = phoneOf(index + 8);
        const own = { class: 'notice', phone_number, key: `Spring|${phone_number}` };
        return message(index + 8, { ...own, createdAt: ago({ minutes: 30 }), ...change });
      },
    ),
  ];
  const { tick, sent } = sender(before, people());
  tick();
  expect(sent).toEqual(Array.from({ length: 91 }, (_, index) => phoneOf(index + 10)));
});

test('of rows that were tried before or typed by hand, each number gets one', () => {
  const others = { phone_number: phoneOf(7), createdAt: ago({ days: 1 }) };
  const rows = people().map((row, index) => {
    const typed = { ...row, ...others, phone_number: ` +86 ${phoneOf(7)}`, line: null };
    if (index === 110) return typed;
    const tried = { sent_at: ago({ minutes: 20 }), phone_number: `+86${phoneOf(7)}` };
    return index === 120 ? { ...typed, ...tried } : row;
  });
  const { tick, sent } = sender([], rows);
  tick();
  tick();
  expect(new Set(sent).size).toBe(198);
  expect(sent).toHaveLength(198);
});

test('a row that is typed by hand while a list rests, and goes before it, is no second message', () => {
  const list = people().map((row) => ({
    ...row,
    ...{ changed: ago({ seconds: 40 }), createdAt: ago({ seconds: 30 }) },
  }));
  const typed = { phone_number: ` +86 ${phoneOf(7)}`, line: null, createdAt: ago({ seconds: 9 }) };
  const { tick, sent, tables } = sender([], [...list, recipient(301, typed)]);
  tables['sms.rules']?.push({ class: 'marketing', per_hour: 0, per_day: 0 });
  tick();
  tick(NOON.plus({ minutes: 1 }));
  expect(sent).toHaveLength(100);
  expect(new Set(sent).size).toBe(100);
});
