/** The rows of the inbox, the Code nodes of the opt-out list, and what the inbox promises by its canvas. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import lastWord from '../../examples/code/reply-opt-out/Last word per number';
import itemPerNumber from '../../examples/code/reply-opt-out/One item per number';
import { readExample } from '../e2e/lib/examples';
import { runFields } from './fields';
import { items, runCode } from './node';

const RUNS = { numRuns: 150 };

const RUN = '4711';

/** What a record without a time gets. */
const ARRIVAL = expect.stringMatching(
  new RegExp(`^${new Date().getUTCFullYear()}-.*Z$`),
) as unknown;

const rowsOf = (...records: IDataObject[]) => runFields('inbox', 'Rows', items(...records), RUN);

/** How people write a number of the mainland. */
const SPELLINGS: ((number: string) => string)[] = [
  (number) => number,
  (number) => ` ${number} `,
  (number) => `+86${number}`,
  (number) => `+86 ${number.replace(/^(...)(....)/, '$1 $2 ')}`,
  (number) => `0086-${number.replace(/^(...)(....)/, '$1-$2-')}`,
  (number) => `(+86) ${number}`,
  (number) => number.replace(/^(...)(....)/, '$1-$2-'),
  (number) => number.replace(/^(...)(....)/, '$1 $2 '),
  (number) =>
    [...number].map((digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).join(''),
  (number) => `\u202d${number}\u202c`,
];

const number = fc
  .tuple(fc.integer({ min: 3, max: 9 }), fc.integer({ min: 0, max: 999_999_999 }))
  .map(([second, rest]) => `1${second}${String(rest).padStart(9, '0')}`);

const spelling = fc.constantFrom(...SPELLINGS);

const COLUMNS = [
  'event',
  'phone_number',
  'status',
  'status_desc',
  'content',
  'batch_id',
  'user_data',
  'phone_data',
  'time',
  'run',
  'handed_over',
];

describe('Rows', () => {
  test('a delivery report and a reply', () => {
    const [report, reply] = rowsOf(
      {
        event: 'deliveryReport',
        time: 1767225600,
        batch_id: '9007199254740993',
        status: 'DELIVRD',
        status_desc: '成功',
        phone_data: 'customer-1',
        phone_number: '+86 138-0013-8000',
        user_data: 'order-1001',
        split_count: 1,
        time_iso: '2026-01-01T00:00:00.000Z',
      },
      { event: 'reply', content: 'STOP', mobile: 13800138000, batch_id: '', time_iso: 'soon' },
    );
    expect(report?.json).toEqual({
      event: 'deliveryReport',
      phone_number: '13800138000',
      status: 'DELIVRD',
      status_desc: '成功',
      content: '',
      batch_id: '9007199254740993',
      user_data: 'order-1001',
      phone_data: 'customer-1',
      time: '2026-01-01T00:00:00.000Z',
      run: RUN,
      handed_over: false,
    });
    expect(reply?.json).toMatchObject({
      phone_number: '13800138000',
      content: 'STOP',
      time: ARRIVAL,
    });
  });

  test.each([
    [
      { event: 'unreadable', answer: '<html>' },
      { event: 'unreadable', content: '<html>' },
    ],
    [{ event: 'reply', value: 'text alone' }, { content: 'text alone' }],
    [{ event: 'reply', value: ['a', { b: 1 }] }, { content: '["a",{"b":1}]' }],
    [{ event: 'unreadable', answer: { list: 'a\0b' } }, { content: '{"list":"a\\u0000b"}' }],
    [{ event: 'reply', content: { a: 1 } }, { content: '{"a":1}' }],
    [{ event: 'reply', content: 0 }, { content: '0' }],
    [{ event: 'reply', content: 'a\0b' }, { content: 'ab' }],
    [{ phone_number: '+852 6123 4567' }, { phone_number: '+852 6123 4567' }],
    [{ phone_number: '13800138000, 13800138001' }, { phone_number: '13800138000, 13800138001' }],
    // A number of the United States.
    [{ phone_number: '+1 380-013-8000' }, { phone_number: '+1 380-013-8000' }],
    [{ phone_number: '1-380-013-8000' }, { phone_number: '1-380-013-8000' }],
    [{ phone_number: '13800138000 or so' }, { phone_number: '13800138000 or so' }],
    [{ phone_number: '', mobile: '13800138000' }, { phone_number: '13800138000' }],
    [{ time_iso: '2026-01-01T08:00:00+08:00' }, { time: '2026-01-01T00:00:00.000Z' }],
    [{ time_iso: '+275000-01-01T00:00:00.000Z' }, { time: ARRIVAL }],
    [{ time_iso: '-000001-01-01T00:00:00.000Z' }, { time: ARRIVAL }],
    [{ time_iso: '1999-12-31T23:59:59.999Z' }, { time: ARRIVAL }],
    [{ time_iso: '2026-02-30T00:00:00.000Z' }, { time: ARRIVAL }],
    [{ time_iso: null }, { time: ARRIVAL }],
    [{ status: { toString: 1 } }, { event: '', status: null }],
    [{}, { event: '', phone_number: '', content: '', time: ARRIVAL }],
  ])('%j becomes %j', (record, row) => {
    expect(rowsOf(record)[0]?.json).toMatchObject(row);
  });

  test('every record becomes one row that the table can hold, whatever it has', () => {
    const names = [...COLUMNS, 'mobile', 'time_iso', 'value', 'answer', 'ext_no'];
    const value = fc.oneof(
      fc.jsonValue() as fc.Arbitrary<IDataObject[string]>,
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.constantFrom(null, '', '\0', '+86', 13800138000, '2026-01-01', '1'.repeat(5_000)),
      fc.date().map((date) => (Number.isNaN(date.getTime()) ? '' : date.toISOString())),
    );
    const record = fc.dictionary(fc.constantFrom(...names), value) as fc.Arbitrary<IDataObject>;
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), (records) => {
        const rows = rowsOf(...records);
        // JavaScript makes no text of { "toString": 1 }: the field stays empty.
        const isOdd = /toString|__proto__/.test(JSON.stringify(records));
        expect(rows.map(({ pairedItem }) => pairedItem)).toEqual([...records.keys()]);
        for (const { json } of rows) {
          expect(Object.keys(json)).toEqual(COLUMNS);
          const { time, handed_over: handedOver, ...texts } = json;
          expect(handedOver).toBe(false);
          if (time !== null || !isOdd) expect(time).toMatch(/^\d{4}-.*Z$/);
          for (const text of Object.values(texts)) {
            if (text === null && isOdd) continue;
            expect(typeof text).toBe('string');
            expect(text).not.toContain('\0');
          }
        }
      }),
      RUNS,
    );
  });

  test('a number is stored in one form, however it is written', () => {
    fc.assert(
      fc.property(number, spelling, (digits, spell) => {
        expect(rowsOf({ mobile: spell(digits) })[0]?.json.phone_number).toBe(digits);
      }),
      RUNS,
    );
  });

  // The SMS node refuses these: there, a person has typed them.
  test.each(['13800138000。', '1380013/8000', '电话：13800138000', '13800138000（张三）'])(
    'in the record of a service, %j is a number too',
    (phone) => {
      expect(rowsOf({ phone_number: phone })[0]?.json.phone_number).toBe('13800138000');
    },
  );

  test('a page of huge texts comes to an end', () => {
    const huge = '138 0013 '.repeat(50_000);
    const records = Array.from({ length: 100 }, () => ({ phone_number: huge, content: huge }));
    expect(rowsOf(...records)).toHaveLength(100);
  });
});

