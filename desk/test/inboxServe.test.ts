/** What the inbox hands over to a subscriber, and that it skips no row. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { VERSION } from '../src/declared';
import { database } from './database';
import { onPostgres } from '../kit/onPostgres';
import { runDesk, type Row, type World } from './workflow';

const START = DateTime.fromISO('2026-07-01T12:00:00Z');
const at = (seconds: number) => START.plus({ seconds });

/** A subscriber that is free, and has just subscribed. */
const subscriber = (values: Row): Row => ({
  ...{ id: 1, workflow_id: 'sms-campaign', wants: 'all', reason: '' },
  ...{ free_at: at(0).toISO(), createdAt: at(0).toISO(), updatedAt: at(0).toISO() },
  ...values,
});

/** What is handed over to the subscriber. `fails`: why its execution does. */
function serve(tables: World['tables'], seconds: number, fails?: string): number[] {
  const given = { 'Hand over': [fails === undefined ? {} : { error: fails }] };
  const [input = {}] = tables['sms.subscribers'] ?? [];
  const world = { tables, given, now: at(seconds) };
  const nodes = runDesk('inbox-serve', 'Called by the inbox or itself', input, world);
  return (nodes['One item per row'] ?? []).map(({ id }) => Number(id));
}

const row = (id: number, seconds: number, event = 'reply') => ({
  ...{ id, event, createdAt: at(seconds).toISO() },
});

describe('a subscriber', () => {
  const table = [row(1, 1), row(2, 2, 'deliveryReport'), row(3, 3), row(4, 4, 'unreadable')];

  test.each<[string, number | null, Row[], number[], number]>([
    ['reply', 1, table, [3], 4],
    ['deliveryReport', 0, table, [2], 4],
    // What nobody wants moves the cursor on.
    ['deliveryReport', 2, table, [], 4],
    // A new one begins with what came after it.
    ['all', null, [row(7, -1), row(8, 0)], [8], 8],
    ['all', null, [row(7, -1)], [], 7],
    ['all', null, [], [], 0],
    // The upkeep has deleted rows; the table was made anew.
    ['all', 10, [row(500, 0)], [500], 500],
    ['all', 500, [row(1, 0), row(2, 1)], [1, 2], 2],
  ])(
    'that wants %s gets what is behind %p of %j: %j, up to %d',
    (wants, read_to, inbox, ...end) => {
      const own = subscriber({ wants, read_to });
      const rows = serve({ 'sms.inbox': inbox, 'sms.subscribers': [own] }, 600);
      expect([rows, own.read_to]).toEqual(end);
    },
  );

  test('that fails is free at once, says why and since its first try, and gets the same rows again', () => {
    const own = subscriber({ read_to: 1 });
    const tables = { 'sms.inbox': table, 'sms.subscribers': [own] };
    for (const seconds of [60, 120]) {
      expect(serve(tables, seconds, 'Out of order')).toEqual([2, 3, 4]);
      const now = at(seconds).toISO();
      expect(own).toMatchObject({ reason: 'Out of order', free_at: now, read_to: 1 });
      expect(own.since).toBe(at(60).toISO());
    }
    serve(tables, 180);
    expect(own).toMatchObject({ reason: '', since: null, read_to: 4 });
  });
});

