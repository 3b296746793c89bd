/** What the inbox hands over to a subscriber, and that it skips no row. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { VERSION } from '../src/declared';
import { database, server } from './database';
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
async function serve(tables: World['tables'], seconds: number, fails?: string): Promise<number[]> {
  const given = { 'Hand over': [fails === undefined ? {} : { error: fails }] };
  const [input = {}] = tables['sms.subscribers'] ?? [];
  const world = { tables, given, now: at(seconds) };
  const nodes = await runDesk('inbox-serve', 'Called by the inbox or itself', input, world);
  return (nodes['One item per row'] ?? []).map(({ id }) => Number(id));
}

const row = (id: number, seconds: number, event = 'reply') => ({
  ...{ id, event, createdAt: at(seconds).toISO() },
});

test('a subscriber that fails is free at once, says why and since its first try, and gets the same rows again', async () => {
  const own = subscriber({ wants: 'reply', read_to: 0 });
  const inbox = [row(1, 1), row(2, 2, 'deliveryReport'), row(3, 3, 'unreadable')];
  const tables = { 'sms.inbox': inbox, 'sms.subscribers': [own] };
  for (const seconds of [60, 120]) {
    expect(await serve(tables, seconds, 'Out of order')).toEqual([1]);
    const free_at = at(seconds).toISO();
    const since = at(60).toISO();
    expect(own).toMatchObject({ reason: 'Out of order', free_at, since, read_to: 0 });
  }
  await serve(tables, 180);
  // What nobody wants moves the cursor on.
  expect(own).toMatchObject({ reason: '', since: null, read_to: 3 });
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

  test('is for a day: who takes long, or hangs, gets nothing again beside it; who ends is free', () => {
    const hours = Array.from({ length: 50 }, (_, hour) => hour).filter((hour) => {
      const own = claim(hour * 3600);
      if (own && hour === 24) end(hour * 3600 + 30, own, "'Out of order'");
      return own;
    });
    expect(hours).toEqual([0, 24, 25, 49]);
    // It takes an answer once, and nobody waits for a day for it.
    const askAndWait = subscriber({ workflow_id: 'sms-ask-and-wait' });
    database().fill({ 'sms.subscribers': [askAndWait] }, String(at(0).toISO()));
    expect([0, 599, 600].filter(claim)).toEqual([0, 600]);
  });

  test('that has run out is another’s: only who holds it writes', () => {
    const first = claim(0) ?? {};
    const second = claim(86_400) ?? {};
    const read = () => ask(86_500, 'SELECT read_to, reason FROM sms.subscribers')[0];
    end(86_401, first);
    end(86_402, first, "'Late'");
    expect(read()).toEqual({ read_to: 0, reason: '' });
    end(86_403, second);
    expect(read()).toEqual({ read_to: 9, reason: '' });
  });
});

test('no row is lost or skipped, and none comes again after a success', async () => {
  const step = fc.record({
    seconds: fc.nat({ max: 40 }),
    // The upkeep has deleted rows.
    gone: fc.constantFrom(0, 0, 500),
    stores: fc.array(fc.constantFrom('reply', 'deliveryReport'), { maxLength: 4 }),
    many: fc.constantFrom(0, 0, 0, 1200, 0),
    serves: fc.constantFrom('', 'fails', 'succeeds'),
    // A person is deleted: the last row that was taken goes.
    deletes: fc.constantFrom(0, 0, 1),
  });
  const steps = fc.array(step, { maxLength: 12 });
  const input = [fc.constantFrom('all', 'reply'), steps, fc.nat(100)] as const;
  await fc.assert(
    fc.asyncProperty(...input, async (wants, all, before) => {
      const inbox: Row[] = [];
      const stored: Row[] = [];
      const own = subscriber({ wants, read_to: null, createdAt: at(before).toISO() });
      const tables = { 'sms.inbox': inbox, 'sms.subscribers': [own] };
      const confirmed: number[] = [];
      let [now, last] = [0, 0];
      for (const { seconds, gone, stores, many, serves, deletes } of all) {
        now += seconds;
        last += gone;
        const events = [...stores, ...Array<string>(many).fill('reply')];
        const rows = events.map((each) => row((last += 1), now, each));
        inbox.push(...rows);
        stored.push(...rows);
        if (!serves || now < before) continue;
        const why = serves === 'fails' ? 'Out of order' : undefined;
        const taken = await serve(tables, (now += 1), why);
        if (serves === 'succeeds') confirmed.push(...taken);
        const lastTaken = inbox.findLastIndex(({ id }) => Number(id) <= Number(own.read_to));
        if (serves === 'succeeds' && lastTaken >= 0) inbox.splice(lastTaken, deletes);
      }
      now = Math.max(now, before) + 1;
      for (let read_to: unknown = -1; own.read_to !== read_to; now += 1) {
        ({ read_to } = own);
        confirmed.push(...(await serve(tables, now)));
      }
      const wanted = stored
        .filter(({ createdAt }) => Date.parse(String(createdAt)) >= at(before).toMillis())
        .filter(({ event: its }) => wants === 'all' || its === wants);
      expect(confirmed).toEqual(wanted.map(({ id }) => id));
    }),
    { numRuns: 30 },
  );
});

test('whoever sees a row sees all with a lower ID, however long a page takes', async () => {
  const page = (run: string) =>
    JSON.stringify(Array.from({ length: 3 }, () => ({ event: 'reply', run })));
  await server().run('TRUNCATE sms.inbox');
  const store = (run: string, then = '') =>
    server().run(`BEGIN; SELECT sms.inbox_store(${VERSION}, '${page(run)}'); ${then} COMMIT`);
  const slow = store('slow', 'SELECT pg_sleep(1);');
  const taken = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted";
  while ((await server().rows(taken)).length === 0);
  await store('fast');
  const [seen] = await server().rows(
    'SELECT array_agg(run ORDER BY id)::text AS runs FROM sms.inbox',
  );
  await slow;
  expect(seen?.runs).toBe('{slow,slow,slow,fast,fast,fast}');
});