describe('Last word per number', () => {
  const words = { stop_words: 'TD, T, R, STOP, 退订，拒收,', start_words: 'START, 恢复' };
  const lastWords = (...replies: IDataObject[]) =>
    runCode(
      lastWord,
      items(
        ...replies.map((reply) => ({
          event: 'reply',
          phone_number: '13800138000',
          ...words,
          ...reply,
        })),
      ),
    ).map(({ json }) => json);

  test.each([
    'TD',
    ' td ',
    'ｔｄ',
    'TD。',
    '“TD”',
    'T D',
    'T.D.',
    '退订',
    '退订！！',
    'Stop!',
    'r',
    '\u200bSTOP\n',
    'TD❤️',
    'TD\u20e3',
  ])('%j stops', (content) => {
    expect(lastWords({ content })).toMatchObject([{ opted_out: true, word: content }]);
  });

  test.each([
    'N',
    'Y',
    '',
    '  ',
    '。',
    'STOP it',
    '不要停',
    '不退订',
    'TDD',
    '1',
    null,
    undefined,
    5,
  ])('%j neither stops nor starts', (content) => {
    expect(lastWords({ content: content as string })).toEqual([]);
  });

  test('the latest word of a number counts, and of one second the last', () => {
    const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
    const stop = (second: number) => ({ content: 'STOP', time: at(second) });
    const start = (second: number) => ({ content: 'START', time: at(second) });
    const optedOut = (...replies: IDataObject[]) =>
      lastWords(...replies).map((each) => each.opted_out);
    expect(optedOut(stop(1), start(2))).toEqual([false]);
    expect(optedOut(start(2), stop(1))).toEqual([false]);
    expect(optedOut(start(1), stop(2))).toEqual([true]);
    expect(optedOut(start(1), stop(1))).toEqual([true]);
    expect(optedOut(stop(1), { ...start(2), phone_number: '13800138001' })).toEqual([true, false]);
  });

  test('nothing that a row can hold makes it fail', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'TD', 'START', null));
    const row = fc.record(
      {
        event: fc.constantFrom('reply', 'deliveryReport', ''),
        phone_number: fc.oneof(fc.constantFrom('13800138000', '13800138001', ''), text),
        content: text,
        time: text,
        createdAt: text,
        stop_words: text,
        start_words: text,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        const found = runCode(lastWord, items(...rows));
        const numbers = found.map(({ json }) => json.phone_number);
        expect(new Set(numbers).size).toBe(numbers.length);
        for (const { json } of found) expect(json.since).toMatch(/^\d{4}-.*Z$/);
      }),
      RUNS,
    );
  });

  test('a reply without a time counts from when it was stored', () => {
    const createdAt = '2026-01-02T00:00:00.000Z';
    expect(lastWords({ content: 'TD', time: '', createdAt })).toMatchObject([{ since: createdAt }]);
  });
});

