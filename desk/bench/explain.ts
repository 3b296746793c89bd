/** What PostgreSQL does for each statement of the send and of the campaign's page, in tables of many rows. */
import { DateTime } from 'luxon';

import { MAKE_SCHEMA, statementsOf, VERSION } from '../kit/statements';
import { startTestDatabase, type TestDatabase } from '../../test/kit/n8n/testDatabase';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import type { Sight } from '../../test/kit/workflows/expression';

type Row = Record<string, unknown>;

const PORTION = 5_000;
const FILLED = ['sms.outbox', 'sms.recipients', 'sms.inbox', 'sms.opt_outs'];

/** A statement, the items that it is for, and what else it sees. */
type Step = [workflow: string, node: string, items: Row[], more: Sight];

const phone = (id: string | number) => `'138' || lpad((${id})::text, 8, '0')`;

/** Row i of so many was stored so long before now, a row every two seconds. */
const AGO = (rows: number) => `now() - (${rows} - i) * interval '2 seconds'`;

/** The first half of the campaign is accepted or under way, the second is still to be sent. Of 100 records, one is a reply. */
const filled = (rows: number) => [
  `INSERT INTO sms.outbox (phone_number, class, status, reason, batch_id, key, phone_data, run, sent_at, "createdAt")
SELECT ${phone('i')}, 'marketing', CASE WHEN i % 1000 = 0 THEN 'refused' ELSE 'accepted' END, '', 'b' || i / 100,
'Spring|' || ${phone('i')}, 'sms_recipients:' || i, '1:' || i, ${AGO(rows)}, ${AGO(rows)} FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO sms.campaigns (id, campaign, state, loaded_at) VALUES (1, 'Spring', 'running', now())`,
  `INSERT INTO sms.recipients (campaign, phone_number, parameters, line, segments, blank, status, portion, batch_id, reason, changed, sent_at)
SELECT 'Spring', ${phone('i')}, '{"name":"Li"}', i, 1, '', CASE WHEN i > ${rows} / 2 THEN 'pending' WHEN i > ${rows} * 0.48 THEN 'sending' ELSE 'accepted' END,
'p', '', '', now() - CASE WHEN i BETWEEN ${rows} * 0.48 AND ${rows} / 2 THEN interval '1 second' ELSE interval '1 hour' END,
CASE WHEN i <= ${rows} / 2 THEN now() - interval '1 hour' + i / 5000 * interval '10 seconds' END
FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO sms.inbox (event, phone_number, status, content, batch_id, phone_data, run, time, "createdAt")
SELECT CASE WHEN i % 100 = 0 AND i < ${rows} * 0.9 THEN 'reply' ELSE 'deliveryReport' END, ${phone('i')}, 'DELIVRD', '', 'b' || i / 100,
'sms_recipients:' || i, 'r' || i / 500, ${AGO(rows)}, ${AGO(rows)} FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO sms.opt_outs (phone_number, word) SELECT ${phone('i * 100')}, 'TD' FROM generate_series(1, ${rows} / 100) AS i`,
];

/** What the nodes of these workflows read or change more than once a minute, or while somebody has a page open. */
const OFTEN = [
  ...['campaign', 'campaign-page', 'outbox', 'inbox', 'inbox-serve', 'upkeep'],
  ...['conversations', 'dashboard', 'watchdog', 'ask-and-wait'],
];

