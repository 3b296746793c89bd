/** The expressions of the inbox, and what it promises by its canvas. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { VERSION } from '../src/declared';
import { EVENTS, sampleItems } from '../../test/kit/engine/pulls';
import { settings } from '../../test/kit/search/settings';
import { fieldsOf, parametersOf } from '../../test/kit/workflows/expression';
import { database, quoted } from './database';
import { inTurn, runDesk, type Row, type World } from './workflow';

/** What a record without a time gets. */
const ARRIVAL = expect.stringMatching(
  new RegExp(`^${new Date().getUTCFullYear()}-.*Z$`),
) as unknown;

/** What the inbox makes of the records of a page. */
function rowsOf(...records: IDataObject[]): IDataObject[] {
  const sight = { nodes: { Page: records }, $prevNode: { name: 'Page' } };
  return fieldsOf('inbox', 'Rows', { ...sight, $execution: { id: '4711' } }).rows as IDataObject[];
}

const rowOf = (record: IDataObject): IDataObject => rowsOf(record)[0] ?? {};

/** A value as a text, which has nothing that a store does not take. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string);
  return text.replaceAll('\0', '').toWellFormed();
}

/** Columns that have the text of a field of their name. */
const TEXTS = ['event', 'status', 'status_desc', 'batch_id', 'user_data', 'phone_data'];

/** The row of a record, by what the README and the canvas say. */
function expectedRow(record: IDataObject): object {
  const all = [record.phone_number, record.mobile, record.phone];
  const numbers = all.map((each) => textOf(each || ''));
  const given = numbers.find((each) => each.trim() !== '') ?? '';
  // What is nobody's, or what nobody has understood, is stored whole, and told.
  const event = given === '' ? 'unreadable' : textOf(record.event);
  const digits = given.normalize('NFKC').replace(/[^\w+]/g, '');
  const mobile = /^(?:tel)?(?:(?:\+|00)?86)?(1[3-9]\d{9})$/.exec(digits);
  const at = DateTime.fromISO(textOf(record.time_iso)).toUTC();
  return {
    ...Object.fromEntries(TEXTS.map((name) => [name, textOf(record[name])])),
    event,
    phone_number: mobile?.[1] ?? given,
    // Some give a report the text of its message: it may be a code.
    content: event === 'deliveryReport' ? '' : textOf(record.content),
    split_count: Number(textOf(record.split_count)) || 0,
    other: event === 'unreadable' ? textOf({ ...record, page_id: undefined }) : '',
    time: at.isValid && at.year >= 2000 && at.year <= 9999 ? at.toISO() : ARRIVAL,
    run: textOf(record.page_id ?? '4711'),
  };
}

const names = [
  ...[...TEXTS, 'phone_number', 'mobile', 'phone', 'content', 'value', 'answer'],
  ...['split_count', 'other', 'time', 'run', 'page_id', 'time_iso', 'ext_no'],
];
const value = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<IDataObject[string]>,
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(null, '', ' ', '\0', 'unreadable', 13800138000, '2026-01-01', '1'.repeat(5_000)),
  fc.constantFrom(
    ...[true, 0, ['+86 138-0013-8000'], { toString: 1 }, { list: 'a\0b' }, '3', '\ud800'],
    // A number of the United States, one with words, and times.
    ...['+1 380-013-8000', '13800138000 or so'],
    ...['+275000-01-01T00:00:00.000Z', '2026-01-01T08:00:00+08:00'],
  ),
  // The SMS node refuses the last ones: there, a person has typed them.
  fc.constantFrom(
    ...[
      ' 13800138000 ',
      'tel:13800138000',
      '+86 138 0013 8000',
      '(+86) 13800138000',
      '0086-138-0013-8000',
    ],
    ...[
      '１３８００１３８０００',
      '\u202d13800138000\u202c',
      '1380013/8000',
      '电话：13800138000（张三）',
    ],
  ),
  fc.date().map((date) => (Number.isNaN(date.getTime()) ? '' : date.toISOString())),
);
const records = fc.array(
  fc.dictionary(fc.constantFrom(...names), value) as fc.Arbitrary<IDataObject>,
  { maxLength: 5 },
);

