/** When messages may go, also on the days on which the clock is changed. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { daysOf, endOf } from '../src/campaign-page/plan';
import { canOpen, clockAt, openingOf } from '../src/common/messages/hours';
import { settings } from '../../test/kit/search/settings';
import { database, quoted } from './database';

const HOURS = { from_hour: 8, to_hour: 21 };
const inBerlin = (at: string) => DateTime.fromISO(at, { zone: 'Europe/Berlin' });

const opening = (at: string, hours = HOURS) =>
  openingOf(hours, inBerlin(at))?.toISO({ suppressMilliseconds: true });

test.each<[string, string | undefined, typeof HOURS?]>([
  ['2026-10-25T03:30:00', '2026-10-25T08:00:00+01:00'],
  ['2026-10-24T22:00:00', '2026-10-25T08:00:00+01:00'],
  ['2026-03-29T00:30:00', '2026-03-29T08:00:00+02:00'],
  ['2026-03-29T21:00:00', '2026-03-30T08:00:00+02:00'],
  ['2026-10-25T08:00:00', undefined],
  // An hour that the clock skips is the next one, on this day only.
  ['2026-03-29T01:30:00', '2026-03-29T03:00:00+02:00', { from_hour: 2, to_hour: 4 }],
  ['2026-03-29T05:00:00', '2026-03-30T02:00:00+02:00', { from_hour: 2, to_hour: 4 }],
])('at %s in Berlin, what may go from 8 to 21 waits until %s', (now, expected, hours = HOURS) => {
  expect(opening(now, hours)).toBe(expected);
});

test.each([
  // The night in between has an hour more.
  ['2026-10-24T20:00:00', 120, '2026-10-25T09:00:00+01:00'],
  // What has exactly the whole day ends as it closes.
  ['2026-10-25T03:30:00', 13 * 60, '2026-10-25T21:00:00+01:00'],
])('what begins at %s and takes %i minutes ends at %s', (at, minutes, expected) => {
  const end = endOf(minutes, 1, HOURS, inBerlin(at));
  expect(end?.toISO({ suppressMilliseconds: true })).toBe(expected);
});

test('each day has what a clock sends, one message in each minute that is left for them', () => {
  const day = DateTime.fromISO('2026-06-03T00:00:00', { zone: 'Asia/Shanghai' });
  expect(daysOf(5, 1, { ...HOURS, today: 4, later: 0 }, day)).toBeUndefined();
  const hour = fc.integer({ min: 0, max: 24 });
  const room = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(Infinity));
  const input = fc.record({
    from_hour: hour,
    to_hour: hour,
    today: fc.oneof(room, fc.constant(0)),
    later: room,
    begin: fc.integer({ min: 0, max: 1439 }),
    messages: fc.integer({ min: 1, max: 400 }),
  });
  fc.assert(
    fc.property(input, ({ begin, messages, ...limits }) => {
      const start = day.plus({ minutes: begin });
      const found = daysOf(messages, 1, limits, start);
      // Messages are whole, whatever the second is.
      for (const each of daysOf(messages, 1, limits, start.plus({ milliseconds: 1_234 })) ?? [])
        expect(Number.isInteger(each.messages)).toBe(true);
      const { from_hour: from, to_hour: to } = limits;
      const isOpen = (at: number) =>
        from <= to ? at >= from * 60 && at < to * 60 : at >= from * 60 || at < to * 60;
      if (!Array.from({ length: 1440 }, (_, at) => at).some(isOpen)) {
        expect(found).toBeUndefined();
        return;
      }
      let [minute, left, of, last] = [begin, messages, limits.today, -1];
      const stretches: number[] = [];
      for (; left > 0; minute += 1) {
        if (minute % 1440 === 0 && minute > begin) of = limits.later;
        if (of < 1 || !isOpen(minute % 1440)) continue;
        if (minute % 1440 === 0 || last !== minute - 1) stretches.push(0);
        stretches.push((stretches.pop() ?? 0) + 1);
        [left, of, last] = [left - 1, of - 1, minute];
      }
      expect(found?.at(-1)?.end.diff(day, 'minutes').minutes).toBe(minute);
      expect(found?.map((each) => each.messages)).toEqual(stretches);
    }),
    settings(300),
  );
});

test('PostgreSQL, which decides, reads hours as the pages do', () => {
  const hour = fc.oneof(
    fc.nat(24),
    fc.nat(479).map((part) => part / 20),
    fc.constant(23.999),
  );
  const input = fc.record({
    ...{ from_hour: hour, to_hour: hour },
    // Not the hour that the clock has twice.
    at: fc.date({ min: new Date('2026-03-20'), max: new Date('2026-10-20'), noInvalidDate: true }),
    // At the full hour at which they end, they have ended.
    isEnd: fc.boolean(),
    zone: fc.constantFrom('Asia/Shanghai', 'Europe/Berlin', 'America/New_York', 'UTC'),
  });
  fc.assert(
    fc.property(input, ({ at, zone, isEnd, ...hours }) => {
      const then = DateTime.fromJSDate(at, { zone }).set({ millisecond: 0 });
      const now = isEnd ? clockAt(hours.to_hour, then) : then;
      const [found] = database().rows(
        `SELECT sms.opening(${hours.from_hour}, ${hours.to_hour}, ${quoted(String(now.toISO()))}, '${zone}') AS opens`,
      );
      const opens = found?.opens === null ? undefined : Date.parse(String(found?.opens));
      const opening = openingOf(hours, now);
      expect(opens).toBe(opening?.toMillis());
      // At its opening a class is open, if any minute of the day is its.
      if (opening && canOpen(hours) && hours.from_hour < 23.99)
        expect(openingOf(hours, opening)).toBeUndefined();
    }),
    settings(200),
  );
});

test.each<[Record<string, (number | null)[]>, number[], number | null]>([
  [{}, [9, 20], 9_000],
  // Of two rows of a name, the last that says something holds, and what it leaves open is as it starts.
  [{ marketing: [8], 'Marketing ': [null, 22] }, [8, 22], 9_000],
  [{ ' ALL': [null, null, 500], reserved: [null, null, null] }, [9, 20], 450],
  [{ all: [null, null, 500], reserved: [null, null, -7] }, [9, 20], 500],
  [{ all: [null, null, 500], reserved: [null, null, 700] }, [9, 20], 0],
  [{ all: [null, null, 0] }, [9, 20], null],
])('with the rules %j, campaigns go from and to %j, and %j of them a day', (rows, hours, limit) => {
  const rules = Object.entries(rows).map(([name, [from_hour, to_hour, per_day]]) => {
    return { class: name, from_hour, to_hour, per_day };
  });
  database().fill({ 'sms.rules': rules }, '2026-06-03T12:00:00Z');
  const [found = {}] = database().rows("SELECT * FROM sms.campaign_rule('UTC')");
  const { from_hour, to_hour, later, today } = found;
  expect([[from_hour, to_hour], later, today]).toEqual([hours, limit, limit]);
});
