/** When messages may go, also on the days on which the clock is changed. */
import { DateTime } from 'luxon';

import { endOf } from '../src/campaign-page/plan';
import { openingOf } from '../src/common/messages/hours';
import { Rules } from '../src/common/messages/rules';

const HOURS = { from_hour: 8, to_hour: 21 };

function opening(at: string | null, hours = HOURS, zone = 'Europe/Berlin') {
  return openingOf(hours, DateTime.fromISO(String(at), { zone }))?.toISO({
    suppressMilliseconds: true,
  });
}

test.each([
  ['2026-10-25T03:30:00', '2026-10-25T08:00:00+01:00'],
  ['2026-10-25T00:30:00', '2026-10-25T08:00:00+01:00'],
  ['2026-10-25T07:30:00', '2026-10-25T08:00:00+01:00'],
  ['2026-10-24T22:00:00', '2026-10-25T08:00:00+01:00'],
  ['2026-03-29T00:30:00', '2026-03-29T08:00:00+02:00'],
  ['2026-03-28T22:00:00', '2026-03-29T08:00:00+02:00'],
  ['2026-03-29T21:00:00', '2026-03-30T08:00:00+02:00'],
  ['2026-10-25T08:00:00', undefined],
  ['2026-03-29T08:00:00', undefined],
])('at %s in Berlin, what may go from 8 to 21 waits until %s', (now, expected) => {
  expect(opening(now)).toBe(expected);
});

test.each([
  // The night in between has an hour more.
  ['2026-10-24T20:00:00', 120, '2026-10-25T09:00:00+01:00'],
  // What has exactly the whole day ends as it closes.
  ['2026-10-25T03:30:00', 13 * 60, '2026-10-25T21:00:00+01:00'],
])('what begins at %s and takes %i minutes ends at %s', (at, minutes, expected) => {
  const rule = { ...new Rules([]).of('marketing'), ...HOURS };
  const end = endOf(minutes, rule, DateTime.fromISO(at, { zone: 'Europe/Berlin' }));
  expect(end?.toISO({ suppressMilliseconds: true })).toBe(expected);
});

test('what goes over midnight ends in the night after', () => {
  const rule = { ...new Rules([]).of('marketing'), from_hour: 22, to_hour: 6 };
  const end = endOf(8 * 60, rule, DateTime.fromISO('2026-06-03T23:00:00', { zone: 'utc' }));
  expect(end?.toISO({ suppressMilliseconds: true })).toBe('2026-06-04T23:00:00Z');
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
      return found !== undefined && opening(found, hours) !== undefined;
    }),
  );
  expect(closed).toEqual([]);
});
