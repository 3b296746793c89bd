/** The outbox over some days, against what its README promises: hours, a day, limits, keys, opt-outs. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { openingOf } from '../src/common/messages/hours';
import { reasonIn } from '../src/common/messages/reasons';
import { settings } from '../../test/kit/search/settings';
import { runDesk, type Row } from './workflow';

const STOPPED = '13810000000';
const TOO_LATE = 'Not sent within a day of its hour: ';

// Of the clock that is changed, not the hour that it has twice.
const hour = fc.integer({ min: 0, max: 24 }).filter((each) => each !== 2);
const message = fc.record({
  phone: fc.constantFrom(STOPPED, '13810000001', '13810000001,13810000002'),
  key: fc.constantFrom('', '', 'a', 'b'),
});
const input = fc.record({
  zone: fc.constantFrom('Asia/Shanghai', 'Europe/Berlin', 'America/New_York', 'utc'),
  // Also days on which the clock is changed.
  start: fc.constantFrom(
    '2026-03-28T19:00',
    '2026-10-24T19:30',
    '2026-06-03T10:00',
    '2026-03-07T23:30',
  ),
  hours: fc.tuple(hour, hour),
  perHour: fc.integer({ min: 0, max: 2 }),
  perDay: fc.integer({ min: 0, max: 3 }),
  all: fc.constantFrom(0, 3, 6, 100),
  reserved: fc.constantFrom(null, 0, -3, 2, 500),
  messages: fc.array(message, { minLength: 1, maxLength: 5 }),
  fates: fc.array(
    fc.constantFrom(...['accepted', 'rejected', 'rejected', 'rejected'], 'unknown', ''),
    {
      minLength: 1,
    },
  ),
  // In seconds: the desk may be away for some time, too.
  lags: fc.array(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.nat(36_000)), { minLength: 1 }),
  stopsAfter: fc.integer({ min: 0, max: 20 }),
  // From this try on, the class may go at any hour.
  opensAfter: fc.option(fc.nat(5), { nil: 80 }),
});

test('what waits goes as promised, or is told', async () => {
  await fc.assert(
    fc.asyncProperty(input, async ({ zone, start, hours: [from, to], fates, lags, ...given }) => {
      const { perHour, perDay, all, reserved, messages, stopsAfter, opensAfter } = given;
      const taken = DateTime.fromISO(start, { zone });
      let now = taken;
      let rule = { from_hour: from, to_hour: to };
      const outbox: Row[] = [];
      const optOuts: Row[] = [];
      const rules = (): Row[] => [
        { class: 'notice', ...rule, per_hour: perHour, per_day: perDay },
        { class: 'all', per_day: all },
        { class: 'reserved', per_day: reserved },
      ];
      const sends: { id: unknown; phone: unknown; at: DateTime; fate: string }[] = [];
      const run = async (execution: number, start: string, calls: Row | Row[] = {}) => {
        const world = {
          ...{
            tables: { 'sms.outbox': outbox, 'sms.opt_outs': optOuts, 'sms.rules': rules() },
            now,
            execution: String(execution),
          },
          given: {
            'Send by template': (rows: Row[]) =>
              rows.map(({ id, phone_number: phone }) => {
                const fate = String(fates[sends.length % fates.length]);
                sends.push({ id, phone, at: now, fate });
                return { status: fate, msg: 'Why', batch_id: fate === 'accepted' ? 'b' : '' };
              }),
          },
        };
        await runDesk('outbox', start, calls, world);
      };
      await run(
        0,
        'Messages',
        messages.map((each) => ({ ...each, class: 'notice', template_id: '7' })),
      );
      /** Its hour: if the class was open when it was taken, that time. */
      const first = () => openingOf(rule, taken) ?? taken;
      let tries = 0;
      for (; outbox.some(({ status }) => status === 'waiting'); tries += 1) {
        expect(tries).toBeLessThan(80);
        const waiting = outbox.filter(({ status }) => status === 'waiting');
        const times = waiting.map(({ sent_at }) => Date.parse(String(sent_at)));
        const lag = Number(lags[tries % lags.length]);
        now = now.plus(Math.max(0, Math.min(...times) - now.toMillis()) + lag * 1_000);
        if (tries === stopsAfter) optOuts.push({ id: 1, phone_number: STOPPED });
        if (tries === opensAfter) rule = { from_hour: 0, to_hour: 24 };
        const due = waiting.filter(({ sent_at }) => Date.parse(String(sent_at)) <= now.toMillis());
        const why = new Map(due.map((row) => [row.id, reasonIn('en', row)]));
        const before = sends.length;
        await run(tries + 1, 'Every minute');
        const fateOf = new Map(sends.slice(before).map(({ id, fate }) => [id, fate]));
        const last = first().plus({ days: 1 });
        for (const row of due) {
          const fate = fateOf.get(row.id);
          if (fate === undefined) {
            const isLate = now > last.plus({ minutes: 10 });
            if (isLate && row.reason_code !== 'key_used')
              expect(reasonIn('en', row)).toBe(`${TOO_LATE}${why.get(row.id)}`);
            expect(row.status === 'refused' || openingOf(rule, now) !== undefined).toBe(true);
            continue;
          }
          expect(openingOf(rule, now)).toBeUndefined();
          expect(now <= last.plus({ minutes: 10 })).toBe(true);
          if (tries >= stopsAfter) expect(row.phone_number).not.toBe(STOPPED);
          if (fate !== 'rejected') {
            expect(row.status).toBe(fate || 'unknown');
            continue;
          }
          // It is tried again after as long as it is late, ever more seldom: within its hours, and for a day.
          const late = Math.min(Math.max(now.toMillis() - first().toMillis(), 60_000), 3_600_000);
          const next = openingOf(rule, now.plus(late)) ?? now.plus(late);
          const at = next.toFormat('yyyy-MM-dd HH:mm');
          expect([row.status, reasonIn('en', row)]).toEqual(
            next > last
              ? ['refused', `${TOO_LATE}Why`]
              : ['waiting', `Not sent, and tried again at ${at}: Why`],
          );
          if (next <= last) expect(Date.parse(String(row.sent_at))).toBe(next.toMillis());
        }
      }

      // Only what is certain was tried again.
      const tried = new Map<unknown, string>();
      for (const { id, fate } of sends) {
        expect(tried.get(id) ?? 'rejected').toBe('rejected');
        tried.set(id, fate);
      }
      const gone = sends.filter(({ fate }) => fate !== 'rejected');
      const limits = [
        [1, perHour],
        [24, perDay],
      ].filter(([, most]) => most);
      for (const [length = 0, most] of limits) {
        for (const { at, phone } of gone) {
          const within = gone.filter(
            (each) =>
              each.phone === phone && each.at <= at && each.at > at.minus({ hours: length }),
          );
          expect(within.length).toBeLessThanOrEqual(Number(most));
        }
      }
      const kept = Math.max(0, reserved ?? Math.floor(all / 10));
      if (all > 0) expect(gone.length).toBeLessThanOrEqual(Math.max(0, all - kept));
      const went = new Set(gone.map(({ id }) => id));
      for (const key of ['a', 'b']) {
        const rows = outbox.filter((row) => row.key === key && went.has(row.id));
        expect(new Set(rows.map(({ run: of }) => of)).size).toBeLessThanOrEqual(1);
        // Both numbers of a message have its key: none of them is taken for a second message.
        const own = new Set(rows.map(({ run: of }) => of));
        const others = outbox.filter((row) => row.key === key && own.has(row.run));
        expect(others.filter(({ reason_code }) => reason_code === 'key_used')).toEqual([]);
      }
      // Each has an end, and a reason if it was not accepted.
      const told = outbox.filter(
        ({ status, reason, reason_code }) => (status === 'accepted') !== !(reason || reason_code),
      );
      expect(told).toEqual([]);
    }),
    settings(60),
  );
});