describe('One item per number', () => {
  const itemsOf = (...customers: IDataObject[]) => runCode(itemPerNumber, items(...customers));

  test('every number of every customer, however it is written, becomes an item of its own', () => {
    const separator = fc.constantFrom(', ', ';', '\n', '、', '，', ' ; ');
    const entry = fc.tuple(number, spelling);
    fc.assert(
      fc.property(
        fc.array(fc.array(entry, { minLength: 1, maxLength: 4 })),
        separator,
        (all, between) => {
          const items = itemsOf(
            ...all.map((entries, index) => ({
              name: `Customer ${index}`,
              phone: entries.map(([digits, spell]) => spell(digits)).join(between),
            })),
          );
          expect(items.map(({ json, pairedItem }) => [json.phone, json.name, pairedItem])).toEqual(
            all.flatMap((entries, index) =>
              entries.map(([digits]) => [digits, `Customer ${index}`, index]),
            ),
          );
        },
      ),
      RUNS,
    );
  });

  test('what is no number keeps its item, so that the send reports it', () => {
    const phones = (phone: unknown) =>
      itemsOf({ phone } as IDataObject).map(({ json }) => json.phone);
    expect(phones('no number')).toEqual(['no number']);
    expect(phones('13800138000, abc')).toEqual(['13800138000', 'abc']);
    for (const nothing of ['', ' ', null, undefined, []]) expect(phones(nothing)).toEqual(['']);
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const items = itemsOf(...values.map((phone) => ({ phone }) as IDataObject));
        const customers = new Set(items.map(({ pairedItem }) => pairedItem));
        expect([...customers]).toEqual([...values.keys()]);
      }),
      RUNS,
    );
  });
});

describe('the canvas of the inbox', () => {
  const { nodes, connections } = readExample('inbox');
  const named = (name: string) => nodes.find((node) => node.name === name);
  const subscribers = nodes.filter(({ type }) => type === 'n8n-nodes-base.executeWorkflow');
  const after = (name: string, output = 0) =>
    (connections[name]?.main?.[output] ?? []).map(({ node }) => node);

  test('the table is made sure of before a page is stored, because n8n runs branches from top to bottom', () => {
    const [first, ...others] = after('New reports and replies').toSorted(
      (a, b) => (named(a)?.position[1] ?? NaN) - (named(b)?.position[1] ?? NaN),
    );
    expect([first, others]).toEqual(['Make sure of the table', ['Rows']]);
    expect(after('Rows')).toEqual(['Store']);
  });

  test('marking is the lowest branch, because n8n runs branches from top to bottom', () => {
    const below = (name: string) => named(name)?.position[1] ?? NaN;
    const branches = after('Stored rows');
    const lowest = branches.toSorted((a, b) => below(a) - below(b)).at(-1);
    expect(lowest).toBe('One item per run');
    expect(after('One item per run')).toEqual(['Mark as handed over']);
    for (const { position } of subscribers) {
      expect(position[1]).toBeLessThan(below('One item per run'));
    }
  });

  test('a subscriber is deactivated, gets all items, is waited for, and keeps nothing from the others when it fails', () => {
    expect(subscribers).toHaveLength(5);
    for (const { name, disabled, onError, parameters } of subscribers) {
      expect([name, disabled, onError]).toEqual([name, true, 'continueErrorOutput']);
      expect(parameters).toMatchObject({ mode: 'once', options: { waitForSubWorkflow: true } });
      // What it gives back goes nowhere: the next subscriber gets the rows.
      expect([after(name), after(name, 1)]).toEqual([[], ['Which one failed']]);
    }
  });
});
