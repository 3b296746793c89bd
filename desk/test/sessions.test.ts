/**
 * Eight sessions at once on a real PostgreSQL: each takes and settles messages, claims portions, presses, loads, reports,
 * and puts numbers on the opt-out list. Whatever their order is, no key and no recipient gets two messages, no limit is
 * exceeded, and the counts of campaigns are those of their rows.
 */
import fc from 'fast-check';

import { VERSION } from '../src/declared';
import { server } from './database';
import { settings, type Made } from '../../test/kit/search/settings';

const SESSIONS = 8;
const PEOPLE = 12;
const LIMITS = { hour: 2, day: 15 };
const PHONE = (one: number) => `1380000000${one}`;
const STOPPED = PHONE(9);

const step = fc.record({
  kind: fc.constantFrom(
    ...(['take', 'take', 'take', 'settle', 'settle', 'portion', 'portion', 'portion'] as const),
    ...(['press', 'again', 'stop', 'start', 'waiting'] as const),
    ...(['load', 'report', 'report', 'throw away', 'delete', 'by hand'] as const),
  ),
  phone: fc.nat({ max: 9 }),
  key: fc.constantFrom('', 'a', 'b', 'c'),
  class: fc.constantFrom('notice', 'alarm', 'marketing'),
  status: fc.constantFrom('accepted', 'accepted', 'rejected', 'unknown'),
});

const sql = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'::json`;

/** Each statement is a transaction of its own, as in n8n. */
const THEN = ';\nCOMMIT;\nBEGIN;\n';

/** What a session says to PostgreSQL. */
function statementOf(
  { kind, phone, key, status, ...message }: Made<typeof step>,
  session: number,
  place: number,
) {
  const run = `${session}.${place}`;
  const settle = (where: string) =>
    `SELECT sms.message_settle(${VERSION}, (SELECT coalesce(json_agg(json_build_object('id', id, 'sent_at', sent_at, 'status', '${status}', 'batch_id', '', 'msg', '${key}')), '[]')
FROM sms.outbox WHERE status = 'claimed' AND ${where}), 'UTC')`;
  switch (kind) {
    case 'take': {
      // A message to two numbers, and another one to the first of them.
      const list = [phone, (phone + 3) % 10, phone].map((one, index) => ({
        ...{ ...message, phone_number: PHONE(one), key, template: '7' },
        run: `${run}:${Math.floor(index / 2)}`,
      }));
      return `SELECT sms.message_take(${VERSION}, ${sql(list)}, 'UTC')`;
    }
    case 'settle':
      return settle(`run LIKE '${session}.%'`);
    case 'portion': {
      const settings = sql({ portion_size: 3, portions_at_once: 4 });
      return [
        `CREATE TEMP TABLE IF NOT EXISTS own (tries integer, first integer, last integer, packed text); DELETE FROM own;
INSERT INTO own SELECT tries, first, last, packed FROM sms.campaign_take(${VERSION}, 1, '${run}', ${settings})`,
        `SELECT sms.message_take(${VERSION}, json_agg(json_build_object('phone_number', phone_number, 'class', 'alarm', 'key', 'Spring|' || phone_number || coalesce(press, ''),
'phone_data', 'sms_recipients:' || id, 'run', '${run}')), 'UTC') FROM own, json_to_recordset(packed::json) AS r(id integer, phone_number text, press text) HAVING count(*) > 0`,
        settle(`run = '${run}'`),
        `SELECT sms.campaign_settle(${VERSION}, 1, '${run}', row_to_json(own), '[]', 'UTC') FROM own`,
      ].join(THEN);
    }
    case 'press':
      return `SELECT sms.send_unknown_again(1, ${PEOPLE}, now(), '|${run}')`;
    case 'again':
      return `INSERT INTO sms.tokens (token, page) VALUES ('${run}', 'sms-campaign:1');
SELECT sms.campaign_press(${VERSION}, ${sql({ campaign: '1', token: run, action: 'again' })}, '')`;
    case 'stop':
      return `SELECT sms.add_opt_outs('["${PHONE(phone)}"]')`;
    case 'start':
      return phone === 9 ? 'SELECT 1' : `SELECT sms.remove_opt_outs('["${PHONE(phone)}"]')`;
    case 'load':
      return `INSERT INTO sms.recipients (campaign, phone_number, status, reason, parameters, segments, blank, changed)
SELECT 'Autumn', gen_random_uuid(), CASE WHEN i % 5 = 0 THEN 'invalid' ELSE 'pending' END, '', '{}', i % 2 + 1, CASE WHEN i % 3 = 0 THEN 'name' END,
now() - interval '1 hour' FROM generate_series(1, ${phone}) AS i`;
    case 'report':
      return `INSERT INTO sms.inbox (event, phone_number, status, batch_id, phone_data, time) SELECT 'deliveryReport', phone_number,
'${phone % 2 ? 'DELIVRD' : 'EXPIRED'}', 'b', 'sms_recipients:' || id, now() FROM sms.recipients WHERE id % 10 = ${phone}`;
    case 'throw away':
      return "DELETE FROM sms.recipients WHERE campaign = 'Autumn' AND sent_at IS NULL";
    case 'delete':
      return `DELETE FROM sms.recipients WHERE id % 10 = ${phone} AND status NOT IN ('pending', 'sending')`;
    case 'by hand':
      return `UPDATE sms.recipients SET campaign = 'Spring' WHERE id % 10 = ${phone}`;
    default:
      return `SELECT sms.message_take(${VERSION}, NULL, 'UTC')`;
  }
}

