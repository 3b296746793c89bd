/** On a real PostgreSQL: one statement for all items does what statements for each item do, and claims may meet. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import campaign from '../src/campaign/workflow';
import questions from '../src/outbox/questions';
import outbox from '../src/outbox/workflow';
import { AS_GIVEN, count, get, insert, insertAll, update, type Node } from '../src/parts';
import { MAKE_SCHEMA, statements as statementsOf } from '../../test/kit/desk/statements';
import { HAS_POSTGRES, startTestDatabase } from '../../test/kit/n8n/testDatabase';
import { items, runCode } from '../../test/kit/workflows/codeNode';
import type { TestDatabase } from '../../test/kit/n8n/testDatabase';
import type { Sight } from '../../test/kit/workflows/expression';

type Row = Record<string, unknown>;

const RUNS = { numRuns: 10 };

const statements = (node: Node, items: Row[], around?: Sight) =>
  statementsOf(node.config, items, around);

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
  fc.record({
    ...{ from: fc.integer({ min: 0, max: 20 }), to: fc.integer({ min: 0, max: 25 }) },
    asked: fc.oneof(
      fc.record({ column: fc.constant('phone_number'), value: some('1', '2', "3'", '4\\', '5') }),
      fc.record({ column: fc.constant('key'), value: some('a', 'b', 'c') }),
    ),
  }),
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
    await database.run(MAKE_SCHEMA);
  });
  afterAll(() => database.stop());

  const EMPTY = 'TRUNCATE sms.outbox RESTART IDENTITY';
  const added = (rows: Row[]) => [EMPTY, ...statements(insertAll('Rows', 'sms.outbox'), rows)];
  /** A line of JSON with what a query finds. */
  const shown = (query: string) => `SELECT coalesce(jsonb_agg(q), '[]') FROM (${query}) AS q`;
  const TABLE = shown(
    'SELECT id, phone_number, key, status, reason, sent_at FROM sms.outbox ORDER BY id',
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
            ...statements(insertAll('Rows', 'sms.outbox', { gives: ['id'] }), rows),
            TABLE,
          ],
          ...[EMPTY, ...statements(insert('Row', 'sms.outbox', AS_GIVEN), rows), TABLE],
        );
        expect(together).toEqual(each);
        expect(together).toHaveLength(rows.length);
      }),
      RUNS,
    ));

  it('finds each row once that an item asks for, but for what does not matter', () => {
    const look = (way: Parameters<typeof get<'sms.outbox'>>[3]) =>
      get(
        'Look',
        'sms.outbox',
        { '={{ $json.asked.column }}': '={{ $json.asked.value }}' },
        { ...way, choices: ['phone_number', 'key'] },
      );
    const also = {
      ...{ 'id >': '={{ $json.from }}', 'id <': '={{ $json.to }}' },
      'status !=': 'refused',
    } as const;
    return fc.assert(
      fc.asyncProperty(rowsInTable, lookups, async (rows, items) => {
        const [query = ''] = statements(look({ together: true, gives: ['id'], also }), items);
        const [together, ...each] = await play(
          ...[...added(rows), shown(query.split(';\n').at(-1) ?? '')],
          ...statements(look({}), items).map(shown),
        );
        const found = each.flatMap((some, index) =>
          some.filter(
            ({ id, status }) =>
              Number(id) > Number(items[index]?.from) &&
              Number(id) < Number(items[index]?.to) &&
              status !== 'refused',
          ),
        );
        const ids = [...new Set(found.map(({ id }) => Number(id)))].sort((x, y) => x - y);
        expect(together).toEqual(ids.map((id) => ({ id })));
      }),
      RUNS,
    );
  });

  it('counts the rows below one, and names the others', () => {
    const sent = count('Sent', 'sms.outbox', { 'status !=': 'refused' }, 5);
    return fc.assert(
      fc.asyncProperty(rowsInTable, async (rows) => {
        const [found] = await play(...added(rows), shown(statements(sent, [{}])[0] ?? ''));
        const ids = rows.flatMap(({ status }, index) => (status === 'refused' ? [] : index + 1));
        const others = ids.filter((id) => id >= 5);
        const count = ids.length - others.length;
        expect(found).toEqual([{ count, ids: others.length > 0 ? others : null }]);
      }),
      RUNS,
    );
  });

  it('finds who stands before in the outbox', async () => {
    const rows = [
      { phone_number: '1', status: 'accepted', sent_at: '2026-06-03T04:00:00Z' },
      { phone_number: '1', status: 'accepted', sent_at: '2026-05-03T04:00:00Z' },
      { phone_number: '2', status: 'accepted', key: 'k', sent_at: '2026-05-03T04:00:00Z' },
      { phone_number: '2', status: 'refused', key: 'k', sent_at: '2026-06-03T04:00:00Z' },
    ];
    const own = [
      { id: 5, phone_number: '1', class: 'code', key: 'k', run: '9:0' },
      { id: 6, phone_number: '3', class: 'code', key: '', run: '9:1' },
    ];
    const nodes = {
      ...{ Rules: [], 'Counted days ago': items({}), 'Take a place in the line': items(...own) },
    };
    const $now = DateTime.fromISO('2026-06-03T12:00:00+08:00') as DateTime<true>;
    const asked = runCode<Row>(questions, [], { nodes, $now }).map(({ json }) => ({ ...json }));
    const look = outbox.nodes.find(({ name }) => name === 'Who stands before') as Node;
    const [query = ''] = statements(look, asked);
    const [found] = await play(...added(rows), shown(query.split(';\n').at(-1) ?? ''));
    // A refused one does not stand before, as the verdicts know.
    expect(found?.map(({ id }) => id)).toEqual([1, 3, 4]);
  });

  it('changes the rows of each item that are as they must be', () => {
    const settle = (together: boolean) =>
      update(
        'Settle',
        'sms.outbox',
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

  describe('portions claimed at the same moment', () => {
    const now = DateTime.now();
    let portions = 0;

    /** A change takes time: what it has seen before may be different by then. */
    beforeAll(() =>
      database.run(`CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN NULL; END';
CREATE TRIGGER slow BEFORE UPDATE ON sms.recipients EXECUTE FUNCTION take_time()`),
    );

    const claimThePortion = (portions_at_once: number, portion_size: number, campaign = 'Spring') =>
      statementsOf('Claim the portion', [{ id: 1 }], {
        nodes: {
          Settings: [{ portions_at_once, portion_size }],
          'Choose the campaign': [{ campaign, tries: 0 }],
        },
        ...{ $now: now, $execution: { id: `${(portions += 1)}` } },
      });
    const statementsOf = (name: string, items: Row[], around: Sight) => {
      const node = campaign.nodes.find((each) => each.name === name);
      return statements(node as Node, items, around).join(';\n');
    };
    const rows = (
      count: number,
      status: string,
      { portion = '', name = 'Spring', minutes = 9 } = {},
    ) =>
      count > 0
        ? `INSERT INTO sms.recipients (campaign, phone_number, status, portion, changed) SELECT '${name}', gen_random_uuid(), '${status}', '${portion}', now() - interval '${minutes} minutes' FROM generate_series(1, ${count}) AS i`
        : 'SELECT';
    /** What an execution has claimed. */
    const claim = async (statement: string) => {
      const lines = (await database.run(statement)).split('\n').filter((line) => line !== '');
      return lines.map((line) => Number(line.split('|')[0]));
    };
    const underWay = async () => {
      const nodes = { Settings: [{ portions_at_once: 9, portion_size: 1 }] };
      const found = await database.run(statementsOf('Rows under way', [{}], { nodes }));
      return found === '' ? 0 : found.split('\n').length;
    };
    /** Waits until a transaction has a lock on the table. */
    const locked = async (mode: string) => {
      const query = `SELECT FROM pg_locks WHERE relation = 'sms.recipients'::regclass AND mode = '${mode}' AND granted`;
      while ((await database.rows(query)).length === 0);
    };
    /** Holds all up until so many wait: they go on in the same moment. */
    const gate = async (waiting: number) => {
      const opens =
        database.run(`DO $$ BEGIN LOCK TABLE sms.recipients IN EXCLUSIVE MODE; FOR i IN 1..500 LOOP
EXIT WHEN (SELECT count(*) FROM pg_locks WHERE NOT granted) >= ${waiting}; PERFORM pg_sleep(0.02); END LOOP; END $$`);
      await locked('ExclusiveLock');
      return { opens };
    };
    const sizes = (most: number, maxLength: number) =>
      fc.array(fc.integer({ min: 1, max: most }), { maxLength });

    it('each row goes to one execution, and no more are under way than may be', () =>
      fc.assert(
        fc.asyncProperty(
          ...[
            fc.integer({ min: 1, max: 4 }),
            sizes(3, 3),
            fc.nat(30),
            fc.integer({ min: 1, max: 6 }),
          ],
          ...[fc.integer({ min: 2, max: 6 }), fc.boolean()],
          async (most, before, pending, size, claims, settles) => {
            const old = before.map((count, index) =>
              rows(count, 'sending', { portion: `old ${index}` }),
            );
            await database.run(
              [
                ...['TRUNCATE sms.recipients RESTART IDENTITY', ...old, rows(2, 'accepted')],
                ...[rows(2, 'pending', { minutes: 0 }), rows(3, 'pending', { name: 'Other' })],
                rows(pending, 'pending'),
              ].join(';\n'),
            );
            const first = before.reduce((sum, count) => sum + count, 8);
            const settle = `UPDATE sms.recipients SET status = 'accepted' WHERE portion LIKE 'old%'`;
            const { opens } = await gate(claims + Number(settles));
            const [, , ...claimed] = await Promise.all([
              opens,
              settles ? database.run(settle) : [],
              ...Array.from({ length: claims }, () => claim(claimThePortion(most, size))),
            ]);
            expect(await underWay()).toBeLessThanOrEqual(
              Math.max(most, settles ? 0 : before.length),
            );
            const got = claimed.filter(({ length }) => length > 0);
            const room = (left: number) => Math.max(0, most - left);
            const wanted = Math.min(claims, Math.ceil(pending / size));
            expect(got.length).toBeGreaterThanOrEqual(Math.min(wanted, room(before.length)));
            expect(got.length).toBeLessThanOrEqual(
              Math.min(wanted, room(settles ? 0 : before.length)),
            );
            // The first rows, and each portion is full, but for the last one.
            const all = got.flat().sort((a, b) => a - b);
            const count = Math.min(got.length * size, pending);
            expect(all).toEqual(Array.from({ length: count }, (_, index) => first + index));
            expect(got.filter(({ length }) => length > size)).toEqual([]);
          },
        ),
        { numRuns: 5 },
      ));

    it('a row that is just being changed is left out, and nobody waits for it', async () => {
      await database.run(`TRUNCATE sms.recipients RESTART IDENTITY; ${rows(4, 'pending')}`);
      const slow = database.run(
        `UPDATE sms.recipients SET parameters = '' WHERE id = 2; SELECT pg_sleep(3)`,
      );
      await locked('RowExclusiveLock');
      expect(await claim(claimThePortion(1, 2))).toEqual([1, 3]);
      await slow;
    });
  });
});
