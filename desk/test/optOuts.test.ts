/** A row of the opt-out list counts however it is written, as the number that the nodes read. */
import fc from 'fast-check';

import { parsePhoneNumbers } from '../src/nodes/phoneNumbers';
import { settings } from '../../test/kit/search/settings';
import { database, quoted } from './database';
import { ago, runDesk, type Row, type World } from './workflow';

const [ONE, TWO, HONG_KONG] = ['13600000001', '13600000002', '852 9123 4567'];

/** What the list has of a number, and since when, if somebody writes this. */
function listed(phone: string, since: string | null = '') {
  const time = since === null ? 'NULL' : quoted(since);
  database().run('DELETE FROM sms.opt_outs');
  const [row] = database().rows(
    `WITH row AS (INSERT INTO sms.opt_outs (phone_number, since) VALUES (${quoted(phone)}, ${time}) RETURNING phone_number, since) SELECT * FROM row`,
  );
  return row ?? {};
}

test('what the search below does not write is listed as a number, or as it is', () => {
  const mobile = [
    ...["'13600000001", '\t136-0000-0001\n', '\u200b13600000001\ufeff', '(+86) 136 0000 0001'],
    ...['13600000001.0', '+008613600000001'],
  ];
  const other = [
    ...['85291234567', '1380013800', '138****0001', '13600000001 2026-11-30', 'TD', '12600000001'],
    ...['+1 650 253 0000', '0013600000001', '+13600000001', '13600000001,+16502530000'],
    ...['13600000001 0016502530000', '0016502530000,13600000001', '8613600000001+16502530000'],
  ];
  const numbers = [...mobile, ...other].map((written) => listed(written).phone_number);
  expect(numbers).toEqual([...mobile.map(() => '13600000001'), ...other]);
  expect(listed('1'.repeat(5000)).phone_number).toBe('1'.repeat(100));
});

test('two numbers in one line are two on the list', () => {
  listed('13600000001 (+86 136-0000-0002)\n13600000001');
  const all = database().rows('SELECT phone_number FROM sms.opt_outs ORDER BY 1');
  expect(all).toEqual([{ phone_number: ONE }, { phone_number: TWO }]);
});

test('a row of one number takes no second statement', () => {
  database().run(`DELETE FROM sms.opt_outs; CREATE SEQUENCE test.statements;
CREATE FUNCTION test.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''test.statements''); RETURN NULL; END';
CREATE TRIGGER note BEFORE INSERT ON sms.opt_outs EXECUTE FUNCTION test.note()`);
  database().rows(`SELECT * FROM sms.add_opt_outs('["${ONE}", "${TWO}", "${HONG_KONG}"]')`);
  expect(database().rows('SELECT last_value FROM test.statements')).toEqual([{ last_value: 1 }]);
  database().run('DROP TRIGGER note ON sms.opt_outs');
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
  const search = settings(200);
  fc.assert(
    fc.property(text, (written) => {
      const { valid, invalid } = parsePhoneNumbers(written, 'mainlandMobile');
      if (valid.length !== 1 || invalid.length > 0) return;
      read += 1;
      expect(listed(written).phone_number).toBe(valid[0]);
    }),
    search,
  );
  expect(read).toBeGreaterThan(search.numRuns / 5);
});

/** What may stand in a line, and the mobile number that it is. */
const READ: Record<string, (string | null)[]> = {
  ...{ [ONE]: [ONE], [TWO]: [TWO], [HONG_KONG]: [null], [`+86 ${ONE}`]: [ONE] },
  ...{ '1３６00000002': [TWO], [`${ONE}、${TWO}`]: [ONE, TWO] },
};

test('a list is added or taken off in one call, which says of each line what was done', () => {
  const line = fc.constantFrom(...Object.keys(READ), '', null);
  const there = fc.uniqueArray(fc.constantFrom(ONE, TWO, HONG_KONG));
  const input = [there, fc.option(fc.array(line)), fc.boolean()] as const;
  fc.assert(
    fc.property(...input, (before, lines, isAdded) => {
      const rows = before.map((phone_number): Row => ({ phone_number }));
      const now = new Date().toISOString();
      database().fill({ 'sms.opt_outs': rows }, now);
      const left = new Set(before);
      const expected = (lines ?? []).flatMap((given, index) => {
        if (!given) return [];
        return (READ[given] ?? [null]).map((phone) => {
          const isThere = left.has(phone ?? given);
          if (isAdded) left.add(phone ?? given);
          else left.delete(phone ?? given);
          const added = phone === null ? 'no mainland number' : isThere ? 'was there' : 'added';
          const done = isAdded ? added : isThere ? 'removed' : 'not there';
          return { line: index + 1, given, phone, done };
        });
      });
      const list = lines ? quoted(JSON.stringify(lines)) : 'NULL';
      const action = isAdded ? 'add' : 'remove';
      expect(database().rows(`SELECT * FROM sms.${action}_opt_outs(${list})`)).toEqual(expected);
      const all = database().rows('SELECT phone_number, since FROM sms.opt_outs ORDER BY id');
      // Who is added is listed since then, so a later start word takes the number off.
      const since = (phone: string) => (before.includes(phone) ? '' : now);
      expect(all).toEqual([...left].map((phone) => ({ phone_number: phone, since: since(phone) })));
    }),
    settings(100),
  );
});