/** What holds at the end: each of these finds nothing. */
const BROKEN = {
  'a key was sent by two calls': `SELECT key FROM sms.outbox WHERE key IN ('a', 'b', 'c') AND status NOT IN ('refused', 'rejected')
AND reason_code IS DISTINCT FROM 'key_used' GROUP BY key HAVING count(DISTINCT run) > 1`,
  'a number had too many': `SELECT phone_number, class FROM sms.outbox WHERE class IN ('notice', 'marketing') AND status NOT IN ('refused', 'rejected')
AND reason_code IS DISTINCT FROM 'key_used' GROUP BY 1, 2 HAVING count(*) > ${LIMITS.hour}`,
  'the day had too many': `SELECT FROM sms.outbox WHERE status NOT IN ('refused', 'rejected') AND reference IS DISTINCT FROM 'rejected'
AND reason_code IS DISTINCT FROM 'key_used' HAVING count(*) > ${LIMITS.day}`,
  'who opted out was sent to': `SELECT id FROM sms.outbox WHERE phone_number = '${STOPPED}' AND class = 'marketing' AND status <> 'refused' AND reason_code IS DISTINCT FROM 'key_used'`,
  'a recipient had more than one, and one for each press': `SELECT r.id FROM sms.recipients AS r JOIN sms.outbox AS m ON sms.recipient_of(m.phone_data) = r.id
WHERE m.status NOT IN ('refused', 'rejected') AND m.reason_code IS DISTINCT FROM 'key_used' GROUP BY r.id HAVING count(*) > count(DISTINCT m.key)`,
  'a recipient says other than its message': `SELECT r.id FROM sms.recipients AS r WHERE status IN ('accepted', 'rejected', 'unknown') AND NOT EXISTS (
SELECT FROM sms.outbox AS m WHERE sms.recipient_of(m.phone_data) = r.id AND m.status = r.status)`,
  'a recipient waits for a message that has ended': `SELECT r.id FROM sms.recipients AS r JOIN sms.outbox AS m ON sms.recipient_of(m.phone_data) = r.id
WHERE r.status = 'sending' GROUP BY r.id HAVING bool_and(m.status <> 'claimed') AND max(m.sent_at) >= r.sent_at`,
  'counts are not those of the rows': `SELECT campaign, status, reason, reason_code, reason_values, taken, sent_at, segments, blank, sum(rows) FROM (
SELECT campaign, status, reason, reason_code, reason_values, taken, sent_at, segments, blank, rows FROM sms.counts UNION ALL
SELECT campaign, status, coalesce(reason, ''), reason_code, reason_values, coalesce(batch_id, '') <> '', date_trunc('minute', sent_at), segments, coalesce(blank, ''), -1 FROM sms.recipients
) AS both_of_them GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 HAVING sum(rows) <> 0`,
};

beforeAll(() =>
  server().run(`-- So counts become few again in every third statement, and not in every fiftieth.
CREATE SCHEMA often; CREATE FUNCTION often.random() RETURNS double precision LANGUAGE sql VOLATILE AS 'SELECT pg_catalog.random() / 17';
-- A report may prove that what was rejected has gone, when others have its place in the day.
CREATE FUNCTION often.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.reference := 'rejected'; RETURN NEW; END $$;
CREATE TRIGGER note BEFORE UPDATE ON sms.outbox FOR EACH ROW WHEN (NEW.status = 'rejected') EXECUTE FUNCTION often.note();
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = often, pg_catalog, public', current_database()); END $$`),
);

