/** What the inbox hands over to a subscriber, and that it skips no row. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { foundBy, writtenBy } from './database';
import { runDesk, type Row } from './workflow';

const START = DateTime.fromISO('2026-07-01T12:00:00Z');
const at = (seconds: number) => START.plus({ seconds });

/** What the nodes of inbox-serve hand over, and where the cursor is then. No page has more rows than the limit. */
function serve(subscriber: Row, inbox: Row[], now: DateTime, limit = 1000, succeeds = true) {
  const claimed = {
    ...{ id: 1, free_at: at(0).toJSON(), createdAt: at(0).toJSON(), updatedAt: at(0).toJSON() },
    ...subscriber,
  };
  const tables = { 'sms.inbox': inbox, 'sms.subscribers': [claimed as Row] };
  const given = {
    'Rows behind the cursor': ([$json]: Row[]) => {
      const sight = { $json: $json ?? {}, nodes: { Claim: [claimed] } };
      return foundBy('inbox-serve', 'Rows behind the cursor', inbox, sight).slice(0, limit);
    },
    'Hand over': [succeeds ? {} : { error: 'The workflow failed' }],
  };
  const input = { ...claimed, workflow_id: 'sms-campaign' };
  const world = { tables, given, now };
  const nodes = runDesk('inbox-serve', 'Called by the inbox or itself', input, world);
  const rows = (nodes['One item per row'] ?? []).map(({ id }) => Number(id));
  return { rows, read_to: tables['sms.subscribers'][0]?.read_to as number | null };
}

const row = (id: number, seconds: number, event = 'reply') => ({
  id,
  event,
  createdAt: at(seconds).toJSON() ?? '',
});

/** The minutes of a day at which a subscriber starts an execution. `end` is what is written in one, if one ends. */
function startsOf(end: (minute: number, $now: DateTime) => Row | undefined): number[] {
  let row: Row = { id: 1, since: null, free_at: at(0).toISO(), updatedAt: at(0).toISO() };
  const starts: number[] = [];
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    const $now = at(minute * 60);
    const write = (values: Row) => (row = { ...row, ...values, updatedAt: $now.toISO() });
    // Nobody is asked for what is claimed for minutes to come: that would be a thousand looks.
    const isNear = Date.parse(String(row.free_at)) <= $now.plus({ minutes: 1 }).toMillis();
    if (isNear && foundBy('inbox-serve', 'Free subscribers', [row], { $now }).length > 0) {
      starts.push(minute);
      write(writtenBy('inbox-serve', 'Claim', { $json: row, $now }));
    }
    const ended = end(minute, $now);
    if (ended) write(ended);
  }
  return starts;
}

