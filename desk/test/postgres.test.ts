/** What each node of a table is: a statement. */
import { get, insert, update, type Node } from '../src/parts';
import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';
import { evaluate, type Sight } from '../../test/kit/workflows/expression';

const POSTGRES = 'n8n-nodes-base.postgres';

interface Running {
  query: string;
  options: { queryReplacement?: string };
}

const running = (node: Node) => node.config?.parameters as unknown as Running;

const whereOf = (where: Parameters<typeof get<'sms.outbox'>>[2]) =>
  /WHERE (.*) ORDER/.exec(running(get('Rows', 'sms.outbox', where)).query)?.[1];

const valuesOf = ({ options }: Running, seen: Sight) =>
  evaluate(options.queryReplacement ?? '', seen);

describe.each(deskNames())('%s', (name) => {
  it('ends each expression where n8n does, and runs once where a statement takes all items', () => {
    for (const node of readDesk(name).nodes.filter(({ type }) => type === POSTGRES)) {
      const { query, options } = node.parameters as unknown as Running;
      for (const each of [query, options.queryReplacement ?? '']) {
        if (each.startsWith('=')) expect(each.slice(3, -2)).not.toMatch(/\{\{|\}\}/);
      }
      if (options.queryReplacement?.includes('.map(($json) =>'))
        expect(node.executeOnce).toBe(true);
    }
  });
});

it('tries again to add rows only where rows that are there already do no harm: an answer may be lost', () => {
  const again = deskNames()
    .flatMap((name) => readDesk(name).nodes)
    .filter(({ retryOnFail }) => retryOnFail)
    .map(({ parameters }) => String(parameters.query))
    .filter((query) => !/DO UPDATE SET/.test(query));
  const tables = again.flatMap((query) => /INSERT INTO (sms\.\w+)/.exec(query)?.[1] ?? []);
  // What is remembered by a key has one row, or the same in two.
  expect([...new Set(tables)].sort()).toEqual(['sms.tokens']);
});

it('compares: null is a value, and a column has its type', () => {
  expect(whereOf({ key: 'a' })).toBe('("key" = $1::text OR ("key" IS NULL AND $1::text IS NULL))');
  expect(whereOf({ 'id >': 5 })).toBe(`"id" > NULLIF($1, '')::bigint`);
  expect(whereOf({ 'sent_at <=': '={{ $now }}' })).toBe('"sent_at" <= $1::timestamptz');
  expect(whereOf({ 'key filled': true })).toBe(`"key" <> ''`);
});

it('gives values as texts and rows as JSON that PostgreSQL takes', () => {
  const where = {
    key: '={{ $json.key }}',
    run: '=run {{ $json.run }} of {{ $json.none }}',
    reason: `it's "fixed", or not`,
    'sent_at <': '={{ $json.at }}',
    'id >': '={{ $json.number }}',
  };
  const at = new Date('2026-06-03T04:00:00.000Z');
  const $json = { key: 'a\0b', run: 7, at, number: NaN };
  expect(valuesOf(running(get('Rows', 'sms.outbox', where, { limit: 50 })), { $json })).toEqual([
    ...['ab', 'run 7 of ', `it's "fixed", or not`, at.toISOString(), null],
  ]);

  const row = { phone_number: '={{ $json.phone }}', reason: '={{ $json.none }}', status: 'x' };
  const inserted = running(insert('Row', 'sms.outbox', row));
  expect(valuesOf(inserted, { $json: { phone: '1\0\ud800' } })).toEqual([
    JSON.stringify({ phone_number: '1\ufffd', reason: null, status: 'x' }),
  ]);
  // Whoever adds a row waits for the one before.
  expect(inserted.query).toContain("pg_advisory_xact_lock(hashtext('SMS desk')");
  const updated = running(update('Row', 'sms.outbox', { id: 1 }, row));
  expect(updated.query).toContain('"updatedAt" = clock_timestamp()');
});