test('each row says what its record says, in texts that the table takes', () => {
  fc.assert(
    fc.property(records, (all) => expect(rowsOf(...all)).toEqual(all.map(expectedRow))),
    settings(400),
  );
  const huge = '138 0013 '.repeat(500_000);
  expect(rowOf({ phone_number: huge, content: huge }).event).toBe('');
  const report = { event: 'deliveryReport', phone_number: '13800138000', content: 'Code 4821' };
  expect(rowOf(report)).toEqual(expectedRow(report));
});

test.each([
  [{ status: 'DELIVRD', phone_number: '13800138000' }, 'deliveryReport', null],
  [{ content: 'TD', mobile: 13800138000 }, 'reply', null],
  [{ mobile: 13800138000, text: 'TD', time: '' }, 'unreadable', null],
  [{ event: 'reply', status: 'x', time: {} }, 'reply', null],
  [{ event: 'something', status: 'x' }, 'deliveryReport', null],
  [{ content: 'TD', mobile: 13800138000, status: 0 }, 'reply', null],
  [{ content: 'Hi', status: 'DELIVRD' }, 'deliveryReport', null],
  [{ content: '拒收请回复R', phone_number: '1', status: 'FAILED' }, 'deliveryReport', null],
  [{ content: '拒收请回复R', mobile: '1', status: 'FAILED' }, 'deliveryReport', null],
  // No state of a message: it is the customer's.
  [{ content: 'TD', mobile: 13800138000, status: 'RECEIVED' }, 'reply', null],
  [{ content: 'TD', phone: 13800138000, status: 'success' }, 'reply', null],
  [{ value: 'text alone' }, 'unreadable', null],
  [{ status: '', time: 1767225600 }, 'deliveryReport', '2026-01-01T00:00:00.000Z'],
  [{ status: '', time: '1767225600' }, 'deliveryReport', '2026-01-01T00:00:00.000Z'],
  [{ content: '', time: 1767225600123 }, 'reply', '2026-01-01T00:00:00.123Z'],
  [{ content: '', time: '2026-01-01T08:00:00+08:00' }, 'reply', '2026-01-01T00:00:00.000Z'],
  // Nobody knows the time zone.
  [{ content: '', time: '2026-01-01 08:00:00' }, 'reply', null],
  [{ content: '', time: 2601010800 }, 'reply', null],
])('%j is pushed: it is a %s, and its time is %s', (record, event, time_iso) => {
  const [pushed] = pushedRecords(record);
  expect(pushed).toMatchObject({
    event,
    page_id: expect.stringMatching(/^push-[0-9a-f]{64}(-timeless)?$/),
  });
  expect(pushed?.time_iso ?? null).toBe(time_iso);
});

const PUSHED = 'Pushed reports and replies';

/** The records of what is pushed. */
function pushedRecords(body: unknown): IDataObject[] {
  const nodes = { [PUSHED]: [{ body }] };
  return fieldsOf('inbox', 'List of records', { nodes }).value as IDataObject[];
}