test('of a long line, each number has what is shown of it alone', () => {
  const line = Array.from({ length: 2000 }, (_, index) => 13_800_000_000 + index).join();
  const added = `sms.add_opt_outs(${quoted(JSON.stringify([line]))})`;
  const query = `SELECT count(phone)::integer AS numbers, max(length(given)) AS given FROM ${added}`;
  expect(database().rows(query)).toEqual([{ numbers: 2000, given: 100 }]);
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

describe('the page', () => {
  const TOKEN = 'a-token';
  const LISTED = { phone_number: ONE, word: 'TD', since: '2026-06-01T02:00:00.000Z' };

  /** A list, and a page of it that was opened so many minutes ago. */
  const worldOf = (opened = 5): World => ({
    tables: {
      'sms.opt_outs': [{ ...LISTED }],
      'sms.tokens': [
        { token: TOKEN, page: 'sms-opt-outs', createdAt: ago(opened) },
        { token: 'other', page: 'sms-campaign:1', createdAt: ago(0) },
      ],
    },
    given: { 'Make a token': [{ token: 'next' }] },
  });
  const htmlOf = async (start: string, input: Row, world = worldOf()) => {
    const [{ page, fileName } = {}] = (await runDesk('opt-outs', start, input, world)).Page ?? [];
    return { html: String(page), fileName };
  };
  const textsOf = (html: string) =>
    html.replace(/<style>.*?<\/style>|<[^>]*>/gs, ' ').replace(/\s+/g, ' ');

  test('has how many are on the list, and no whole number but in its forms', async () => {
    const { html } = await htmlOf('Page is opened', { query: {} });
    expect(textsOf(html)).toContain('1 number is on the list.');
    expect(textsOf(html)).toContain('136 •••• 0001 06-01 10:00 TD');
    expect(html.replace(/<input [^>]*>/g, '')).not.toContain(ONE);
    expect(html).not.toMatch(/undefined|NaN|\[object/);
  });

  test('is in Chinese, but for what people wrote', async () => {
    const body = { action: 'add', token: TOKEN, numbers: `852 1\n${ONE}\n${TWO}` };
    const { html } = await htmlOf('Button is pressed', { query: { lang: 'zh' }, body });
    expect(textsOf(html).replace(/English|TD|CSV|Asia\/Shanghai/g, '')).not.toMatch(/[A-Za-z]{2,}/);
  });

  const column = `手机号\r\n+86 136 0000 0001\r\n${TWO}\r\n<b>852\r\n\r\n${TWO}`;
  const READ_IT =
    /1 added\. 1 line is no mobile number .* line 4: &lt;b&gt;852 2 were there already\. 2 numbers/;
  const OFF = /1 was not on the list\. 1 taken off\. 0 numbers are on/;
  const outdated = [{ token: 'other' }, { token: '' }, { token: { $gt: '' } }, { minutes: 1450 }];

  // What is pressed on a page of five minutes ago, who is on the list then, and what the page says.
  test.each<[Row, string[], RegExp]>([
    [{ action: 'add', numbers: column }, [ONE, TWO, '<b>852'], READ_IT],
    [{ action: 'remove', numbers: `${ONE}\n${TWO}` }, [], OFF],
    ...outdated.flatMap((body): [Row, string[], RegExp][] => [
      [{ action: 'add', numbers: TWO, ...body }, [ONE], /Nothing was done: the page was used/],
      [{ action: 'remove', numbers: ONE, ...body }, [ONE], /Nothing was done: the page was used/],
    ]),
    [{ action: 'add', numbers: `${TWO}\n`.repeat(100_001) }, [ONE], /more than 100,000 lines/],
    [{ action: 'add', numbers: `${TWO}\n`.repeat(100_000) }, [ONE, TWO], /1 added/],
    [{ action: 'add', numbers: `${ONE},${TWO}` }, [ONE, TWO], /1 added\. 1 was there/],
    [{ action: 'add', numbers: `${`${ONE},`.repeat(400)}${TWO}` }, [ONE, TWO], /1 added/],
    [{ action: 'add', numbers: '手机号\n\n' }, [ONE], /no line has a number/],
    [{ action: 'add', numbers: { toString: TWO } }, [ONE], /no line has a number/],
    [{ token: '', search: '0001' }, [ONE], /136 •••• 0001/],
    [{ token: '', search: '+86 136 0000 0001' }, [ONE], /136 •••• 0001/],
    [{ search: '0002' }, [ONE], /No number\./],
    [{ search: '%' }, [ONE], /No number\./],
    [{ search: "'; --" }, [ONE], /No number\./],
  ])('pressed %j', async ({ minutes = 5, ...body }, left, says) => {
    const world = worldOf(Number(minutes));
    const pressed = { query: {}, body: { token: TOKEN, ...body } };
    const { html } = await htmlOf('Button is pressed', pressed, world);
    expect(world.tables['sms.opt_outs']?.map(({ phone_number }) => phone_number)).toEqual(left);
    expect(textsOf(html)).toMatch(says);
    expect(html.includes('136 •••• 0001')).toBe(left.length > 0 && !says.test('No number.'));
    // A page changes the list once.
    if (minutes === 5 && !('token' in body))
      expect(world.tables['sms.tokens']?.map(({ token }) => token)).toEqual(['other', 'next']);
  });

  test('the file has all of it, and nothing that a spreadsheet takes for a formula', async () => {
    const world = worldOf();
    const strange = Array.from({ length: 60 }, (_, index) => ({ phone_number: `=${index}` }));
    world.tables['sms.opt_outs']?.push(...strange);
    const { html, fileName } = await htmlOf('Page is opened', { query: { format: 'csv' } }, world);
    const lines = html.split('\r\n');
    expect(fileName).toBe('opt-outs-2026-06-03.csv');
    expect(lines).toHaveLength(63);
    expect(lines[0]).toBe('\uFEFF"phone_number","word","since"');
    expect(lines).toContain(`"${ONE}","TD","2026-06-01T02:00:00.000Z"`);
    expect(lines).toContain('"\'=7","",""');
  });
});
