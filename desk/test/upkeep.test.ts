/** What the upkeep keeps and what it deletes, over some days, against what its README promises. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { VERSION } from '../src/declared';
import { settings } from '../../test/kit/search/settings';
import { database, type Row } from './database';

const ZONE = 'Asia/Shanghai';
const START = DateTime.fromISO('2026-07-01T12:00:00', { zone: ZONE }) as DateTime<true>;
const UNSENT = ['pending', 'sending', 'waiting'];

type Tables = Record<string, Row[]>;
type Sizes = { name: string; rows: number; bytes: number; newest: string; oldest: string }[];

const dayOf = (at: unknown) => DateTime.fromISO(String(at), { zone: ZONE }).toFormat('yyyy-MM-dd');

const FIGURES = 'sent,accepted,delivered,failed,replies,unreadable,opt_outs'.split(',');

/** In which figures of its day a row counts. */
function figuresOf(table: string, { status, event }: Row): string[] {
  if (table === 'sms.opt_outs') return ['opt_outs'];
  if (event === 'unreadable') return ['unreadable'];
  if (table === 'sms.inbox' && event === 'reply') return ['replies'];
  if (table === 'sms.inbox') return status === 'DELIVRD' ? ['delivered'] : ['failed'];
  if (status === 'accepted') return ['sent', 'accepted'];
  return table === 'sms.outbox' && status !== 'rejected' ? ['sent'] : [];
}

/** The figures of these rows, day by day, the latest first. */
function countedBy(tables: Tables): Row[] {
  const days: Record<string, Row> = {};
  for (const table of ['sms.outbox', 'sms.inbox', 'sms.opt_outs'])
    for (const row of tables[table] ?? [])
      for (const name of figuresOf(table, row)) {
        const day = dayOf(row.createdAt);
        days[day] ??= { day, ...Object.fromEntries(FIGURES.map((each) => [each, 0])) };
        days[day][name] = Number(days[day][name]) + 1;
      }
  return Object.values(days).sort((a, b) => (String(a.day) < String(b.day) ? 1 : -1));
}

const kinds = [
  ['sms.outbox', 'accepted'],
  ['sms.outbox', 'waiting'],
  ['sms.outbox', 'rejected'],
  ['sms.inbox', 'reply'],
  ['sms.inbox', 'unreadable'],
  ['sms.inbox', 'DELIVRD'],
  ['sms.inbox', 'UNDELIV'],
  ['sms.recipients', 'pending'],
  ['sms.recipients', 'delivered'],
  ['sms.opt_outs', ''],
] as const;

let made = 0;

function rowOf([table, kind]: (typeof kinds)[number], at: DateTime): Row {
  const own: Record<string, Row> = {
    'sms.inbox': /[A-Z]/.test(kind) ? { event: 'deliveryReport', status: kind } : { event: kind },
    'sms.opt_outs': { since: '' },
    'sms.recipients': { campaign: made % 3 ? 'a' : 'thrown away', status: kind },
  };
  made += 1;
  return {
    ...{ phone_number: `1381${String(made).padStart(7, '0')}`, createdAt: at.toISO() },
    ...(own[table] ?? { status: kind, sent_at: at.toISO() }),
  };
}

