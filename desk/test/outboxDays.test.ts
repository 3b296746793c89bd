/** The outbox over some days, against what its README promises: hours, a day, limits, keys, opt-outs. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { settings } from '../../test/kit/search/settings';
import { runDesk, type Row } from './workflow';

const STOPPED = '13810000000';

const hour = fc.integer({ min: 0, max: 24 });
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
  fates: fc.array(fc.constantFrom('accepted', 'rejected', 'rejected', 'unknown'), { minLength: 1 }),
  lags: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
  stopsAfter: fc.integer({ min: 0, max: 20 }),
});

test('what waits goes as promised, or is told', () => {
  fc.assert(
    fc.property(input, ({ zone, start, hours: [from, to], fates, lags, ...given }) => {
      const { perHour, perDay, all, reserved, messages, stopsAfter } = given;
      const taken = DateTime.fromISO(start, { zone });
      let now = taken;
      const outbox: Row[] = [];
      const optOuts: Row[] = [];
      const rules: Row[] = [
        { class: 'notice', from_hour: from, to_hour: to, per_hour: perHour, per_day: perDay },
        { class: 'all', per_day: all },
        { class: 'reserved', per_day: reserved },
      ];
      const sends: { id: unknown; phone: unknown; at: DateTime; fate: string }[] = [];
      const run = (execution: number, start: string, calls?: Row[]) => {
        const world = {
          ...{
            tables: { 'sms.outbox': outbox, 'sms.opt_outs': optOuts, 'sms.rules': rules },
            now,
            execution: String(execution),
          },
          ...(calls && { start: calls }),
          given: {
            'Send by template': (rows: Row[]) =>
              rows.map(({ id, phone_number: phone }) => {
                const fate = String(fates[sends.length % fates.length]);
                sends.push({ id, phone, at: now, fate });
                return { status: fate, msg: 'Why', batch_id: fate === 'accepted' ? 'b' : '' };
              }),
          },
        };
        runDesk('outbox', start, {}, world);
      };
      run(
        0,
        'Messages',
        messages.map((each) => ({ ...each, class: 'notice', template_id: '7' })),
      );
      const isOpen = (at: DateTime) => {
        const clock = at.hour + at.minute / 60;
        return from <= to ? clock >= from && clock < to : clock >= from || clock < to;
      };
      let first = taken;
      while (!isOpen(first) && first < taken.plus({ days: 2 })) first = first.plus({ minutes: 1 });
      let tries = 0;
      for (; outbox.some(({ status }) => status === 'waiting'); tries += 1) {
        expect(tries).toBeLessThan(80);
        const due = outbox
          .filter(({ status }) => status === 'waiting')
          .map(({ sent_at }) => Date.parse(String(sent_at)));
        const lag = Number(lags[tries % lags.length]);
        now = now.plus(Math.max(0, Math.min(...due) - now.toMillis()) + lag * 1_000);
        if (tries === stopsAfter) optOuts.push({ id: 1, phone_number: STOPPED });
        const before = sends.length;
        run(tries + 1, 'Every minute');
        for (const { id, phone } of sends.slice(before)) {
          if (tries >= stopsAfter) expect(phone).not.toBe(STOPPED);
          const row = outbox.find((each) => each.id === id);
          // It is tried again after as long as it is late, ever more seldom.
          const pause = Date.parse(String(row?.sent_at)) - now.toMillis();
          const late = Math.min(Math.max(now.toMillis() - first.toMillis(), 60_000), 3_600_000);
          if (row?.status === 'waiting') expect(pause).toBeGreaterThanOrEqual(late);
        }
      }

      const last = first.plus({ days: 1, minutes: 10 });
      expect(sends.filter(({ at }) => !isOpen(at) || at > last)).toEqual([]);

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
