/** The SQL of records-postgres, on a real PostgreSQL. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { repository } from '../kit/n8n/paths';
import { HAS_POSTGRES, startTestDatabase, type TestDatabase } from '../kit/n8n/testDatabase';
import { PHONE, reply, report, useTemplate } from './run';

const CALLED = 'From another workflow';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** An hour of today or yesterday that is over. */
const HOUR = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS;

const iso = (ms: number) => new Date(ms).toISOString();

/** A time as PostgreSQL gives it. */
const shown = (ms: number) => iso(ms).replace('.000Z', '+00:00');

/** A report as the trigger hands it over. */
function reported(phone: string, batch_id: string, status: string, ms: number): IDataObject {
  const time = ms / 1000;
  return { event: 'deliveryReport', ...report(phone, status), batch_id, time, time_iso: iso(ms) };
}

const REPLIED: IDataObject = {
  ...{ event: 'reply', ...reply('1', 'TD'), phone_number: '1', batch_id: 'A' },
  time_iso: iso(HOUR + 60_000),
};

const RECORDS = [
  reported('1', 'A', 'DELIVRD', HOUR + 4_000),
  reported('2', 'A', 'DELIVRD', HOUR + 8_000),
  reported('3', 'A', 'UNDELIV', HOUR + 30_000),
  REPLIED,
  reported('4', 'B', 'DELIVRD', HOUR + HOUR_MS + 10_000),
  // Nobody has said how batch C was sent.
  reported('5', 'C', 'DELIVRD', HOUR - 8 * DAY_MS),
  // Without a status it is not delivered.
  { ...reported('6', 'C', '', HOUR - 8 * DAY_MS), status: null },
  { ...reported('7', 'D', 'DELIVRD', HOUR), sample: true },
  { event: 'unreadable', answer: '{"batch_id":' },
];

/** Items of a send node, with the two fields that its workflow adds. */
const SENDS = [
  { status: 'accepted', phone_number: '1', batch_id: 'A', template: 'code', sent_at: iso(HOUR) },
  { status: 'accepted', phone_number: '2', batch_id: 'A', template: 'code', sent_at: iso(HOUR) },
  { status: 'rejected', phone_number: '9', msg: 'no', template: 'code', sent_at: iso(HOUR) },
  {
    status: 'accepted',
    phone_numbers: ['4', '8'],
    parts: [{ status: 'accepted', phone_numbers: ['4'], batch_id: 'B' }, { status: 'rejected' }],
    template: 'notice',
    sent_at: iso(HOUR + HOUR_MS),
  },
];

const fileOf = (name: string) =>
  readFileSync(path.join(repository, 'examples/records-postgres', name), 'utf8');

/** The queries to paste, by their question. */
const QUERIES = fileOf('queries.sql')
  .split(/;\s*/)
  .filter(Boolean)
  .map((text) => {
    const lines = text.trim().split('\n');
    const query = lines.filter((line) => !line.startsWith('--')).join('\n');
    return { question: lines.filter((line) => line.startsWith('--')).at(-1) ?? '', query };
  });

interface Panel {
  title: string;
  targets: { rawSql: string }[];
}

const { panels: PANELS } = JSON.parse(fileOf('grafana.json')) as { panels: Panel[] };

/** Grafana writes the chosen time into a query. */
const withTimes = (sql: string) =>
  sql.replace(/\$__timeFilter\((\w+)\)/g, "$1 between now() - interval '30 days' and now()");

// Everything here runs its SQL.
const describeIfInstalled = HAS_POSTGRES ? describe : describe.skip;

