/** The views that boards read, and the board. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';

import { VERSION } from '../src/declared';
import { STATES } from '../src/common/messages/states';
import { MAKE_SCHEMA } from '../kit/statements';
import { server } from './database';
import { settings } from '../../test/kit/search/settings';

/** A column that goes, or is renamed, breaks boards that we do not know. */
const VIEWS = {
  messages:
    'id, sent_at, class, state, reason_code, template, signature, batch_id, source, last_four, report, reported_at, seconds, segments',
  replies: 'id, received_at, last_four, says, batch_id',
  opt_outs: 'id, last_four, listed_at, since, by_reply',
  campaigns:
    'id, campaign, state, template, created_at, people, pending, sent, delivered, failed, not_sent, opted_out',
};

interface Panel {
  title: string;
  targets: { rawSql: string }[];
}

const FILE = path.join(__dirname, '../grafana.json');
const { panels: PANELS } = JSON.parse(readFileSync(FILE, 'utf8')) as { panels: Panel[] };

/** Grafana writes the chosen time into a query. */
const withTimes = (sql: string) =>
  sql.replace(/\$__timeFilter\((\w+)\)/g, "$1 between now() - interval '30 days' and now()");

/** Messages, reports, a reply, opt-outs and two campaigns. */
const ROWS = `
INSERT INTO sms.outbox (phone_number, class, status, reason_code, batch_id, template, text, parameters, key, reference, phone_data, sent_at) VALUES
  ('13600000001', 'notice', 'accepted', NULL, 'A', '7', 'A secret', '{"name":"A secret"}', 'A secret', 'A secret', 'A secret', now() - interval '2 hours'),
  ('13600000002', 'notice', 'accepted', NULL, 'A', '7', 'A secret', '', '', '', '', now() - interval '2 hours'),
  ('13600000003', 'marketing', 'refused', 'opted_out', '', '7', '', '', '', '', '', now() - interval '1 hour'),
  ('13600000004', 'code', 'unknown', NULL, '', '8', '', '', '', '', '', now() - interval '1 hour');
INSERT INTO sms.inbox (event, phone_number, status, status_desc, batch_id, split_count, time, content, says) VALUES
  ('deliveryReport', '13600000001', 'DELIVRD', '', 'A', 2, now() - interval '119 minutes', NULL, NULL),
  ('deliveryReport', '13600000002', 'UNDELIV', '', 'A', 1, now() - interval '118 minutes', NULL, NULL),
  ('reply', '13600000001', NULL, NULL, 'A', NULL, now() - interval '30 minutes', 'A secret', 'stop');
INSERT INTO sms.opt_outs (phone_number, word, since) VALUES ('13600000001', 'A secret', '2026-06-03T12:00:00.000Z'), ('85291234567', '', '');
INSERT INTO sms.campaigns (campaign, state, template) VALUES ('Spring', 'running', '7'), ('Empty', 'draft', '7');
INSERT INTO sms.recipients (campaign, phone_number, parameters, status, reason_code, sent_at, batch_id) VALUES
  ('Spring', '13600000001', 'A secret', 'pending', NULL, NULL, ''), ('Spring', 'x', '', 'invalid', NULL, NULL, ''),
  ('Spring', '13600000002', '', 'accepted', NULL, now(), 'A'), ('Spring', '13600000003', '', 'failed', NULL, now(), 'A'),
  ('Spring', '13600000004', '', 'refused', 'opted_out', NULL, ''), ('Spring', '13600000005', '', 'rejected', NULL, NULL, '');`;

beforeAll(async () => {
  // Run again, it keeps what is there.
  await server().run(MAKE_SCHEMA + ROWS);
  await server().run('CREATE ROLE board; GRANT USAGE ON SCHEMA sms TO board');
  for (const name of Object.keys(VIEWS))
    await server().run(`GRANT SELECT ON sms.public_${name} TO board`);
});

