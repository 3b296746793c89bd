/** Whatever happens to the rows of a campaign, its counts on a real PostgreSQL are those of its rows. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { VERSION } from '../src/declared';
import { statementsOf as statementsIn } from '../../test/kit/desk/statements';
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
function statementsOf({
  name,
  what,
  from,
  rows,
  status,
  reason,
  batch_id,
  minutes,
}: Step): string[] {
  const $now = NOW.plus({ minutes });
  const run = (workflow: string, node: string, item: Row) =>
    statementsIn(workflow, node, [item], {
      ...{ $now, $execution: { id: '7' } },
      nodes: {
        'Campaign of the rows': [{ campaign: name }],
      },
    });
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
      return ['refused', 'rejected'].flatMap((each) =>
        run('campaign-buttons', `Make the ${each} pending`, {}),
      );
    case 'unknown again':
      return [
        `SELECT FROM sms.send_unknown_again(${VERSION}, ${NAMES.indexOf(name) + 1}, 1000, ${at}, 't')`,
      ];
    case 'throw away':
      return run('campaign-buttons', 'Remove its rows', { campaign: name });
    case 'delete':
      return [`DELETE FROM sms.recipients WHERE ${where} AND status <> 'pending'`];
    default:
      return [`UPDATE sms.recipients SET campaign = ${sql(String(NAMES[0]))} WHERE ${where}`];
  }
}

onPostgres('on PostgreSQL', (database) => {
  beforeAll(async () => {
    const names = NAMES.map((name) => `(${sql(name)}, 'running')`).join();
    await database.run(`INSERT INTO sms.campaigns (campaign, state) VALUES ${names}`);
  });

  const asked = (name: string) => ({
    nodes: { 'What is asked': [{ campaign: { campaign: name }, isDraft: true }] },
  });
  const shown = (node: string, name: string) => {
    const [query = ''] = statementsIn('campaign-page', node, [{}], asked(name));
    return `SELECT coalesce(jsonb_agg(q ORDER BY q), '[]') FROM (${query}) AS q`;
  };
  /** Runs all, and gives what was shown. */
  const play = async (all: string[]) => {
    const lines = (await database.run(all.join(';\n'))).split('\n');
    return lines.filter((line) => /^\[.*\]$/.test(line)).map((line) => JSON.parse(line) as Row[]);
  };
  const COLUMNS =
    "status, said, reason_code, reason_values, taken, date_trunc('minute', sent_at) AS sent_at, segments, coalesce(blank, '') AS blank";
  const countsOfRows = (name: string) =>
    `SELECT coalesce(jsonb_agg(q ORDER BY q), '[]') FROM (SELECT status, said AS reason, reason_code, reason_values, taken, sent_at, segments, blank,
sms.state_of(status, reason_code, sent_at, NULL, NULL, NULL) AS state, count(*) AS rows
FROM (SELECT campaign, ${COLUMNS} FROM (SELECT *, coalesce(batch_id, '') <> '' AS taken, coalesce(reason, '') AS said FROM sms.recipients) AS r) AS r
WHERE campaign = ${sql(name)} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9) AS q`;

  /** The counts are those of the rows. */
  async function check(): Promise<void> {
    const looks = NAMES.flatMap((name) => [shown('Counts', name), countsOfRows(name)]);
    const [first, firstRows, second, secondRows] = await play(looks);
    const alike = (rows: Row[] = []) => rows.map((row) => ({ ...row, changed: 0, row_id: 0 }));
    expect(alike(first)).toEqual(alike(firstRows));
    expect(alike(second)).toEqual(alike(secondRows));
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

  it('says how many of a draft have opted out', async () => {
    const phones = `UPDATE sms.recipients SET phone_number = id::text`;
    const optOuts = `INSERT INTO sms.opt_outs (phone_number) VALUES ('1'), ('2'), ('3'), ('5'), ('99')`;
    await database.run([EMPTY, ...LOAD.flatMap(statementsOf), phones, optOuts].join(';\n'));
    // The fifth has no number.
    expect((await play([shown('Opt-outs', 'Autumn')]))[0]).toEqual([
      { segments: 1, blank: null, rows: 1 },
      { segments: 2, blank: 'name', rows: 1 },
      { segments: 2, blank: null, rows: 1 },
    ]);
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
