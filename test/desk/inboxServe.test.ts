/** What the inbox hands over to a subscriber, and that it skips no row. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import rowsToHandOver from '../../desk/src/code/inbox-serve/Rows to hand over';
import { foundBy, writtenBy } from './dataTable';
import { holds } from './expression';
import { items, runCode } from './node';

const START = DateTime.fromISO('2026-07-01T12:00:00Z');
const at = (seconds: number) => START.plus({ seconds });

interface Row {
  id: number;
  event: string;
  createdAt: string;
}

interface Subscriber {
  workflow_id: string;
  wants: string;
  read_to: number | null;
  createdAt: string;
}

const subscriber = (values: Partial<Subscriber> = {}): Subscriber => ({
  ...{ workflow_id: 'sms-campaign', wants: 'all', read_to: null, createdAt: at(0).toJSON() ?? '' },
  ...values,
});

/** One try: what the nodes of inbox-serve read, what they hand over, and where the cursor is if that succeeds. */
function serve(claim: Subscriber, table: Row[], now: DateTime, limit = 1000) {
  const sight = { $json: claim, nodes: { Claim: [claim] }, $now: now };
  const find = (node: string, $json: object) =>
    foundBy('inbox-serve', node, table, { ...sight, $json }).sort((a, b) => a.id - b.id);
  const newest = find('Newest row', claim).at(-1) ?? {};
  const behind = find('Rows behind the cursor', newest).slice(0, limit);
  const nodes = {
    Claim: items(claim),
    'Newest row': items(newest),
    'Rows behind the cursor': items(...behind, ...(behind.length > 0 ? [] : [{}])),
  };
  const given = runCode(rowsToHandOver, [], { nodes, $now: now as DateTime<true> }).map(
    ({ json }) => json,
  );
  const moved = writtenBy('inbox-serve', 'Move the cursor', {
    ...sight,
    nodes: { ...sight.nodes, 'Rows to hand over': given },
  });
  const rows = given.filter(($json) => holds('inbox-serve', 'Only if there are any', { $json }));
  return { rows: rows.map(({ id }) => Number(id)), read_to: Number(moved.read_to) };
}

const row = (id: number, seconds: number, event = 'reply'): Row => ({
  id,
  event,
  createdAt: at(seconds).toJSON() ?? '',
});

describe('a subscriber', () => {
  test('gets the rows behind its cursor that it wants', () => {
    const table = [row(1, 1), row(2, 2, 'deliveryReport'), row(3, 3), row(4, 4, 'unreadable')];
    const given = (wants: string, read_to: number) =>
      serve(subscriber({ wants, read_to }), table, at(600));
    expect(given('all', 0)).toEqual({ rows: [1, 2, 3, 4], read_to: 4 });
    expect(given('reply', 1)).toEqual({ rows: [3], read_to: 3 });
    expect(given('deliveryReport', 0)).toEqual({ rows: [2], read_to: 2 });
    // What nobody wants moves the cursor on.
    expect(given('deliveryReport', 2)).toEqual({ rows: [], read_to: 4 });
    expect(given('all', 4)).toEqual({ rows: [], read_to: 4 });
  });

  test('waits a minute for what may appear in a gap', () => {
    const table = [row(1, 0), row(2, 0), row(4, 10), row(5, 10)];
    const given = (read_to: number, seconds: number) =>
      serve(subscriber({ read_to }), table, at(seconds));
    expect(given(0, 20)).toEqual({ rows: [1, 2], read_to: 2 });
    expect(given(2, 69)).toEqual({ rows: [], read_to: 2 });
    expect(given(2, 70)).toEqual({ rows: [4, 5], read_to: 5 });
  });

  test('goes on behind rows that upkeep has deleted, and at the beginning of a new table', () => {
    expect(serve(subscriber({ read_to: 10 }), [row(500, 0)], at(600)).rows).toEqual([500]);
    expect(serve(subscriber({ read_to: 500 }), [row(1, 0), row(2, 1)], at(2))).toEqual({
      rows: [1, 2],
      read_to: 2,
    });
    expect(serve(subscriber({ read_to: 500 }), [], at(2))).toEqual({ rows: [], read_to: 500 });
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
          const claim = subscriber({ wants, read_to });
          const given = serve(claim, table, at(seconds), limit);
          if (given.rows.length > 0 && !succeeds) return;
          confirmed.push(...given.rows);
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
      { numRuns: 150 },
    );
  },
);