const EMPTY = `TRUNCATE sms.outbox, sms.recipients, sms.campaigns, sms.opt_outs, sms.rules RESTART IDENTITY;
INSERT INTO sms.rules (class, from_hour, to_hour, per_hour, per_day, check_opt_outs) VALUES ('notice', 0, 24, ${LIMITS.hour}, 0, false),
('marketing', 0, 24, ${LIMITS.hour}, 0, true), ('alarm', 0, 24, 0, 0, false), ('all', 0, 24, 0, ${LIMITS.day}, false), ('reserved', 0, 24, 0, 0, false);
INSERT INTO sms.opt_outs (phone_number) VALUES ('${STOPPED}');
INSERT INTO sms.campaigns (campaign, state, loaded_at) VALUES ('Spring', 'running', now());
INSERT INTO sms.recipients (campaign, phone_number, status, changed, parameters)
SELECT 'Spring', '139000000' || lpad(i::text, 2, '0'), 'pending', now() - interval '1 hour', '{}' FROM generate_series(1, ${PEOPLE}) AS i`;

it('once for a key and a recipient, within the limits, and each row is counted', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 4, maxLength: 12 }), {
        minLength: SESSIONS,
        maxLength: SESSIONS,
      }),
      async (sessions) => {
        await server().run(EMPTY);
        const runs = sessions.map((steps, session) =>
          server().run(steps.map((each, place) => statementOf(each, session, place)).join(THEN)),
        );
        const ends = await Promise.allSettled(runs);
        const failures = ends.flatMap((end) =>
          end.status === 'rejected' ? String(end.reason) : [],
        );
        // PostgreSQL ends one of two that wait for each other: n8n's node asks again.
        expect(failures.filter((why) => !why.includes('deadlock'))).toEqual([]);
        const found: Record<string, unknown> = {};
        for (const [what, query] of Object.entries(BROKEN)) {
          const rows = await server().rows(query);
          if (rows.length > 0) found[what] = rows;
        }
        expect(found).toEqual({});
      },
    ),
    // What it finds does not come again in the same order: nothing is shrunk.
    { ...settings(6), endOnFailure: true },
  ));

/** A claim of the campaign gives the IDs of its rows. */
const claims = (run: string, most: number) =>
  server().rows<{ ids: number[] }>(
    `SELECT jsonb_path_query_array(packed::jsonb, '$[*].id') AS ids FROM sms.campaign_take(${VERSION}, 1, '${run}', '{"portions_at_once": ${most}, "portion_size": 2}')`,
  );
/** Waits until a transaction has a lock on the table. */
const locked = async (mode: string, table = 'recipients') => {
  const query = `SELECT FROM pg_locks WHERE relation = 'sms.${table}'::regclass AND mode = '${mode}' AND granted`;
  while ((await server().rows(query)).length === 0);
};

it('of claims at the same moment, each gets the next rows, and no more are under way than may be', async () => {
  // A change takes time: what it has seen before may be different by then.
  await server()
    .run(`${EMPTY}; UPDATE sms.recipients SET status = 'sending', portion = 'old' WHERE id = 1;
CREATE FUNCTION public.take_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN NULL; END';
CREATE TRIGGER slow BEFORE UPDATE ON sms.recipients EXECUTE FUNCTION public.take_time()`);
  const gate = server()
    .run(`DO $$ BEGIN LOCK TABLE sms.recipients IN EXCLUSIVE MODE; FOR i IN 1..500 LOOP
EXIT WHEN (SELECT count(*) FROM pg_locks WHERE NOT granted) >= 5; PERFORM pg_sleep(0.02); END LOOP; END $$`);
  await locked('ExclusiveLock');
  const all = await Promise.all([1, 2, 3, 4, 5].map((each) => claims(String(each), 3)));
  await gate;
  expect(
    all
      .flat()
      .map(({ ids }) => JSON.stringify(ids))
      .sort(),
  ).toEqual(['[2,3]', '[4,5]']);
  await server().run('DROP TRIGGER slow ON sms.recipients');
});

it('a row that is just being changed is left out, and nobody waits for it', async () => {
  await server().run(EMPTY);
  const slow = server().run(
    `UPDATE sms.recipients SET parameters = '' WHERE id = 2; SELECT pg_sleep(3)`,
  );
  await locked('RowExclusiveLock');
  expect(JSON.stringify((await claims('1', 1))[0]?.ids)).toBe('[1,3]');
  await slow;
});

it.each([
  ['waiting', 'message_take', 'NULL'],
  [
    'claimed',
    'message_settle',
    "(SELECT json_agg(json_build_object('id', id, 'sent_at', sent_at, 'status', 'rejected')) FROM sms.outbox)",
  ],
])('what is %s and just reported as delivered is not tried again', async (status, ask, about) => {
  await server().run(`${EMPTY}; INSERT INTO sms.outbox (phone_number, class, status, reason_code)
VALUES ('${PHONE(1)}', 'alarm', '${status}', 'tried_again')`);
  const report = server()
    .run(`INSERT INTO sms.inbox (event, phone_number, status, batch_id, phone_data)
VALUES ('deliveryReport', '${PHONE(1)}', 'DELIVRD', 'b', 'sms_outbox:1'); SELECT pg_sleep(2)`);
  await locked('RowExclusiveLock');
  await server().run(`SELECT sms.${ask}(${VERSION}, ${about}, 'UTC')`);
  await report;
  const kept = await server().rows(
    'SELECT status, sent_at < clock_timestamp() AS past FROM sms.outbox',
  );
  expect(kept).toEqual([{ status: 'accepted', past: true }]);
});