test('what is pushed is a list of records, whatever it is', () => {
  const [a, b] = [{ mobile: '1' }, { status: 'x' }];
  const lists = [{ list: [a, b] }, { 0: a, 1: b }].map((data) => ({ data }));
  for (const body of [{ count: 2, data: [a, b] }, [a, {}, b], ...lists])
    expect(pushedRecords(body)).toMatchObject([a, b]);
  for (const body of [{ data: a }, a]) expect(pushedRecords(body)).toMatchObject([a]);
  // Beside a number, "data" is a field like any other, or has the rest of its record.
  const [mobile, content] = ['13800138000', 'TD'];
  for (const data of [null, [], {}, 'x', [1], { carrier: 'x' }])
    expect(pushedRecords({ mobile, content, data })).toMatchObject([{ mobile, content }]);
  for (const data of [{ content }, { phone: '2', content }])
    expect(pushedRecords({ mobile, data })).toMatchObject([{ mobile, ...data, event: 'reply' }]);
  for (const data of ['TD', [content]])
    expect(pushedRecords({ mobile, data })).toMatchObject([{ mobile, data, event: 'unreadable' }]);
  for (const page of [{ data: [a, b] }, { list: [a, b] }])
    expect(pushedRecords({ phone: '2', ...page })).toMatchObject([a, b]);
  for (const nothing of [{}, [], { data: [] }, { data: null }])
    expect(pushedRecords(nothing)).toEqual([]);
  expect(pushedRecords({ ...a, list: null })).toMatchObject([{ ...a, list: null }]);
  for (const text of ['text alone', '{"data": [', 5, null])
    expect(pushedRecords(text)).toMatchObject([{ value: text }]);
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (data) => {
      const whole = data.filter((record) => JSON.stringify(record) !== '{}');
      expect(pushedRecords({ data })).toHaveLength(whole.length);
    }),
  );
});

test('a sample of the trigger is not stored, and only a reply of a number says something', () => {
  const words = {
    stop_words: 'TD, 退订',
    doubt_words: '投诉',
    start_words: 'START, 恢复, 取消退订',
  };
  const stored = (record: IDataObject) => {
    const nodes = { Rows: [{ rows: [rowOf(record)] }] };
    return fieldsOf('inbox', 'What the replies say', { $json: words, nodes }).rows as IDataObject[];
  };
  const samples = Object.values(EVENTS).flatMap((event) => sampleItems(event));
  expect(samples.flatMap(({ json }) => stored(json))).toEqual([]);
  // A service may have a field of the same name.
  const reply = { event: 'reply', content: 'TD', mobile: '13800138000', sample: true };
  expect(stored(reply)).toMatchObject([{ says: 'stop' }]);
  for (const content of ['start', '恢复。', '取消退订'])
    expect(stored({ ...reply, content })).toMatchObject([{ says: 'start' }]);
  for (const content of ['TD 张三', '不退订', '要投诉你们'])
    expect(stored({ ...reply, content })).toMatchObject([{ says: 'doubt' }]);
  for (const other of [{ event: 'deliveryReport' }, { mobile: '' }, { content: null }])
    expect(stored({ ...reply, ...other })).toMatchObject([{ says: '' }]);
});

