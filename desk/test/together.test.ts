/** One statement for all items does on a real PostgreSQL what statements for each item do. */
import fc from 'fast-check';

import {
  AS_GIVEN,
  get,
  insert,
  insertAll,
  makeTables,
  onPostgres,
  update,
  type Node,
} from '../src/parts';
import { statements as statementsOf } from '../../test/kit/desk/statements';
import { HAS_POSTGRES, startTestDatabase } from '../../test/kit/n8n/testDatabase';
import type { TestDatabase } from '../../test/kit/n8n/testDatabase';

type Row = Record<string, unknown>;

const RUNS = { numRuns: 25 };

const statements = (node: Node, items: Row[]) => statementsOf(onPostgres(node), items);

const some = (...values: (string | null)[]) => fc.constantFrom(...values);
const rowsInTable = fc.array(
  fc.record({
    phone_number: some('1', '2', "3'", '4\\'),
    key: some('a', 'b', '', null),
    status: some('claimed', 'accepted', 'refused', null),
    reason: some("it's", '$1 \\ 😀', '', null),
    sent_at: some('2026-06-03T04:00:00.123Z', null),
  }),
  { minLength: 1, maxLength: 20 },
);

const lookups = fc.array(
  fc.oneof(
    fc.record({
      ...{ phone_number: some('1', '2', "3'", '4\\', '5'), column: fc.constant('key') },
      ...{ condition: fc.constant('eq'), value: some('a', 'b', 'c') },
      ...{ match: fc.constant('anyCondition'), id: fc.integer({ min: 0, max: 25 }) },
    }),
    fc.record({
      ...{ phone_number: some('1', '2', "3'", '5'), column: fc.constant('id') },
      ...{ condition: fc.constant('gt'), value: fc.integer({ min: 0, max: 20 }) },
      ...{ match: fc.constant('allConditions'), id: fc.integer({ min: 0, max: 25 }) },
    }),
  ),
  { minLength: 1, maxLength: 8 },
);

/** Stretches of IDs that do not meet, each with what becomes of its rows. */
const stretches = fc
  .array(
    fc.record({ gap: fc.nat(3), length: fc.nat(4), status: some('accepted', 'unknown', '') }),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((all) => {
    let last = 0;
    return all.map(({ gap, length, status }) => {
      const from = last + gap + 1;
      last = from + length;
      return { from, to: last, status, reason: `it's ${from}` };
    });
  });

(HAS_POSTGRES ? describe : describe.skip)('on PostgreSQL', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await startTestDatabase();
    const [table] = makeTables({ Table: 'sms_outbox' });
    await database.run(statements(table as Node, [{}]).join(';\n'));
  });
  afterAll(() => database.stop());

  const EMPTY = 'TRUNCATE sms_outbox RESTART IDENTITY';
  const added = (rows: Row[]) => [EMPTY, ...statements(insertAll('Rows', 'sms_outbox'), rows)];
  /** A line of JSON with what a query finds. */
  const shown = (query: string) => `SELECT coalesce(jsonb_agg(q), '[]') FROM (${query}) AS q`;
  const TABLE = shown(
    'SELECT id, phone_number, key, status, reason, sent_at FROM sms_outbox ORDER BY id',
  );
  /** Runs all, and gives what was shown. */
  const play = async (...all: string[]) => {
    const lines = (await database.run(all.join(';\n'))).split('\n');
    return lines.filter((line) => line.startsWith('[')).map((line) => JSON.parse(line) as Row[]);
  };

  it('adds rows in their order', () =>
    fc.assert(
      fc.asyncProperty(rowsInTable, async (rows) => {
        const [together, each] = await play(
          ...[
            EMPTY,
            ...statements(insertAll('Rows', 'sms_outbox', { gives: ['id'] }), rows),
            TABLE,
          ],
          ...[EMPTY, ...statements(insert('Row', 'sms_outbox', AS_GIVEN), rows), TABLE],
        );
        expect(together).toEqual(each);
        expect(together).toHaveLength(rows.length);
      }),
      RUNS,
    ));

  it('finds each row once that an item asks for, but for what does not matter', () => {
    const look = (way: Parameters<typeof get<'sms_outbox'>>[3]) =>
      get(
        'Look',
        'sms_outbox',
        {
          phone_number: '={{ $json.phone_number }}',
          '={{ $json.column }} ={{ $json.condition }}': '={{ $json.value }}',
        },
        {
          ...{ match: '={{ $json.match }}', ...way },
          choices: ['key eq anyCondition', 'id gt allConditions'],
        },
      );
    const also = { 'id <': '={{ $json.id }}', 'status !=': 'refused' } as const;
    return fc.assert(
      fc.asyncProperty(rowsInTable, lookups, async (rows, items) => {
        const [query = ''] = statements(look({ together: true, gives: ['id'], also }), items);
        const [together, ...each] = await play(
          ...[...added(rows), shown(query.split(';\n').at(-1) ?? '')],
          ...statements(look({}), items).map(shown),
        );
        const found = each.flatMap((some, index) =>
          some.filter(
            ({ id, status }) => Number(id) < Number(items[index]?.id) && status !== 'refused',
          ),
        );
        const ids = [...new Set(found.map(({ id }) => Number(id)))].sort((x, y) => x - y);
        expect(together).toEqual(ids.map((id) => ({ id })));
      }),
      RUNS,
    );
  });

  it('changes the rows of each item that are as they must be', () => {
    const settle = (together: boolean) =>
      update(
        'Settle',
        'sms_outbox',
        { status: 'claimed', 'id >=': '={{ $json.from }}', 'id <=': '={{ $json.to }}' },
        { status: '={{ $json.status }}', reason: '={{ $json.reason }}', sent_at: null },
        { together },
      );
    return fc.assert(
      fc.asyncProperty(rowsInTable, stretches, async (rows, items) => {
        const [each, together] = await play(
          ...[...added(rows), ...statements(settle(false), items), TABLE],
          ...[...added(rows), ...statements(settle(true), items), TABLE],
        );
        expect(together).toEqual(each);
      }),
      RUNS,
    );
  });
});