describe('a subscriber', () => {
  test('gets the rows behind its cursor that it wants', () => {
    const table = [row(1, 1), row(2, 2, 'deliveryReport'), row(3, 3), row(4, 4, 'unreadable')];
    const given = (wants: string, read_to: number) => serve({ wants, read_to }, table, at(600));
    expect(given('all', 0)).toEqual({ rows: [1, 2, 3, 4], read_to: 4 });
    expect(given('reply', 1)).toEqual({ rows: [3], read_to: 3 });
    expect(given('deliveryReport', 0)).toEqual({ rows: [2], read_to: 2 });
    // What nobody wants moves the cursor on.
    expect(given('deliveryReport', 2)).toEqual({ rows: [], read_to: 4 });
    expect(given('all', 4)).toEqual({ rows: [], read_to: 4 });
  });

  test('fails since its first try, not since the last', () => {
    const claimed = [null, at(0).toISO()].map((since) =>
      writtenBy('inbox-serve', 'Claim', { $json: { since }, $now: at(60) }),
    );
    expect(claimed.map(({ since }) => since)).toEqual([at(60).toISO(), at(0).toISO()]);
  });

  test('that hangs gets no heap of executions', () => {
    expect(startsOf(() => undefined)).toEqual([0, 10, 30, 70, 150, 310, 630, 1270]);
  });

  test('that hung for hours and then fails is tried every minute again, and hangs from the beginning', () => {
    const $json = { error: 'Out of order' };
    const nodes = { Claim: [{ id: 1 }] };
    const fails = (minute: number) => minute >= 300 && minute < 360;
    const starts = startsOf((minute, $now) =>
      fails(minute) ? writtenBy('inbox-serve', 'Note why not', { $json, $now, nodes }) : undefined,
    );
    expect(starts.filter((minute) => minute < 300)).toEqual([0, 10, 30, 70, 150]);
    expect(starts.filter(fails)).toHaveLength(59);
    expect(starts.filter((minute) => minute >= 360)).toEqual([360, 370, 390, 430, 510, 670, 990]);
  });

  test('is free at once, and says why, if its rows could not be made ready', () => {
    const failed = { error: 'Task request timed out' };
    const row: Row = { id: 1, wants: 'all', read_to: 0, createdAt: at(0).toJSON() };
    Object.assign(row, { free_at: at(0).toJSON(), updatedAt: at(0).toJSON() });
    const nodes = runDesk(
      'inbox-serve',
      'Called by the inbox or itself',
      { ...row, workflow_id: 'sms-campaign' },
      {
        tables: { 'sms.inbox': [], 'sms.subscribers': [row] },
        given: { 'Rows to hand over': [failed] },
        now: at(60),
      },
    );
    expect(row).toMatchObject({ reason: failed.error, free_at: at(60).toISO(), read_to: 0 });
    expect(nodes).not.toHaveProperty(['Move the cursor']);
  });

  test('waits a minute for what may appear in a gap', () => {
    const table = [row(1, 0), row(2, 0), row(4, 10), row(5, 10)];
    const given = (read_to: number, seconds: number) =>
      serve({ wants: 'all', read_to }, table, at(seconds));
    expect(given(0, 20)).toEqual({ rows: [1, 2], read_to: 2 });
    expect(given(2, 69)).toEqual({ rows: [], read_to: 2 });
    expect(given(2, 70)).toEqual({ rows: [4, 5], read_to: 5 });
  });

  test('goes on behind rows that upkeep has deleted, and at the beginning of a new table', () => {
    const given = (read_to: number, ...table: Row[]) =>
      serve({ wants: 'all', read_to }, table, at(600));
    expect(given(10, row(500, 0)).rows).toEqual([500]);
    expect(given(500, row(1, 0), row(2, 1))).toEqual({ rows: [1, 2], read_to: 2 });
    expect(given(500)).toEqual({ rows: [], read_to: 500 });
  });
});

/** A page of records that is stored: it takes IDs at some moments, and its rows appear together or never. */
const transaction = fc.record({
  begins: fc.integer({ min: -100, max: 200 }),
  /** Seconds until it takes each ID. */
  takes: fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 4 }),
  /** Seconds from the last ID to the end. */
  lasts: fc.integer({ min: 0, max: 10 }),
  isStored: fc.boolean(),
  event: fc.constantFrom('reply', 'deliveryReport'),
});

const look = fc.record({ seconds: fc.integer({ min: 1, max: 40 }), succeeds: fc.boolean() });

test.each(['all', 'reply'])(
  'in whatever order transactions commit, no row is lost or skipped, and none comes again after a success (%s)',
  (wants) => {
    const transactions = fc.array(transaction, { maxLength: 10 });
    const looks = fc.array(look, { maxLength: 20 });
    fc.assert(
      fc.property(transactions, looks, fc.integer({ min: 2, max: 9 }), (stores, tries, limit) => {
        const taken = stores
          .flatMap((store) => store.takes.map((after) => ({ store, time: store.begins + after })))
          .sort((a, b) => a.time - b.time)
          .map(({ store }, index) => {
            const visible = store.begins + Math.max(...store.takes) + store.lasts;
            return {
              ...row(index + 1, store.begins, store.event),
              visible: store.isStored ? visible : Infinity,
            };
          });
        const confirmed: number[] = [];
        let read_to: number | null = null;
        const tryAt = (seconds: number, succeeds: boolean) => {
          const table = taken.filter(({ visible }) => visible <= seconds);
          const given = serve({ wants, read_to }, table, at(seconds), limit, succeeds);
          if (succeeds) confirmed.push(...given.rows);
          ({ read_to } = given);
        };
        let now = 0;
        for (const { seconds, succeeds } of tries) tryAt((now += seconds), succeeds);
        for (let before: number | null | undefined; read_to !== before;) {
          before = read_to;
          tryAt(Math.max(now, 300) + 100, true);
        }
        const wanted = taken
          .filter(({ visible }) => visible < Infinity)
          .filter(({ createdAt }) => Date.parse(createdAt) >= at(0).toMillis())
          .filter(({ event }) => wants === 'all' || event === wants)
          .map(({ id }) => id);
        expect(confirmed).toEqual(wanted);
      }),
      { numRuns: 40 },
    );
  },
);
