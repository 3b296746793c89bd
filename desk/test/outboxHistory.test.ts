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

const LATELY = { sent_at: ago({ minutes: 30 }), createdAt: ago({ minutes: 30 }) };
const HAD = { reason_code: 'key_used' };
const ENOUGH = { reason_code: 'limit' };

/** What the first numbers of a campaign have had, and why they do not get it. */
const BEFORE: [Row, object | undefined][] = [
  [{ key: `Spring|${phoneOf(1)}` }, HAD],
  [{ ...LATELY, createdAt: ago({ days: 9 }) }, ENOUGH],
  [{ key: 'x', ...LATELY }, ENOUGH],
  // Under names that begin alike.
  ...['1', '', 'VIP'].map((name, index): [Row, object] => [
    { key: `Spring|${name}|${phoneOf(index + 4)}`, ...LATELY },
    ENOUGH,
  ]),
  // What others have sent under its keys.
  [{ key: `Spring|${phoneOf(7)}`, class: 'notice', source: 'Orders', ...LATELY }, HAD],
  [{ key: `Spring|${phoneOf(8)}`, class: null, source: null, run: null, sent_at: null }, HAD],
  // What is long ago, or of another class.
  [{ key: `Winter|${phoneOf(9)}` }, undefined],
  [{ key: 'y', class: 'notice', ...LATELY }, undefined],
];

test('of a campaign, each number gets one message, unless it has had it, or enough of others today', () => {
  const before = BEFORE.map(([change], index) =>
    message(index + 1, { phone_number: phoneOf(index + 1), ...change }),
  );
  const others = Array.from({ length: 1_000 }, (_, index) => message(index + 11, LATELY));
  const list = Array.from({ length: 250 }, (_, index) => recipient(index + 1));
  const typed = { phone_number: ` +86 ${phoneOf(77)}`, line: null };
  const rows = [
    ...list,
    recipient(251, typed),
    recipient(252, { ...typed, sent_at: ago({ minutes: 20 }), phone_number: `+86${phoneOf(77)}` }),
  ];
  const { tick, sent } = sender([...before, ...others], rows);
  for (let portion = 0; portion < 4; portion += 1) tick();
  expect(sent).toEqual(
    list.map((row) => row.phone_number).filter((_, index) => !BEFORE[index]?.[1]),
  );
  for (const [index, [, why]] of BEFORE.entries())
    expect(rows[index]).toMatchObject(why ?? { status: 'accepted' });
});

test('a row that is typed by hand while a list rests, and goes before it, is no second message', () => {
  const rests = { changed: ago({ seconds: 40 }), createdAt: ago({ seconds: 30 }) };
  const list = Array.from({ length: 99 }, (_, index) => recipient(index + 1, rests));
  const typed = recipient(301, { phone_number: ` +86 ${phoneOf(7)}`, line: null });
  const { tick, sent, tables } = sender([], [...list, typed]);
  tables['sms.rules']?.push({ class: 'marketing', per_hour: 0, per_day: 0 });
  tick();
  expect(sent).toEqual([phoneOf(7)]);
  tick(NOON.plus({ minutes: 1 }));
  expect(sent.toSorted()).toEqual(list.map((row) => row.phone_number));
});