it.each([
  ['names it', "'sms_outbox:2'"],
  ['has only its batch', 'NULL'],
])('a report that %s comes while its send is settled: both are stored', async (_, data) => {
  // The first try was rejected. Between the second and what it replaces, the report begins.
  await server().run(`${EMPTY}; INSERT INTO sms.outbox (phone_number, class, status, key, batch_id)
SELECT '${PHONE(1)}', 'alarm', status, 'order-1', '' FROM unnest(ARRAY['rejected', 'claimed']) AS status;
CREATE OR REPLACE FUNCTION public.take_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN FOR i IN 1..500 LOOP
EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE NOT granted); PERFORM pg_sleep(0.02); END LOOP; RETURN NULL; END';
CREATE TRIGGER before_replace AFTER UPDATE ON sms.outbox FOR EACH ROW WHEN (OLD.status = 'claimed') EXECUTE FUNCTION public.take_time()`);
  const outcomes = `(SELECT json_agg(json_build_object('id', id, 'sent_at', sent_at, 'status', 'accepted', 'batch_id', 'b')) FROM sms.outbox WHERE id = 2)`;
  const settled = server().run(`SELECT sms.message_settle(${VERSION}, ${outcomes}, 'UTC')`);
  await locked('RowExclusiveLock', 'outbox');
  const report = server()
    .run(`INSERT INTO sms.inbox (event, phone_number, status, batch_id, phone_data)
VALUES ('deliveryReport', '${PHONE(1)}', 'DELIVRD', 'b', ${data})`);
  const ends = await Promise.allSettled([settled, report]);
  await server().run('DROP TRIGGER before_replace ON sms.outbox');
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  const states = await server().rows('SELECT state FROM sms.messages ORDER BY id');
  expect(states).toEqual([{ state: 'replaced' }, { state: 'delivered' }]);
});

it('a report locks none of what was rejected under other names', async () => {
  await server().run(`${EMPTY}; INSERT INTO sms.outbox (phone_number, class, status)
SELECT '${PHONE(1)}', 'alarm', 'rejected' FROM generate_series(1, 100)`);
  const slow = server().run(
    `SELECT id FROM sms.outbox WHERE id <> 7 FOR UPDATE; SELECT pg_sleep(3)`,
  );
  await locked('RowShareLock', 'outbox');
  await server().run(`SET LOCAL lock_timeout = '1s';
INSERT INTO sms.inbox (event, phone_number, status, batch_id, phone_data) SELECT
'deliveryReport', '${PHONE(1)}', 'DELIVRD', batch_id, 'sms_outbox:7' FROM unnest(ARRAY['b', '']) AS batch_id`);
  await slow;
});

it('a page reads counts, and a turn and a claim pass over no recipient who is done', async () => {
  await server()
    .run(`${EMPTY}; DELETE FROM sms.recipients; INSERT INTO sms.recipients (campaign, status, changed, phone_number, segments)
SELECT 'Spring', CASE WHEN i <= 2000 THEN 'accepted' ELSE 'pending' END, now() - interval '1 hour', i::text, 1
FROM generate_series(1, 20000) AS i; ANALYZE sms.recipients`);
  const settings = `'{"portions_at_once": 4, "portion_size": 100}'`;
  /** How many rows of recipients a call reads. */
  const reads = async (state: string, call: string) => {
    const said = await server()
      .run(`UPDATE sms.campaigns SET state = '${state}', loaded_at = '2026-01-01'; DELETE FROM sms.opt_outs; BEGIN; SELECT FROM sms.${call};
SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'recipients'; COMMIT`);
    return Number(said.split('\n').find((line) => /^\d+$/.test(line)));
  };
  const page = `campaign_page(${VERSION}, 1, 'UTC')`;
  expect(await reads('running', page)).toBe(0);
  // The texts of a draft.
  expect(await reads('draft', page)).toBeLessThan(20);
  const turn = `campaign_turn(${VERSION}, ${settings}, 'UTC')`;
  expect(await reads('running', turn)).toBeLessThan(10);
  const take = `campaign_take(${VERSION}, 1, '7', ${settings})`;
  expect(await reads('running', take)).toBeLessThan(300);
});
