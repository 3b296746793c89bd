/** On a real PostgreSQL: claims of portions may meet. */
import fc from 'fast-check';

import { VERSION } from '../src/declared';
import { onPostgres } from '../../test/kit/desk/onPostgres';

onPostgres('on PostgreSQL', (database) => {
  describe('portions claimed at the same moment', () => {
    let portions = 0;

    /** A change takes time: what it has seen before may be different by then. */
    beforeAll(() =>
      database.run(`CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN NULL; END';
CREATE TRIGGER slow BEFORE UPDATE ON sms.recipients EXECUTE FUNCTION take_time();
INSERT INTO sms.campaigns (id, campaign, state) VALUES (1, 'Spring', 'running')`),
    );

    const claimThePortion = (portions_at_once: number, portion_size: number) =>
      `SELECT json_array_elements(packed::json)->>'id' FROM sms.campaign_take(${VERSION}, 1, '${(portions += 1)}', '${JSON.stringify({ portions_at_once, portion_size })}')`;
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
    const underWay = async () => Number(await database.run('SELECT sms.portions_under_way()'));
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
