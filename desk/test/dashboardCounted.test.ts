/** What a real PostgreSQL counts for the dashboard is what its Code nodes count of the same rows. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { makeTables, onPostgres } from '../src/parts';
import { HAS_POSTGRES, startTestDatabase } from '../../test/kit/n8n/testDatabase';
import type { TestDatabase } from '../../test/kit/n8n/testDatabase';
import { statementsOf } from '../../test/kit/desk/statements';
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

(HAS_POSTGRES ? describe : describe.skip)('the dashboard', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await startTestDatabase();
    const tables = makeTables({ Messages: 'sms_outbox', Records: 'sms_inbox' });
    for (const each of tables) await database.run(String(onPostgres(each).parameters?.query));
  });
  afterAll(() => database.stop());

  const fill = (table: string, rows: Row[]) => {
    const columns = Object.keys(rows[0] ?? { id: 0 }).map((name) => `"${name}"`);
    const all = JSON.stringify(rows).replaceAll("'", "''");
    return `TRUNCATE ${table} RESTART IDENTITY; INSERT INTO ${table} (${columns.join()})
SELECT ${columns.join()} FROM json_populate_recordset(NULL::${table}, '${all}')`;
  };

  /** What the page shows, as both stores have it. */
  async function looks(asked: Row): Promise<Row[]> {
    const [sms_outbox, sms_inbox] = await Promise.all(
      ['sms_outbox', 'sms_inbox'].map((table) =>
        database.rows<Row>(`SELECT * FROM ${table} ORDER BY id`),
      ),
    );
    const sms_templates = [{ id: 1, kind: 'template', record_id: '301', name: 'Sale' }];
    const tables = { sms_outbox, sms_inbox, sms_templates } as Record<string, Row[]>;
    const world = { tables, now: NOW, given: { Balance: [{ balance: 9_000 }] } };
    const opened = { query: asked, headers: {} };
    const own = runDesk('dashboard', 'Page is opened', opened, world);
    const seen = { nodes: { ...own, 'Figures by day': [] }, $now: NOW };
    const [look = ''] = statementsOf('dashboard', 'Only what is counted', [{}], seen);
    const statement = String(look.split(';\n').at(-1));
    const counted = await database.rows<Row>(statement);
    const given = { ...world.given, 'Only what is counted': counted };
    const there = runDesk('dashboard', 'Page is opened', opened, { ...world, given });
    return [own, there].map((nodes) => {
      const { figures, before, unsent, alerts, bars, lists } = nodes['Count and judge']?.[0] ?? {};
      const html = String(nodes.Page?.[0]?.html);
      return { figures, before, unsent, alerts, bars, lists, html, file: nodes['Rows as CSV'] };
    });
  }

  it('shows the same as of data tables', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(send, { maxLength: 30 }),
        fc.array(event, { maxLength: 30 }),
        query,
        async (sends, events, asked) => {
          const outbox = sends.map((row) => stored(row, 'sent_at'));
          const inbox = events.map((row) => stored(row, 'time'));
          await database.run(`${fill('sms_outbox', outbox)}; ${fill('sms_inbox', inbox)}`);
          const [own, there] = await looks(asked);
          expect(there).toEqual(own);
        },
      ),
      settings(25),
    ));

  it('begins where the rows begin that it reads', async () => {
    const at = (ago: string) => `TIMESTAMPTZ '${NOW.toISO()}' - ${ago} * interval '1 second'`;
    const many = (table: string, time: string, rows: number, more: string) =>
      `TRUNCATE ${table} RESTART IDENTITY; INSERT INTO ${table} (phone_number, batch_id, status, ${time}, "createdAt", ${more.split(' AS ')[1]})
SELECT i, i / 100, 'accepted', ${at(`(${rows} - i)`)}, ${at(`(${rows} - i)`)}, ${more} FROM generate_series(1, ${rows}) AS i`;
    await database.run(
      `${many('sms_outbox', 'sent_at', 60_010, "'301' AS template")}; ${many('sms_inbox', 'time', 1_000, "'deliveryReport' AS event")}`,
    );
    const [own, there] = await looks({});
    expect(there).toEqual(own);
    expect(own?.html).toContain('The newest 60,000 rows are read.');
  });
});
