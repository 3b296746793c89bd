/** A row of the opt-out list counts however it is written, as the number that the nodes read. */
import fc from 'fast-check';

import { parsePhoneNumbers } from '../src/nodes/phoneNumbers';
import { settings } from '../../test/kit/search/settings';
import { database, foundBy } from './database';

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** What the list has of a number, and since when, if somebody writes this. */
function listed(phone: string, since: string | null = '') {
  const time = since === null ? 'NULL' : quoted(since);
  database().run('DELETE FROM sms.opt_outs');
  const [row] = database().rows(
    `WITH row AS (INSERT INTO sms.opt_outs (phone_number, since) VALUES (${quoted(phone)}, ${time}) RETURNING phone_number, since) SELECT * FROM row`,
  );
  return row ?? {};
}

test.each([
  '13600000001',
  '+8613600000001',
  '136 0000 0001',
  '１３６００００ ０００１',
  '13600000001 ',
  '\t136-0000-0001\n',
  '(+86) 136 0000 0001',
  '0086-13600000001',
  '8613600000001',
  'tel:+86-136-0000-0001',
  "'13600000001",
  '\u200b13600000001\ufeff',
])('%j is the number that a campaign goes to', (written) => {
  expect(listed(written).phone_number).toBe('13600000001');
});

test.each([
  '85291234567',
  '1380013800',
  '138****0001',
  '13600000001 13600000002',
  'TD',
  '12600000001',
])('%j, which is no mobile number of the mainland, stays as it is', (written) => {
  expect(listed(written).phone_number).toBe(written);
});

test('whatever the nodes read as one number, the list has as the same', () => {
  const part = fc.constantFrom('', '', '', ' ', '-', '－', '\u00a0', '\u200b', '\t');
  const digits = fc
    .tuple(fc.constantFrom('13', '15', '19'), fc.nat(999_999_999))
    .map(([start, rest]) => start + String(rest).padStart(9, '0'));
  const text = fc
    .tuple(
      fc.constantFrom('', '', '+86', '86', '0086', '＋８６', 'tel:+86', '(+86)'),
      ...([part, digits, part, part, part, fc.boolean()] as const),
    )
    .map(([code, first, number, second, third, last, isWide]) => {
      const parts = [number.slice(0, 3), number.slice(3, 7), number.slice(7)];
      const written = `${code}${first}${parts[0]}${second}${parts[1]}${third}${parts[2]}${last}`;
      const wide = (sign: string) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0);
      return isWide ? written.replace(/\d/g, wide) : written;
    });
  let read = 0;
  fc.assert(
    fc.property(text, (written) => {
      const { valid, invalid } = parsePhoneNumbers(written, 'mainlandMobile');
      if (valid.length !== 1 || invalid.length > 0) return;
      read += 1;
      expect(listed(written).phone_number).toBe(valid[0]);
    }),
    settings(200),
  );
  expect(read).toBeGreaterThan(50);
});

/** What a function says of these numbers, and what the list has then. */
function done(action: 'add' | 'remove', numbers: unknown[] | null, before: string[] = []) {
  const list = before.map((each) => ({ phone_number: each }));
  database().fill({ 'sms.opt_outs': list }, new Date().toISOString());
  const said = database().rows(
    `SELECT * FROM sms.${action}_opt_outs(${numbers ? quoted(JSON.stringify(numbers)) : 'NULL'})`,
  );
  const left = database().rows('SELECT phone_number FROM sms.opt_outs ORDER BY id');
  return {
    said: said.map(({ line, given, phone, done: what }) => [line, given, phone, what]),
    left: left.map(({ phone_number }) => phone_number),
  };
}

const [ONE, TWO, HONG_KONG] = ['13600000001', '13600000002', '852 9123 4567'];

test('a list is added in one call, which says of each number what was done', () => {
  const list = ['+86 136 0000 0001', '', TWO, '１３６00000002', HONG_KONG, HONG_KONG, null];
  expect(done('add', list, [ONE])).toEqual({
    said: [
      [1, '+86 136 0000 0001', ONE, 'was there'],
      [3, TWO, TWO, 'added'],
      [4, '１３６00000002', TWO, 'was there'],
      [5, HONG_KONG, null, 'no mainland number'],
      [6, HONG_KONG, null, 'no mainland number'],
    ],
    left: [ONE, TWO, HONG_KONG],
  });
});

test('a list is taken off in one call', () => {
  const list = ['+86 136 0000 0001', ONE, TWO, HONG_KONG];
  expect(done('remove', list, [ONE, HONG_KONG, '13600000003'])).toEqual({
    said: [
      [1, '+86 136 0000 0001', ONE, 'removed'],
      [2, ONE, ONE, 'not there'],
      [3, TWO, TWO, 'not there'],
      [4, HONG_KONG, null, 'removed'],
    ],
    left: ['13600000003'],
  });
});

test.each([[[]], [null]])('of %j nothing is done', (list) => {
  expect(done('add', list, [ONE])).toEqual({ said: [], left: [ONE] });
  expect(done('remove', list, [ONE])).toEqual({ said: [], left: [ONE] });
});

test('a number that is added is on the list since then, so a later start word takes it off', () => {
  done('add', [ONE]);
  const [{ since } = {}] = database().rows('SELECT since FROM sms.opt_outs');
  expect(Math.abs(Date.now() - Date.parse(String(since)))).toBeLessThan(60_000);
});

test.each<[string | null, string]>([
  ['2026-06-03T12:00:00.000Z', '2026-06-03T12:00:00.000Z'],
  ['2026-06-03T20:00:00+08:00', '2026-06-03T12:00:00.000Z'],
  ['2026/1/2', '2026-01-02T00:00:00.000Z'],
  ['some day', ''],
  ['', ''],
  [null, ''],
])('since %j is a time that a start word is compared with: %j', (since, time) => {
  expect(listed('13600000001', since).since).toBe(time);
});

test.each(['', null, 'some day', '2026/1/2'])('START takes off who is on it since %j', (since) => {
  const rows = [{ phone_number: '+86 136 0000 0001', since }];
  const start = { phone_number: '13600000001', since: '2026-06-03T12:00:00.000Z' };
  expect(foundBy('inbox', 'Take off the opt-out list', rows, { $json: start })).toEqual(rows);
});