const input = fc.record({
  rounds: fc.array(
    fc.record({
      after: fc.integer({ min: 1, max: 80 }),
      rows: fc.array(
        fc.record({
          kind: fc.constantFrom(...kinds),
          age: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        { maxLength: 25 },
      ),
      runs: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  days: fc.constantFrom(0, 1, 3, 4),
  megabytes: fc.constantFrom(0, 20_000),
  read_to: fc.constantFrom(null, 0, 3, 10),
  // For so many hours, no list was loaded into its campaign, and no portion of it has gone.
  loaded: fc.constantFrom(20, 60, 90, 999),
  served: fc.constantFrom(null, 20, 60, 90, 999),
});

test('figures stay when rows go, and what is needed does not go', () => {
  fc.assert(
    fc.property(input, ({ rounds, days, megabytes, read_to, loaded, served }) => {
      const tables: Tables = { 'sms.subscribers': [{ workflow_id: 'w', wants: 'all', read_to }] };
      const ever: Tables = {};
      const last: Record<string, number> = {};
      let now = START;
      for (const { after, rows, runs } of rounds) {
        const before = now;
        now = now.plus({ hours: after });
        const fresh = rows
          .map(({ kind, age }) => ({ kind, at: before.plus({ hours: after * age }) }))
          .sort((a, b) => a.at.toMillis() - b.at.toMillis());
        for (const { kind, at } of fresh) {
          const table = kind[0];
          const row = { id: (last[table] = (last[table] ?? 0) + 1), ...rowOf(kind, at) };
          (tables[table] ??= []).push(row);
          (ever[table] ??= []).push({ ...row });
        }
        const [loaded_at = '', served_at] = [loaded, served].map((hours) =>
          hours === null ? undefined : String(now.minus({ hours })),
        );
        tables['sms.campaigns'] = [{ campaign: 'a', loaded_at, served_at }];
        database().fill(tables, String(now.toISO()));
        const there = Object.fromEntries(
          Object.entries(tables).map(([name, all]) => [name, [...all]]),
        );
        const shown = () => {
          const all = database().rows(
            `SELECT day, ${FIGURES.join()} FROM sms.days ORDER BY day DESC`,
          );
          expect(all[0]?.day).toBe(dayOf(now));
          // That a day has none is seen from one that was counted, too.
          return all.filter((day) => FIGURES.some((name) => Number(day[name]) > 0));
        };
        if (!runs) continue;
        database().rows(`SELECT sms.upkeep(${VERSION}, ${days}, ${megabytes}, '${ZONE}')`);
        database().read(tables, now.zone);
        expect(shown()).toEqual(countedBy(ever));
        const yesterday = now.minus({ days: 1 }).startOf('day');
        // A recipient is as old as its campaign: its row keeps its number from a second message.
        const isOlder = ({ createdAt, campaign }: Row, than: DateTime) =>
          [createdAt, ...(campaign === 'a' ? [loaded_at, served_at ?? ''] : [])].every(
            (at) => at === '' || Date.parse(String(at)) < than.toMillis(),
          );
        const isFree = (table: string, { id, status }: Row) =>
          !UNSENT.includes(String(status)) &&
          (table !== 'sms.inbox' || megabytes === 0 || Number(id) <= (read_to ?? Infinity));
        for (const name of ['sms.outbox', 'sms.inbox', 'sms.recipients']) {
          const left = new Set(tables[name]?.map(({ id }) => id));
          const gone = (there[name] ?? []).filter(({ id }) => !left.has(id));
          expect(gone.filter((row) => !isOlder(row, yesterday) || !isFree(name, row))).toEqual([]);
          const bound = now.minus({ days });
          const old = (tables[name] ?? []).filter(
            (row) => isFree(name, row) && isOlder(row, yesterday) && isOlder(row, bound),
          );
          expect(old).toEqual([]);
          if (megabytes > 0) expect(gone.filter((row) => !isOlder(row, bound))).toEqual([]);
        }
        expect(tables['sms.opt_outs']?.length ?? 0).toBe(ever['sms.opt_outs']?.length ?? 0);
      }
    }),
    settings(60),
  );
});

const fill = (tables: Tables) => database().fill(tables, String(START.toISO()));
const sizes = () => database().rows('SELECT * FROM sms.sizes()') as Sizes;
const many = (count: number, hours: number, row: Row = {}) =>
  Array.from({ length: count }, (_, index) => ({
    createdAt: START.minus({ hours, seconds: -index }).toISO(),
    ...row,
  }));

test('while they take too much room, rows go from the table that goes back furthest', () => {
  const tables: Tables = {
    'sms.inbox': many(400, 90, { content: 'x'.repeat(500) }),
    'sms.outbox': [...many(300, 99, { text: 'x'.repeat(500) }), ...many(100, 9)],
  };
  fill(tables);
  const all = () => sizes().reduce((sum, { bytes }) => sum + bytes, 0);
  const megabytes = all() / 1.2e6;
  const left: number[][] = [];
  for (let turn = 0; turn < 12 && all() > megabytes * 1e6; turn += 1) {
    database().rows(`SELECT sms.upkeep(${VERSION}, 90, ${megabytes}, '${ZONE}')`);
    left.push(sizes().map(({ rows }) => rows));
  }
  expect(all()).toBeLessThanOrEqual(megabytes * 1e6);
  // Nine hours more of the outbox were there, then both go back equally far.
  expect(left[0]?.[0]).toBe(400);
  expect(left[0]?.[1]).toBeLessThan(400);
});

test('the size of a table is about that of its rows, without a gap behind those that wait', () => {
  fill({
    'sms.recipients': [
      { id: 1, campaign: 'a', phone_number: '1', status: 'pending' },
      ...many(100, 9).map((row, index) => ({
        ...{ id: 900_001 + index, campaign: 'b', phone_number: String(index), status: 'delivered' },
        ...row,
      })),
    ],
  });
  const [found] = sizes();
  expect(found).toMatchObject({ name: 'sms.recipients', rows: 100 });
  expect(found?.bytes).toBeGreaterThan(100 * 100);
  expect(found?.bytes).toBeLessThan(100 * 1_000);
});

test('the newest message is the last one that the service has accepted', () => {
  const sent = { status: 'accepted', createdAt: START.minus({ hours: 9 }).toISO() };
  fill({ 'sms.outbox': [sent, { status: 'waiting' }, { status: 'refused' }] });
  expect(Date.parse(sizes()[0]?.newest ?? '')).toBe(Date.parse(sent.createdAt));
});
