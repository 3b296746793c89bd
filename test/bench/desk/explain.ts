/** What PostgreSQL does for each statement of the send and of the campaign's page, in tables of many rows. */
import { DateTime } from 'luxon';

import { statementsOf } from '../../kit/desk/statements';
import { startTestDatabase } from '../../kit/n8n/testDatabase';
import { deskNames, readOnPostgres } from '../../kit/workflows/workflowFiles';
import type { Sight } from '../../kit/workflows/expression';

type Row = Record<string, unknown>;

const PORTION = 5_000;

/** A statement, the items that it is for, and what else it sees. */
type Step = [workflow: string, node: string, items: Row[], more?: Sight];

const phone = (id: string | number) => `'138' || lpad((${id})::text, 8, '0')`;

/** The first half of the campaign is accepted, the second is still to be sent. */
const filled = (rows: number) => [
  `INSERT INTO sms_outbox (phone_number, class, status, reason, batch_id, key, phone_data, run, sent_at)
SELECT ${phone('i')}, 'marketing', 'accepted', '', 'b' || i / 100, 'Spring|' || ${phone('i')}, 'sms_recipients:' || i, '1:' || i,
now() - interval '30 days' + i * interval '2 seconds' FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO sms_recipients (campaign, phone_number, parameters, line, segments, blank, status, portion, batch_id, reason, changed, sent_at)
SELECT 'Spring', ${phone('i')}, '{"name":"Li"}', i, 1, '', CASE WHEN i <= ${rows} / 2 THEN 'accepted' ELSE 'pending' END, '', '', '',
now() - interval '1 hour', CASE WHEN i <= ${rows} / 2 THEN now() - interval '1 hour' + i / 5000 * interval '10 seconds' END
FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO sms_opt_outs (phone_number, word) SELECT ${phone('i * 100')}, 'TD' FROM generate_series(1, ${rows} / 100) AS i`,
];

function stepsOf(rows: number): Step[] {
  const from = rows / 2 + 1;
  const portion = Array.from({ length: PORTION }, (_, index) => {
    const id = from + index;
    const phone_number = `138${String(id).padStart(8, '0')}`;
    const key = `Spring|${phone_number}`;
    return {
      ...{ id, phone_number, key, class: 'marketing', status: 'claimed', run: '2', text: 'x' },
      ...{ column: 'key', condition: 'eq', value: key, match: 'anyCondition' },
      opt_outs: { column: 'phone_number', condition: 'eq', value: phone_number },
    };
  });
  const ranges = (status: string) =>
    Array.from({ length: PORTION / 100 }, (_, index) => {
      const first = from + index * 100;
      return { ...{ from: first, to: first + 99 }, status, batch_id: `b${first}`, reason: '' };
    });
  const chosen = { campaign: 'Spring', id: 1, size: PORTION };
  const nodes = {
    Settings: [{ minutes_under_way: 5, portion_size: PORTION }],
    'Choose the campaign': [chosen],
    'Next portion': [{ id: from }, { id: from + PORTION - 1 }],
    'What is asked': [{ reads: chosen, campaign: chosen, isDraft: true }],
    'Campaign of the unknown': [chosen],
    'What to do': [{ changed: DateTime.now().toISO() }],
  };
  const more = { nodes, $now: DateTime.now(), $execution: { id: '77' } };
  const step = (workflow: string, node: string, items: Row[] = [chosen]): Step => [
    workflow,
    node,
    items,
    more,
  ];
  return [
    step('campaign', 'Give up rows under way'),
    step('campaign', 'Rows under way'),
    step('campaign', 'Next portion'),
    step('campaign', 'Claim the portion'),
    step('outbox', 'Who opted out', portion),
    step('outbox', 'Take a place in the line', portion),
    step('outbox', 'Who stands before', portion),
    step('outbox', 'Settle the rows', ranges('accepted')),
    step('campaign', 'Settle the portion', ranges('accepted')),
    step('campaign', 'Is nothing left?'),
    step('campaign', 'Rows of the reports', ranges('')),
    step('campaign', 'Settle by reports', ranges('delivered')),
    ...['Counts, or changed rows', 'First row', 'Last row', 'Opt-outs'].map((name) =>
      step('campaign-page', name),
    ),
    step('campaign-page', 'Samples', [{ from: rows / 2 }]),
    step('campaign-buttons', 'Unknown rows'),
    step('campaign-buttons', 'Messages of the outbox', portion.slice(0, 100)),
    step('campaign-buttons', 'Settle or make pending', ranges('pending').slice(0, 1)),
  ];
}

/**
 * Prints how long each takes, and whether it reads a whole table. With PLANS in the environment, the plans too.
 *
 * @param rows of each table
 */
export async function explain(rows: number): Promise<void> {
  const database = await startTestDatabase();
  try {
    const made = deskNames().flatMap((name) => readOnPostgres(name).nodes);
    for (const { parameters } of made) {
      const query = String(parameters.query ?? '');
      if (query.includes('CREATE TABLE')) await database.run(query);
    }
    for (const each of filled(rows)) await database.run(each);
    for (const [workflow, node, items, more] of stepsOf(rows)) {
      const [text = ''] = statementsOf(workflow, node, items, more ?? {});
      const [statement = '', ...before] = text.split(';\n').reverse();
      const plan = await database.run(
        [...before.reverse(), `EXPLAIN (ANALYZE, TIMING OFF) ${statement}`].join(';\n'),
      );
      const time = /Execution Time: (\S+ ms)/.exec(plan)?.[1];
      const passed = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, each]) =>
        Number(each),
      );
      const readsAll = plan.includes('Seq Scan on sms_') || Math.max(0, ...passed) > rows / 10;
      console.log([workflow, node, time, ...(readsAll ? ['reads a whole table'] : [])].join(' · '));
      if (process.env.PLANS) console.log(plan);
    }
  } finally {
    await database.stop();
  }
}