describeIfInstalled('with PostgreSQL (on Debian or Ubuntu: apt-get install postgresql)', () => {
  const template = useTemplate('records-postgres', {});
  let database: TestDatabase;

  // A statement that fails is tried again, which would hide it.
  const failures: unknown[] = [];

  beforeAll(async () => {
    database = await startTestDatabase();
    template.n8n.database = async (sql) => {
      await database.run(sql).catch((error: unknown) => {
        failures.push(error);
        throw error;
      });
      return [];
    };
  });

  afterEach(() => {
    expect(failures.splice(0)).toEqual([]);
  });

  afterAll(() => database.stop());

  const store = async (...items: IDataObject[]) => {
    const { error } = await template.run(CALLED, ...items);
    expect(error).toBeUndefined();
  };

  const count = async (table: string) =>
    Number(await database.run(`select count(*) from ${table}`));

  describe('storing', () => {
    afterEach(() => database.empty());

    test('each record of the trigger becomes a row, with all of its fields', async () => {
      template.gateway.queueReports([report(PHONE)]);
      template.gateway.queueReplies([reply(PHONE, "好的, it's 'fine' \\")]);
      const ran = await template.poll('Reports and replies');
      expect(ran.map(({ error }) => error)).toEqual([undefined, undefined]);
      const time = '2026-01-01T00:00:00+00:00';
      const common = { batch_id: 'b-1', phone_number: PHONE, time };
      expect(await database.rows('select * from sms_records order by event')).toMatchObject([
        { event: 'deliveryReport', status: 'DELIVRD', ...common, record: report(PHONE) },
        { event: 'reply', status: null, ...common, record: { content: "好的, it's 'fine' \\" } },
      ]);
    });

    test('executions that find no tables at the same moment all go on, and what comes again is one row', async () => {
      const odd = [
        { event: 'unreadable', answer: '{"cut' },
        { event: 'unreadable', answer: { a: [1] } },
        { event: 'reply' },
        { ...REPLIED, content: ['1', '2'] },
        { event: 'deliveryReport', msgid: 7, state: 0 },
      ];
      const many = Array.from({ length: 400 }, (_, index) =>
        reported(`9${index}`, 'A', 'DELIVRD', HOUR),
      );
      const all = [...RECORDS, ...odd, ...many];
      await Promise.all(
        Array.from({ length: 8 }, (_, page) =>
          store(...all.map((each) => ({ ...each, page_id: page })), ...RECORDS),
        ),
      );
      expect(await count('sms_records')).toBe(all.length);
    });

    test('what PostgreSQL cannot store is left out, and a time that is none', async () => {
      const texts = {
        content: 'a\0\0b\ud83dc\ude00\\u0000😀\\',
        'na\0me': '\0',
        time_iso: 'yesterday',
      };
      await store({ ...REPLIED, ...texts }, { ...REPLIED, time_iso: '2026-13-01T00:00:00.000Z' });
      const query =
        "select content, time, record->'name' as name from sms_replies order by content";
      expect(await database.rows(query)).toEqual([
        { content: 'TD', time: null, name: null },
        { content: 'abc\\u0000😀\\', time: null, name: '' },
      ]);
    });

    test('the last query has a report without status, too', async () => {
      await store({ ...reported('1', 'A', '', HOUR), status: null });
      expect(await database.rows(QUERIES.at(-1)?.query ?? '')).toHaveLength(1);
    });

    test('a batch keeps the time of its first send; without a time, that at which it came', async () => {
      await store(...SENDS);
      await store({ status: 'accepted', batch_id: 'A', template: 'other' });
      const others = [undefined, 'yesterday', '2026-06-03T10:00:00', ''];
      await store(...others.map((sent_at, index) => ({ batch_id: `E${index}`, sent_at })));
      await store({ batch_id: 7, sent_at: iso(HOUR) });
      const query = `select batch_id, template, case when sent_at between now() - interval '1 hour'
        and now() then '"now"' else to_json(sent_at) end as sent_at from sms_sends order by 1`;
      expect(await database.rows(query)).toEqual([
        { batch_id: '7', template: null, sent_at: shown(HOUR) },
        { batch_id: 'A', template: 'code', sent_at: shown(HOUR) },
        { batch_id: 'B', template: 'notice', sent_at: shown(HOUR + HOUR_MS) },
        ...others.map((_, index) => ({ batch_id: `E${index}`, template: null, sent_at: 'now' })),
      ]);
      expect(await count('sms_records')).toBe(0);
    });

    test.each([
      ['a moment: nothing is lost, and the execution succeeds', 4, undefined],
      ['longer: the execution fails, so the page comes again', Infinity, 'connection refused'],
    ])('PostgreSQL is away for %s', async (_, refused, message) => {
      const { database: run } = template.n8n;
      let left = refused;
      template.n8n.database = (sql) =>
        left-- > 0 ? Promise.reject(new Error('connection refused')) : run(sql);
      const { error } = await template.run(CALLED, ...RECORDS);
      template.n8n.database = run;
      expect(error).toBe(message);
      if (!error) expect(await count('sms_records')).toBe(RECORDS.length);
    });
  });

  describe('with known records', () => {
    // A report may come before its send is known.
    beforeAll(async () => {
      await store(...RECORDS);
      await store(...SENDS);
    });

    const of = (reports: number, delivered: number) => ({
      ...{ reports, delivered, failed: reports - delivered },
    });
    const took = (p50_seconds: number | null, p95_seconds = p50_seconds) => ({
      ...{ p50_seconds, p95_seconds },
    });
    const [before, then, next] = [shown(HOUR - 8 * DAY_MS), shown(HOUR), shown(HOUR + HOUR_MS)];
    const week = (weeks_ago: number, reports: number, failed: number, more: object) => ({
      ...{ weeks_ago, reports, failed, failure_rate: failed / reports, ...more },
    });

    test.each<[string, object[]]>([
      [
        'sms_by_hour order by hour',
        [
          { hour: before, ...of(2, 1), replies: 0 },
          { hour: then, ...of(3, 2), replies: 1 },
          { hour: next, ...of(1, 1), replies: 0 },
        ],
      ],
      [
        'sms_by_template order by template',
        [
          { template: 'code', batches: 1, ...of(3, 2), ...took(6, 7.8) },
          { template: 'notice', batches: 1, ...of(1, 1), failure_rate: 0, ...took(10) },
          { template: null, batches: 1, ...of(2, 1), failure_rate: 0.5, ...took(null) },
        ],
      ],
      [
        'sms_failure_rate order by weeks_ago',
        [
          week(0, 4, 1, { rate_of_week_before: 0.5, change: -0.25 }),
          week(1, 2, 1, { rate_of_week_before: null, change: null }),
        ],
      ],
      [
        'sms_by_batch order by batch_id',
        [
          { batch_id: 'A', template: 'code', ...of(3, 2), last_time: shown(HOUR + 30_000) },
          { batch_id: 'B', template: 'notice', ...of(1, 1), failure_rate: 0 },
          { batch_id: 'C', template: null, ...of(2, 1), failure_rate: 0.5 },
        ],
      ],
      [
        'sms_delivery_time order by hour',
        [
          { hour: then, template: 'code', measured: 2, ...took(6, 7.8) },
          { hour: next, template: 'notice', measured: 1, ...took(10) },
        ],
      ],
      [
        'sms_replies',
        [{ phone_number: '1', content: 'TD', answers_to: REPLIED.sms_content, template: 'code' }],
      ],
    ])('%s', async (view, rows) => {
      expect(await database.rows(`select * from ${view}`)).toMatchObject(rows);
    });

    test('grafana.json: the figures of the last seven days', async () => {
      const queries = PANELS.slice(0, 2).map(({ targets }) => targets[0]?.rawSql ?? '');
      const figures = await Promise.all(queries.map((query) => database.rows(query)));
      expect(figures).toEqual([[{ failure_rate: 0.25 }], [{ change: -0.25 }]]);
    });

    test.each([
      ...QUERIES,
      ...PANELS.flatMap(({ title, targets }) =>
        targets.map(({ rawSql }) => ({ question: title, query: withTimes(rawSql) })),
      ),
    ])('$question', async ({ query }) => {
      expect(await database.rows(query)).not.toEqual([]);
    });
  });
});