describe('a page', () => {
  const now = DateTime.fromISO('2026-07-01T12:00:00Z', { zone: 'utc' });
  const record = fc
    .record({
      event: fc.constantFrom('deliveryReport', 'reply', 'reply'),
      phone_number: fc.constantFrom('13800138000', '13800138001'),
      time_iso: fc.nat(5).map((second) => now.minus({ seconds: second }).toUTC().toISO()),
      batch_id: fc.constantFrom('a', 'b'),
      phone_data: fc.constantFrom('', 'sms_outbox:1', 'sms_outbox:2'),
      content: fc.constantFrom('', '1', 'TD', 'TD 张三', 'START'),
    })
    .map((each) => (each.event === 'reply' ? each : { ...each, content: '' }));
  type Record = typeof record extends fc.Arbitrary<infer Each> ? Each : never;
  const pages = fc.array(
    fc.record({
      isPushed: fc.boolean(),
      records: fc.array(record, { minLength: 1, maxLength: 6 }),
      // Of a page that failed, the trigger gives some alone, or all of it again.
      tries: fc.array(fc.option(fc.nat(20)), { maxLength: 5 }),
    }),
    { maxLength: 6 },
  );

  test('that is pushed, pulled or comes again, in whole or in part, is stored once, and the latest word counts', async () => {
    await fc.assert(
      fc.asyncProperty(pages, async (all) => {
        const tables: World['tables'] = { 'sms.inbox': [] };
        const stored: { record: Record; key: string; isPushed: boolean; run: string }[] = [];
        for (const [index, { isPushed, records, tries }] of all.entries()) {
          for (const alone of isPushed ? [null, null] : [...tries, null]) {
            const number = alone === null ? 0 : (alone % records.length) + 1;
            const page_id = `page-${index}${number ? `/${number}` : ''}`;
            const given = records.filter((_, place) => number === 0 || place + 1 === number);
            if (isPushed) await runDesk('inbox', PUSHED, { body: records }, { tables, now });
            else {
              const start = given.map((each) => ({ page_id, ...each }));
              await runDesk('inbox', 'New reports and replies', start, { tables, now });
            }
            const page = isPushed ? JSON.stringify(records) : `page-${index}`;
            const before = [...stored];
            for (const [place, each] of given.entries()) {
              const own = `${page}/${number || place + 1}`;
              const key = JSON.stringify({ ...each, phone_data: '' });
              // Of two messages of a batch, each has its report.
              const isSame = ({ key: other, record: { phone_data } }: (typeof stored)[number]) =>
                other === key && (!phone_data || [phone_data, ''].includes(each.phone_data));
              const isKnown = before.some(
                (row) => row.run === own || (isSame(row) && (isPushed || row.isPushed)),
              );
              if (!isKnown) stored.push({ ...{ record: each, key, isPushed, run: own } });
            }
          }
        }
        const rows = tables['sms.inbox'] ?? [];
        const given = stored.map(({ record: each }) => ({ ...each, time_iso: undefined }));
        expect(rows.map((row) => ({ ...row, time_iso: undefined }))).toMatchObject(given);
        const words = stored
          .map(({ record: each }) => each)
          .filter(({ event, content }) => event === 'reply' && /^[TS]/.test(content))
          // Of the same time, an opt-out counts.
          .sort((a, b) => Number(a.content !== 'START') - Number(b.content !== 'START'))
          .sort((a, b) => Date.parse(a.time_iso ?? '') - Date.parse(b.time_iso ?? ''));
        const last = new Map(words.map((each) => [each.phone_number, each]));
        const listed = [...last.values()].filter(({ content }) => content !== 'START');
        const onList = (all: Row[]) =>
          all.map((each) => `${each.phone_number} ${Date.parse(String(each.since))}`).sort();
        expect(onList(tables['sms.opt_outs'] ?? [])).toEqual(
          onList(listed.map((each) => ({ ...each, since: each.time_iso }))),
        );
      }),
      { numRuns: 60 },
    );
  });

  test.each([undefined, '2026-07-01', '20260701'])(
    'a customer may push the same of %j again, an hour later',
    async (time) => {
      const body = { mobile: '13800138000', content: 'TD', time };
      const tables: World['tables'] = {};
      const push = () => runDesk('inbox', PUSHED, { body }, { tables, now });
      await push();
      await push();
      expect(tables['sms.inbox']).toHaveLength(1);
      tables['sms.inbox'] = (tables['sms.inbox'] ?? []).map((row) => ({
        ...{ ...row, createdAt: now.minus({ minutes: 61 }).toISO() },
        time: now.minus({ minutes: 61 }).toISO(),
      }));
      tables['sms.opt_outs'] = [];
      await push();
      expect(tables['sms.opt_outs']).toMatchObject([{ word: 'TD' }]);
    },
  );

  test('stop words of one number in two spellings put it on the list once, with the later one, and no start word of its second takes it off', async () => {
    const tables: World['tables'] = {};
    const reply = { event: 'reply', content: 'TD', time_iso: now.toISO() };
    const earlier = { ...reply, content: 'T', time_iso: now.minus({ hours: 1 }).toISO() };
    const start = [
      { ...reply, mobile: 'tel:13800138000' },
      { ...earlier, mobile: '13800138000' },
      { ...reply, content: 'START', mobile: '13800138000' },
    ];
    await runDesk('inbox', 'New reports and replies', start, { tables, now });
    expect(tables['sms.inbox']).toHaveLength(3);
    expect(tables['sms.opt_outs']).toMatchObject([{ phone_number: '13800138000', word: 'TD' }]);
  });

  test('a start word with a time that is still to come makes no stop word an earlier one', async () => {
    const tables: World['tables'] = {};
    const come = async (content: string, at: DateTime, time = at) => {
      const reply = { event: 'reply', mobile: '13800138000', content, time_iso: time.toISO() };
      await runDesk('inbox', 'New reports and replies', [reply], { tables, now: at });
    };
    await come('START', now, now.plus({ hours: 8 }));
    await come('TD', now.plus({ minutes: 1 }));
    expect(tables['sms.opt_outs']).toMatchObject([{ word: 'TD' }]);
  });

  test('of two words of a page whose times are still to come, the latest one by its time counts', () => {
    database().fill({}, '');
    const reply = { event: 'reply', phone_number: '13800138000', run: 'page' };
    const report = { event: 'deliveryReport', run: 'page' };
    const page = [
      { ...reply, content: 'TD', says: 'stop', time: '2100-01-01T00:00:05Z' },
      ...Array.from({ length: 100 }, (_, index) => ({ ...report, phone_number: String(index) })),
      { ...reply, content: 'START', says: 'start', time: '2100-01-01T00:00:00Z' },
    ];
    database().rows(`SELECT sms.inbox_store(${VERSION}, ${quoted(JSON.stringify(page))})`);
    expect(database().rows('SELECT word FROM sms.opt_outs')).toEqual([{ word: 'TD' }]);
  });

  test.each<[string, string[]]>([
    ['some day', []],
    ['2026-07-01T11:59:00.000Z', []],
    ['2026-07-01T11:59:56.000Z', ['2026-07-01T11:59:56.000Z']],
    // Nobody has opted out in the future: then it was just now.
    ['2062-01-02', ['2026-07-01T12:00:00.000Z']],
  ])('a start word of 11:59:55 takes off who is on the list since %j: %j', async (since, left) => {
    const reply = { event: 'reply', mobile: '+008613800138000' };
    // An earlier opt-out that comes late takes no time back.
    for (const words of [['START'], ['TD', 'START']]) {
      const listed = { phone_number: '+86 138 0013 8000', word: '', since };
      const tables: World['tables'] = { 'sms.opt_outs': [listed] };
      for (const content of words) {
        const time_iso = now.minus({ seconds: content === 'TD' ? 10 : 5 }).toISO();
        const start = [{ ...reply, content, time_iso, page_id: content }];
        await runDesk('inbox', 'New reports and replies', start, { tables, now });
      }
      const rows = tables['sms.opt_outs'] ?? [];
      expect(rows.map((row) => new Date(String(row.since)).toISOString())).toEqual(left);
    }
  });
});

test('a page comes again until it is stored; a push is answered then', () => {
  const { options } = parametersOf('inbox', 'New reports and replies');
  expect(options).toEqual({ repeatFailed: true });
  expect(parametersOf('inbox', PUSHED).responseMode).toBe('lastNode');
});

test('the inbox calls for the subscribers that are free behind the last page of a drain, or a push', async () => {
  const world = { tables: {} };
  const calls = async (length: number) => {
    const start = Array.from({ length }, () => ({ event: 'reply', mobile: '1' }));
    const nodes = await runDesk('inbox', 'New reports and replies', start, world);
    return Object.keys(nodes).filter((name) => /^Store$|subscribers/.test(name));
  };
  const all = ['Store', 'Serve the subscribers'];
  expect(await inTurn([1, 99, 100], calls)).toEqual([all, all, ['Store']]);
  const start = 'Called by the inbox or itself';
  expect(await runDesk('inbox-serve', start, { stored: 5 }, world)).toHaveProperty(
    'Subscribers to serve',
  );
});