describe('a claim', () => {
  const ask = (seconds: number, query: string) => {
    database().run(`SET test.now = '${at(seconds).toISO()}'`);
    return database().rows(query);
  };
  const claim = (seconds: number) =>
    ask(seconds, `SELECT * FROM sms.inbox_claim(${VERSION}, 1)`)[0];
  const end = (seconds: number, { free_at }: Row, failure = 'null') =>
    ask(seconds, `SELECT sms.inbox_served(${VERSION}, 1, '${String(free_at)}', 9, ${failure})`);

  beforeEach(() =>
    database().fill({ 'sms.subscribers': [subscriber({ read_to: 0 })] }, String(at(0).toISO())),
  );

  /** The minutes of a day at which one is had, if those of some minutes end. */
  const minutesOf = (ends: (minute: number) => boolean) =>
    Array.from({ length: 24 * 60 }, (_, minute) => minute).filter((minute) => {
      const own = claim(minute * 60);
      if (own && ends(minute)) end(minute * 60 + 30, own, "'Out of order'");
      return own;
    });

  test('that never ends is longer each time: no heap of executions', () => {
    expect(minutesOf(() => false)).toEqual([0, 10, 30, 70, 150, 310, 630, 1270]);
  });

  test('that ends is had every minute again, and is as long as at first', () => {
    const fails = (minute: number) => minute >= 300 && minute < 360;
    const minutes = minutesOf(fails);
    expect(minutes.filter((minute) => minute < 310)).toEqual([0, 10, 30, 70, 150]);
    expect(minutes.filter(fails)).toHaveLength(50);
    expect(minutes.filter((minute) => minute >= 360)).toEqual([360, 370, 390, 430, 510, 670, 990]);
  });

  test('that has run out is another’s: only who holds it writes', () => {
    const first = claim(0) ?? {};
    expect(claim(599)).toBeUndefined();
    const second = claim(600) ?? {};
    const read = () => ask(700, 'SELECT read_to, reason FROM sms.subscribers')[0];
    end(601, first);
    end(602, first, "'Late'");
    expect(read()).toEqual({ read_to: 0, reason: '' });
    end(603, second);
    expect(read()).toEqual({ read_to: 9, reason: '' });
  });
});

test.each(['all', 'reply'])(
  'no row is lost or skipped, and none comes again after a success (%s)',
  (wants) => {
    const step = fc.record({
      seconds: fc.nat({ max: 40 }),
      stores: fc.array(fc.constantFrom('reply', 'deliveryReport'), { maxLength: 4 }),
      many: fc.constantFrom(0, 0, 0, 1200),
      serves: fc.constantFrom('', 'fails', 'succeeds'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.nat(100), (steps, before) => {
        const inbox: Row[] = [];
        const own = subscriber({ wants, read_to: null, createdAt: at(before).toISO() });
        const tables = { 'sms.inbox': inbox, 'sms.subscribers': [own] };
        const confirmed: number[] = [];
        let now = 0;
        for (const { seconds, stores, many, serves } of steps) {
          now += seconds;
          for (const event of [...stores, ...Array<string>(many).fill('reply')])
            inbox.push(row(inbox.length + 1, now, event));
          if (!serves || now < before) continue;
          const rows = serve(tables, (now += 1), serves === 'fails' ? 'Out of order' : undefined);
          if (serves === 'succeeds') confirmed.push(...rows);
        }
        now = Math.max(now, before) + 1;
        for (let read_to: unknown = -1; own.read_to !== read_to; now += 1) {
          ({ read_to } = own);
          confirmed.push(...serve(tables, now));
        }
        const wanted = inbox
          .filter(({ createdAt }) => Date.parse(String(createdAt)) >= at(before).toMillis())
          .filter(({ event }) => wants === 'all' || event === wants);
        expect(confirmed).toEqual(wanted.map(({ id }) => id));
      }),
      { numRuns: 20 },
    );
  },
);

onPostgres('on PostgreSQL', (server) => {
  it('whoever sees a row sees all with a lower ID, however long a page takes', async () => {
    const page = (run: string) =>
      JSON.stringify(Array.from({ length: 3 }, () => ({ event: 'reply', run })));
    const store = (run: string, then = '') =>
      server.run(`BEGIN; SELECT sms.inbox_store(${VERSION}, '${page(run)}'); ${then} COMMIT`);
    const slow = store('slow', 'SELECT pg_sleep(1);');
    const taken = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted";
    while ((await server.rows(taken)).length === 0);
    await store('fast');
    const [seen] = await server.rows(
      'SELECT array_agg(run ORDER BY id)::text AS runs FROM sms.inbox',
    );
    await slow;
    expect(seen?.runs).toBe('{slow,slow,slow,fast,fast,fast}');
  });
});
