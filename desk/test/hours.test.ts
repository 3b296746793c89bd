/** When messages may go, also on the days on which the clock is changed. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { daysOf, endOf } from '../src/campaign-page/plan';
import { openingOf } from '../src/common/messages/hours';
import { settings } from '../../test/kit/search/settings';
import { database, quoted } from './database';

const HOURS = { from_hour: 8, to_hour: 21 };
const inBerlin = (at: string) => DateTime.fromISO(at, { zone: 'Europe/Berlin' });

const opening = (at: string, hours = HOURS) =>
  openingOf(hours, inBerlin(at))?.toISO({ suppressMilliseconds: true });

test.each([
  ['2026-10-25T03:30:00', '2026-10-25T08:00:00+01:00'],
  ['2026-10-24T22:00:00', '2026-10-25T08:00:00+01:00'],
  ['2026-03-29T00:30:00', '2026-03-29T08:00:00+02:00'],
  ['2026-03-29T21:00:00', '2026-03-30T08:00:00+02:00'],
  ['2026-10-25T08:00:00', undefined],
])('at %s in Berlin, what may go from 8 to 21 waits until %s', (now, expected) => {
  expect(opening(now)).toBe(expected);
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

test.each([
  // From 8 to 21 at 60 a minute: 46,800 a day.
  [1_001, { today: 1_000, later: 5_000 }, '2026-06-04T08:00:01', { '06-03': 1_000, '06-04': 1 }],
  [9_000, { today: 0, later: 6_000 }, '2026-06-05T08:50:00', { '06-04': 6_000, '06-05': 3_000 }],
  // The hours alone.
  [32_460, {}, '2026-06-04T08:01:00', { '06-03': 32_400, '06-04': 60 }],
  [5, { today: 4, later: 0 }, undefined, undefined],
])('%i with %j of a day end at %s', (messages, limits, expected, expectedDays) => {
  const rule = { ...HOURS, ...limits };
  const noon = DateTime.fromISO('2026-06-03T12:00:00', { zone: 'Asia/Shanghai' });
  // Messages are whole, whatever the second is.
  for (const day of daysOf(messages, 60, rule, noon.plus({ milliseconds: 1_234 })) ?? [])
    expect(Number.isInteger(day.messages)).toBe(true);
  const days = daysOf(messages, 60, rule, noon);
  const format = { suppressMilliseconds: true, includeOffset: false };
  expect(days?.at(-1)?.end.toISO(format)).toBe(expected);
  const found = days?.map((day) => [day.end.toFormat('MM-dd'), day.messages] as const);
  expect(found && Object.fromEntries(found)).toEqual(expectedDays);
});

test('the end is that of a clock that sends one message in each minute that is left for them', () => {
  const hour = fc.integer({ min: 0, max: 24 });
  const room = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(Infinity));
  const input = fc.record({
    from_hour: hour,
    to_hour: hour,
    today: room,
    later: room,
    begin: fc.integer({ min: 0, max: 1439 }),
    messages: fc.integer({ min: 1, max: 400 }),
  });
  fc.assert(
    fc.property(input, ({ begin, messages, ...limits }) => {
      const day = DateTime.fromISO('2026-06-03T00:00:00', { zone: 'Asia/Shanghai' });
      const found = daysOf(messages, 1, limits, day.plus({ minutes: begin }));
      const { from_hour: from, to_hour: to } = limits;
      const isOpen = (at: number) =>
        from <= to ? at >= from * 60 && at < to * 60 : at >= from * 60 || at < to * 60;
      if (!Array.from({ length: 1440 }, (_, at) => at).some(isOpen)) {
        expect(found).toBeUndefined();
        return;
      }
      let [minute, left, of] = [begin, messages, limits.today];
      for (; left > 0; minute += 1) {
        if (minute % 1440 === 0 && minute > begin) of = limits.later;
        if (of < 1 || !isOpen(minute % 1440)) continue;
        left -= 1;
        of -= 1;
      }
      expect(found?.at(-1)?.end.diff(day, 'minutes').minutes).toBe(minute);
      expect(found?.reduce((sum, each) => sum + each.messages, 0)).toBe(messages);
    }),
    settings(300),
  );
});

test('an hour that the clock skips is the next one, on this day only', () => {
  const hours = { from_hour: 2, to_hour: 4 };
  expect(opening('2026-03-29T01:30:00', hours)).toBe('2026-03-29T03:00:00+02:00');
  expect(opening('2026-03-29T05:00:00', hours)).toBe('2026-03-30T02:00:00+02:00');
});

test('at its opening a class is open, on each day and for each part of an hour', () => {
  const days = ['2026-03-28', '2026-03-29', '2026-06-03', '2026-10-24', '2026-10-25'];
  const froms = Array.from({ length: 480 }, (_, index) => index / 20);
  const closed = days.flatMap((day) =>
    froms.filter((from_hour) => {
      const hours = { from_hour, to_hour: from_hour + 1.5 };
      const found = opening(`${day}T23:59:59`, hours);
      return found && opening(found, hours) !== undefined;
    }),
  );
  expect(closed).toEqual([]);
});

test('PostgreSQL, which decides, reads hours as the pages do', () => {
  const hour = fc.oneof(fc.integer({ min: 0, max: 24 }), fc.constantFrom(7.5, 8.25, 19.99, 23.999));
  const input = fc.record({
    ...{ from_hour: hour, to_hour: hour },
    // Not the hour that the clock has twice.
    at: fc.date({ min: new Date('2026-03-20'), max: new Date('2026-10-20'), noInvalidDate: true }),
    zone: fc.constantFrom('Asia/Shanghai', 'Europe/Berlin', 'America/New_York', 'UTC'),
  });
  fc.assert(
    fc.property(input, ({ at, zone, ...hours }) => {
      const now = DateTime.fromJSDate(at, { zone }).set({ millisecond: 0 });
      const [found] = database().rows(
        `SELECT sms.opening(${hours.from_hour}, ${hours.to_hour}, ${quoted(String(now.toISO()))}, '${zone}') AS opens`,
      );
      const opens = found?.opens === null ? undefined : Date.parse(String(found?.opens));
      expect(opens).toBe(openingOf(hours, now)?.toMillis());
    }),
    settings(200),
  );
});

test.each([
  [[], [9, 20], 9_000],
  // Of two rows of a name, the last that says something holds, and what it leaves open is as it starts.
  [
    [
      { class: 'marketing', from_hour: 8 },
      { class: 'Marketing ', to_hour: 22 },
    ],
    [8, 22],
    9_000,
  ],
  [
    [
      { class: ' ALL', per_day: 500 },
      { class: 'reserved', per_day: null },
    ],
    [9, 20],
    450,
  ],
  [
    [
      { class: 'all', per_day: 500 },
      { class: 'reserved', per_day: -7 },
    ],
    [9, 20],
    500,
  ],
  [
    [
      { class: 'all', per_day: 500 },
      { class: 'reserved', per_day: 700 },
    ],
    [9, 20],
    0,
  ],
  [[{ class: 'all', per_day: 0 }], [9, 20], null],
])('with the rules %j, campaigns go from and to %j, and %j of them a day', (rows, hours, limit) => {
  database().fill({ 'sms.rules': rows.map((each) => ({ ...each })) }, '2026-06-03T12:00:00Z');
  const [found = {}] = database().rows("SELECT * FROM sms.campaign_rule('UTC')");
  const { from_hour, to_hour, later, today } = found;
  expect([[from_hour, to_hour], later, today]).toEqual([hours, limit, limit]);
});