/** Statements about one of the tables that grow. */
const ABOUT_MANY =
  /(FROM|INTO|UPDATE|JOIN) sms\.(outbox|recipients|inbox|opt_outs|counts)|sms\.(message|campaign|inbox)_|sms\.(threads?|answer_questions|dashboard)\(/s;

/** @param round how many portions were claimed before */
function stepsOf(rows: number, round: number): Step[] {
  const from = rows / 2 + 1 + round * PORTION;
  const ago = (minutes: number) => DateTime.now().minus({ minutes });
  const campaign = { campaign: 'Spring', id: 1 };
  const portion = Array.from({ length: PORTION }, (_, index) => {
    const id = from + index;
    const phone_number = `138${String(id).padStart(8, '0')}`;
    const others = { phone_data: `sms_recipients:${id}`, class: 'marketing', run: '2' };
    return { id, phone_number, key: `Spring|${phone_number}`, ...others };
  });
  const messages = JSON.stringify(portion.map((each) => ({ ...each, id: null })));
  const growing = ['sms.outbox', 'sms.recipients', 'sms.inbox'].map((name) => ({
    ...{ name, table: name, below: rows / 10, before: ago(1e6).toMillis() },
  }));
  const items: Record<string, Row[]> = {
    'Take the messages': [{ messages }],
    ...{ 'Newest rows': growing, 'Oldest row': growing, 'Oldest row that may go': growing },
    'Delete old rows': growing,
    'New rows': growing
      .filter(({ name }) => name !== 'sms.recipients')
      .map((each) => ({ ...each, after: rows * 0.99, before: ago(2).toISO() })),
    Store: [{ rows: portion.slice(0, 100).map((each) => ({ ...each, event: 'reply' })) }],
    Samples: [{ from: rows / 2 }],
    Recipients: [{ from, to: from + 99 }],
  };
  /** What any other node sees, of the item and of each node. */
  const anything = {
    ...campaign,
    ...portion[0],
    ...{ id: from, campaign: 'Spring', batch_id: 'b1', text: 'x' },
    ...{
      phone: 'none',
      condition: '=',
      pattern: '',
      row: `o${from}`,
      opened: { id: 0, table: 'sms.outbox' },
    },
    ...{ sendsBelow: 1e9, recordsBelow: 1e9, limits: { sends: 300, records: 300 } },
    ...{
      window: '24h',
      ...{
        view: 'overview',
        zone: 'UTC',
        template: '',
        status: '',
        batch: '',
        start: ago(1440).toISO(),
        end: ago(0).toISO(),
      },
      ...{ before: ago(2880).toISO(), readFrom: ago(2880).toISO() },
      now: ago(0).toISO(),
      recordsTo: ago(0).toISO(),
      sendsTo: ago(0).toISO(),
    },
    ...{ oldDay: '2', day: '1', inbox_id: rows * 0.9, outbox_id: rows * 0.9 },
    ...{ portion_size: PORTION, portions_at_once: 4, hours: 24 },
    ...{
      since: ago(60).toISO(),
      sent_at: ago(60).toISO(),
      createdAt: ago(0).toISO(),
    },
    ...{ keys: portion.slice(0, 50).map(({ key }) => key), rows: [{ run: 'r9' }], answer: '1' },
    ...{ campaign: { campaign: 'Spring' }, isDraft: true },
  };
  const files = OFTEN.map((workflow) => ({ workflow, made: readDesk(workflow).nodes }));
  const nodes = {
    ...Object.fromEntries(files.flatMap(({ made }) => made.map(({ name }) => [name, [anything]]))),
    'Newest row': [{ id: rows }],
    'By template': portion.map(({ id }) => ({ id: id - rows / 2 })),
    'Send by template': portion.map(() => ({ status: 'accepted', batch_id: 'b' })),
    'Claim the portion': [{ tries: 0, first: from, last: from + PORTION - 1 }],
  };
  const more = { nodes, $now: DateTime.now(), $execution: { id: '77' } };
  return files.flatMap(({ workflow, made }) =>
    made
      .filter(({ parameters }) => ABOUT_MANY.test(String(parameters.query)))
      .map(({ name }): Step => [workflow, name, items[name] ?? [anything], more]),
  );
}

/**
 * Prints how long each takes, and whether it reads a whole table. With PLANS in the environment, the plans too.
 *
 * @param rows of each table
 */
export async function explain(rows: number): Promise<void> {
  const database = await startTestDatabase();
  try {
    await database.run(MAKE_SCHEMA);
    // It would make statistics at some time.
    await database.run(
      FILLED.map((table) => `ALTER TABLE ${table} SET (autovacuum_enabled = off)`).join(';'),
    );
    for (const each of filled(rows)) await database.run(each);
    for (const statistics of ['without statistics', 'with']) {
      if (statistics === 'with') await database.run('ANALYZE');
      for (const [workflow, node, items, more] of stepsOf(rows, Number(statistics === 'with'))) {
        for (const text of statementsOf(workflow, node, items, more)) {
          const says = await explained(database, text, rows);
          console.log([statistics, workflow, node, ...says].join(' · '));
        }
      }
    }
    console.log(
      `a code behind four portions, taken 500 at a time · ${await behindPortions(database)} ms at most`,
    );
  } finally {
    await database.stop();
  }
}

/** How long a code waits in PostgreSQL at most while four portions are taken, 500 messages after the other. */
async function behindPortions(database: TestDatabase): Promise<number> {
  await database.run('UPDATE sms.rules SET per_day = 0, from_hour = 0, to_hour = 24');
  const take = (messages: Row[]) =>
    database.run(`SELECT round(extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000)
FROM sms.message_take(${VERSION}, '${JSON.stringify(messages)}', 'UTC') LIMIT 1`);
  const message = (id: string, others: Row) => ({
    ...{ phone_number: `139${id.padStart(8, '0')}`, key: id, run: id, ...others },
  });
  let running = 4;
  const portions = Array.from({ length: running }, async (_, portion) => {
    for (let from = 0; from < PORTION; from += 500) {
      const ids = Array.from({ length: 500 }, (__, index) => portion * PORTION + from + index);
      await take(ids.map((id) => message(String(id), { class: 'marketing' })));
    }
    running -= 1;
  });
  const waits: number[] = [];
  for (let code = 0; running > 0; code += 1) {
    waits.push(Number(await take([message(`9${code}`, { class: 'code' })])));
  }
  await Promise.all(portions);
  return Math.max(...waits);
}

/** How long it takes, and what is bad about it. */
async function explained(database: TestDatabase, text: string, rows: number): Promise<string[]> {
  const [statement = '', ...before] = text.split(';\n').reverse();
  const plan = await database.run(
    [...before.reverse(), `EXPLAIN (ANALYZE, TIMING OFF) ${statement}`].join(';\n'),
  );
  if (process.env.PLANS) console.log(plan);
  const time = /Execution Time: (\S+ ms)/.exec(plan)?.[1] ?? '';
  const passed = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, each]) =>
    Number(each),
  );
  const readsAll = plan.includes('Seq Scan on ') || Math.max(0, ...passed) > rows / 10;
  return [time, ...(readsAll ? ['reads a whole table'] : [])];
}