test.each(Object.entries(VIEWS))(
  'sms.public_%s has its columns, and no text and no whole number',
  async (name, columns) => {
    const query = `SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) AS columns
FROM information_schema.columns WHERE table_schema = 'sms' AND table_name = 'public_${name}'`;
    const [{ columns: found } = {}] = await server().rows(query);
    expect(String(found)).toBe(columns);
    const rows = JSON.stringify(await server().rows(`SELECT * FROM sms.public_${name}`));
    expect(rows).not.toMatch(/A secret|13600000|8529123/);
  },
);

test('the figures', async () => {
  const messages =
    'SELECT state, last_four, round(seconds) AS seconds, segments FROM sms.public_messages ORDER BY id';
  expect(await server().rows(messages)).toEqual([
    { state: 'delivered', last_four: '0001', seconds: 60, segments: 2 },
    { state: 'failed', last_four: '0002', seconds: 120, segments: 1 },
    { state: 'opted_out', last_four: '0003', seconds: null, segments: null },
    { state: 'unknown', last_four: '0004', seconds: null, segments: null },
  ]);
  expect(await server().rows('SELECT * FROM sms.public_opt_outs ORDER BY id')).toMatchObject([
    { last_four: '0001', since: '2026-06-03T12:00:00+00:00', by_reply: true },
    { last_four: '4567', since: null, by_reply: false },
  ]);
});

test.each(PANELS)('grafana.json: $title', async ({ targets }) => {
  for (const { rawSql } of targets) {
    expect(await server().rows(withTimes(rawSql))).not.toEqual([]);
    // Whoever may read the views needs nothing else.
    await server().run(`SET ROLE board; ${withTimes(rawSql)}`);
  }
});

test('of whatever recipients, boards read the figures of the page, which are those of its rows', () => {
  const recipient = fc.record({
    status: fc.constantFrom('claimed', ...Object.keys(STATES)),
    reason_code: fc.constantFrom('hours', 'opted_out', 'key_used', undefined),
    minutes: fc.constantFrom(1, 300, undefined),
  });
  return fc.assert(
    fc.asyncProperty(fc.array(recipient, { maxLength: 30 }), async (recipients) => {
      const rows = JSON.stringify(recipients);
      await server().run(`DELETE FROM sms.recipients WHERE campaign = 'Empty';
INSERT INTO sms.recipients (campaign, phone_number, parameters, status, reason_code, sent_at)
SELECT 'Empty', gen_random_uuid(), '', status, reason_code, now() - make_interval(mins => minutes)
FROM json_to_recordset('${rows}') AS r(status text, reason_code text, minutes integer)`);
      const page = `SELECT campaign FROM sms.campaign_page(${VERSION}, 2, 'UTC')`;
      type Figures = Record<'people' | 'pending' | 'sent' | 'failed' | 'opted_out', number>;
      type Shown = Figures & { cells: { state: keyof typeof STATES; rows: number }[] };
      const [shown] = await server().rows<{ campaign: Shown }>(page);
      const { cells = [], ...figures } = shown?.campaign ?? ({} as Shown);
      const { people, pending, sent, failed, opted_out } = figures;
      const count = (is: (state: keyof typeof STATES) => boolean) =>
        cells.reduce((sum, { state, rows }) => sum + (is(state) ? rows : 0), 0);
      expect(count(() => true)).toBe(recipients.length);
      expect({ people, pending, sent, failed, opted_out }).toEqual({
        people: count((state) => !['invalid', 'duplicate'].includes(state)),
        pending: count((state) => state === 'pending'),
        sent: count((state) => STATES[state].isSent),
        failed: count((state) => state === 'failed'),
        opted_out: count((state) => state === 'opted_out'),
      });
      const query = "SELECT * FROM sms.public_campaigns WHERE campaign = 'Empty'";
      expect(await server().rows(query)).toMatchObject([{ people, pending, sent, failed }]);
    }),
    settings(30),
  );
});

test('who may read the views only reads nothing else', async () => {
  await expect(server().run('SET ROLE board; SELECT FROM sms.outbox')).rejects.toThrow('denied');
});
