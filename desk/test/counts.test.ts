/** Whatever happens to the rows of a campaign, its counts on a real PostgreSQL are those of its rows. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { VERSION } from '../src/declared';
import { onPostgres } from '../../test/kit/desk/onPostgres';

type Row = Record<string, unknown>;

const NOW = DateTime.fromISO('2026-12-01T10:00:00', { zone: 'Asia/Shanghai' });
const NAMES = ["It's spring", 'Autumn'];

/** What happens to rows of a campaign. IDs are of the first 60 rows, some of which are gone. */
const step = fc.record({
  name: fc.constantFrom(...NAMES),
  what: fc.constantFrom(
    ...['load', 'load', 'claim', 'claim', 'settle', 'settle', 'report', 'report', 'turn'],
    ...['refused again', 'unknown again', 'throw away', 'delete', 'by hand'],
  ),
  from: fc.integer({ min: 1, max: 60 }),
  rows: fc.integer({ min: 1, max: 30 }),
  status: fc.constantFrom(
    ...['accepted', 'refused', 'rejected', 'unknown', 'opted_out', 'pending', 'duplicate'],
  ),
  reason: fc.constantFrom('', 'busy', "it's $1"),
  batch_id: fc.constantFrom('', 'b1', 'b2'),
  minutes: fc.integer({ min: 0, max: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const sql = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The statements of a step, as the workflows make them where they are of this part of the desk. */
function statementsOf(step: Step): string[] {
  const { name, what, from, rows, status, reason, batch_id, minutes } = step;
  const $now = NOW.plus({ minutes });
  const press = (action: string, more: object = {}) => {
    const campaign = String(NAMES.indexOf(name) + 1);
    const form = { campaign, token: 't', action, ...more };
    return [
      `INSERT INTO sms.tokens (token, page) VALUES ('t', 'sms-campaign:${campaign}')`,
      `SELECT sms.campaign_press(${VERSION}, ${sql(JSON.stringify(form))}, '')`,
    ];
  };
  const where = `campaign = ${sql(name)} AND id BETWEEN ${from} AND ${from + rows}`;
  const at = sql(String($now.toISO()));
  switch (what) {
    case 'load':
      return [
        `INSERT INTO sms.recipients (campaign, phone_number, status, reason, segments, blank, changed)
SELECT ${sql(name)}, gen_random_uuid(), CASE WHEN i % 5 = 0 THEN 'invalid' ELSE 'pending' END, '', i % 2 + 1, CASE WHEN i % 3 = 0 THEN 'name' END, ${at}
FROM generate_series(1, ${rows}) AS i`,
      ];
    case 'claim':
      return [
        `UPDATE sms.recipients SET status = 'sending', portion = '7', changed = ${at}, sent_at = ${at} WHERE ${where} AND status = 'pending'`,
      ];
    case 'settle':
      return [
        `UPDATE sms.recipients SET status = ${sql(status)}, reason = ${sql(reason)}, batch_id = ${sql(batch_id)}, changed = ${at} WHERE ${where} AND status = 'sending'`,
      ];
    case 'report':
      return [
        `INSERT INTO sms.inbox (event, phone_number, status, batch_id, phone_data, time) SELECT 'deliveryReport', phone_number,
${sql(rows % 2 ? 'DELIVRD' : 'EXPIRED')}, 'b', 'sms_recipients:' || id, ${at} FROM sms.recipients WHERE ${where}`,
      ];
    case 'turn':
      return [`SELECT FROM sms.campaign_turn(${VERSION}, '{"portions_at_once": 4}', 'UTC')`];
    case 'refused again':
      return press('again');
    case 'unknown again':
      return press('resend', { rows: 1000, changed: $now.toISO() });
    case 'throw away':
      return [`DELETE FROM sms.recipients WHERE campaign = ${sql(name)} AND sent_at IS NULL`];
    case 'delete':
      return [`DELETE FROM sms.recipients WHERE ${where} AND status <> 'pending'`];
    default:
      return [`UPDATE sms.recipients SET campaign = ${sql(String(NAMES[0]))} WHERE ${where}`];
  }
}

onPostgres('on PostgreSQL', (database) => {
  beforeAll(async () => {
    const names = NAMES.map((name) => `(${sql(name)}, 'running')`).join();
    await database.run(`INSERT INTO sms.campaigns (campaign, state) VALUES ${names};
-- So counts become few again in every third statement, and not in every fiftieth.
CREATE SCHEMA often; CREATE FUNCTION often.random() RETURNS double precision LANGUAGE sql VOLATILE AS 'SELECT pg_catalog.random() / 17';
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = often, pg_catalog, public', current_database()); END $$`);
  });

  /** What the page of a campaign reads. */
  const shown = (name: string) =>
    `SELECT campaign FROM sms.campaign_page(${VERSION}, ${NAMES.indexOf(name) + 1}, 'UTC')`;
  /** Runs all, and gives what was shown. */
  const play = async (all: string[]) => {
    const lines = (await database.run(all.join(';\n'))).split('\n');
    return lines
      .filter((line) => /^[[{].*[\]}]$/.test(line))
      .map((line) => JSON.parse(line) as Row);
  };
  const countsOfRows = (name: string) =>
    `SELECT jsonb_build_object('cells', coalesce(jsonb_agg(q), '[]')) FROM (
SELECT status, reason, reason_code, reason_values, taken, state, kind, is_old, min(sent_at) AS first, max(sent_at) AS last, count(*) AS rows
FROM (SELECT status, coalesce(reason, '') AS reason, reason_code, reason_values, coalesce(batch_id, '') <> '' AS taken, date_trunc('minute', sent_at) AS sent_at,
  sms.state_of(status, reason_code, date_trunc('minute', sent_at), NULL, NULL, NULL) AS state FROM sms.recipients WHERE campaign = ${sql(name)}) AS r
CROSS JOIN LATERAL (SELECT sms.kind_of(state, sent_at, now(), 60) AS kind, sent_at < now() - interval '60 minutes' AS is_old) AS ages
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) AS q`;

  /** The counts are those of the rows. */
  async function check(): Promise<void> {
    const found = await play(NAMES.flatMap((name) => [shown(name), countsOfRows(name)]));
    const cellsOf = (each = 0) => {
      const cells = (found[each]?.cells ?? []) as Row[];
      // Of those that were sent at several times and went on, the counts of the others are left.
      const alike = cells.map((cell) => ({ ...cell, changed: 0, first: 0, last: 0 }));
      return alike.map((cell) => JSON.stringify(cell, Object.keys(cell).sort())).sort();
    };
    expect(cellsOf(0)).toEqual(cellsOf(1));
    expect(cellsOf(2)).toEqual(cellsOf(3));
  }
  const EMPTY = 'TRUNCATE sms.recipients RESTART IDENTITY';

  it('whatever happens, counts are those of the rows', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await database.run([EMPTY, ...steps.flatMap(statementsOf)].join(';\n'));
        await check();
      }),
      { numRuns: 20 },
    ));

  it('nor do several at once part them, or one that fails', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 24 }), async (steps) => {
        await database.run(EMPTY);
        const runs = [0, 1, 2].map(async (each) => {
          const own = steps.filter((_, index) => index % 3 === each).flatMap(statementsOf);
          for (const all of own) await database.run(all);
          await database.run(`${String(own[0])};\nSELECT 1 / 0`).catch(() => undefined);
        });
        // PostgreSQL ends one of two that wait for each other.
        await Promise.allSettled(runs);
        await check();
      }),
      { numRuns: 4 },
    ));

  const LOAD = [1, 2].map((minutes): Step => ({
    ...{ name: 'Autumn', what: 'load', from: 1, rows: 30, reason: '', batch_id: '', minutes },
    status: 'pending',
  }));

  it('says what a start would send: not to who has opted out', async () => {
    const phones = `UPDATE sms.recipients SET phone_number = id::text`;
    const optOuts = `INSERT INTO sms.opt_outs (phone_number) VALUES ('1'), ('2'), ('3'), ('5'), ('99')`;
    const plan = `SELECT sms.campaign_plan('Autumn')`;
    await database.run([EMPTY, ...LOAD.flatMap(statementsOf), phones, optOuts].join(';\n'));
    expect(await play([plan])).toEqual([
      { people: 45, optedOut: 3, segments: 67, ready: 30, blank: [{ name: 'name', rows: 15 }] },
    ]);
    await database.run('UPDATE sms.recipients SET segments = NULL WHERE id = 4');
    expect(await play([plan])).toMatchObject([{ people: 45, segments: null }]);
  });

  it('a page reads counts, and no row, but three of a draft', async () => {
    await database.run(`${EMPTY}; INSERT INTO sms.recipients (campaign, status, changed, phone_number, segments)
SELECT 'Autumn', 'pending', now(), i::text, 1 FROM generate_series(1, 20000) AS i; ANALYZE sms.recipients`);
    const reads = async (state: string) => {
      const said =
        await database.run(`UPDATE sms.campaigns SET state = '${state}'; DELETE FROM sms.opt_outs; BEGIN; ${shown('Autumn')};
SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'recipients'; COMMIT`);
      return Number(said.split('\n').find((line) => /^\d+$/.test(line)));
    };
    expect(await reads('running')).toBe(0);
    expect(await reads('draft')).toBeLessThan(20);
  });

  it('whose turn it is passes over no recipient who is done', async () => {
    await database.run(`${EMPTY}; INSERT INTO sms.recipients (campaign, status, changed, phone_number)
SELECT 'Autumn', CASE WHEN i <= 2000 THEN 'accepted' ELSE 'pending' END, now() - interval '1 hour', i::text
FROM generate_series(1, 20000) AS i; ANALYZE sms.recipients`);
    const read = `SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'recipients'`;
    const settings = `'{"portions_at_once": 4, "portion_size": 100}'`;
    const [turn, take] = (
      await database.run(`BEGIN;
SELECT FROM sms.campaign_turn(${VERSION}, ${settings}, 'UTC'); ${read};
SELECT FROM sms.campaign_take(${VERSION}, 2, '7', ${settings}); ${read}; COMMIT`)
    )
      .split('\n')
      .filter((line) => /^\d+$/.test(line))
      .map(Number);
    expect(turn).toBeLessThan(10);
    expect(take).toBeLessThan(300);
  });
});
