/** The expressions of the inbox, and what it promises by its canvas. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { EVENTS, sampleItems } from '../../test/kit/engine/pulls';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import { foundBy } from './database';
import { fieldsOf, holds, saidBy } from '../../test/kit/workflows/expression';
import { runDesk, type World } from './workflow';

const RUN = '4711';

/** What a record without a time gets. */
const ARRIVAL = expect.stringMatching(
  new RegExp(`^${new Date().getUTCFullYear()}-.*Z$`),
) as unknown;

const $execution = { id: RUN };

/** What the inbox makes of the records of a page. */
function rowsOf(...records: IDataObject[]): IDataObject[] {
  const sight = { nodes: { Page: records }, $prevNode: { name: 'Page' }, $execution };
  return fieldsOf('inbox', 'Rows', sight).rows as IDataObject[];
}

const rowOf = (record: IDataObject): IDataObject => rowsOf(record)[0] ?? {};

const COLUMNS = [
  ...['event', 'phone_number', 'status', 'status_desc', 'content', 'batch_id', 'user_data'],
  ...['phone_data', 'split_count', 'other', 'time', 'run'],
];

/** A value as a text, which has nothing that a store does not take. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string);
  return text.replaceAll('\0', '').toWellFormed();
}

/** What a record without a known field has, that none of the columns has. */
const KNOWN = [
  'phone_number',
  'mobile',
  'status',
  'status_desc',
  'content',
  'batch_id',
  'user_data',
];

/** The row of a record, by what the README and the canvas say. */
function expectedRow(record: IDataObject): object {
  const given = textOf(record.phone_number || record.mobile);
  const digits = given
    .normalize('NFKC')
    .replace(/^[^\w+]+/, '')
    .replace(/^\+|^00(?=86)/, '');
  const mobile = /^(?:86)?(1[3-9]\d{9})$/.exec(digits.replace(/\W/g, ''));
  const at = DateTime.fromISO(textOf(record.time_iso)).toUTC();
  const isKnown = [...KNOWN, 'phone_data', 'value', 'answer'].some((name) => name in record);
  const others = { ...record };
  delete others.page_id;
  return {
    event: textOf(record.event),
    phone_number: mobile?.[1] ?? given,
    status: textOf(record.status),
    status_desc: textOf(record.status_desc),
    content: textOf(record.content ?? record.value ?? record.answer),
    batch_id: textOf(record.batch_id),
    user_data: textOf(record.user_data),
    phone_data: textOf(record.phone_data),
    split_count: Number(textOf(record.split_count)) || 0,
    other: isKnown ? '' : JSON.stringify(others),
    time: at.isValid && at.year >= 2000 && at.year <= 9999 ? at.toISO() : ARRIVAL,
    run: RUN,
  };
}

describe('Rows', () => {
  const given = {
    ...{ event: 'deliveryReport', status: 'DELIVRD', status_desc: '成功', split_count: 1 },
    ...{ batch_id: '9007199254740993', phone_data: 'customer-1', user_data: 'order-1001' },
  };
  const time_iso = '2026-01-01T00:00:00.000Z';
  const stop = { event: 'reply', content: 'STOP' };
  const unknown = { event: 'deliveryReport', Phone: '13800138000', State: 'a\0b' };

  test.each([
    [
      { ...given, time: 1767225600, phone_number: '+86 138-0013-8000', time_iso },
      { ...given, phone_number: '13800138000', time: time_iso, content: '', other: '', run: RUN },
    ],
    [
      { ...stop, mobile: 13800138000, page_id: 'page-1' },
      { ...stop, phone_number: '13800138000', split_count: 0, time: ARRIVAL, run: 'page-1' },
    ],
    [
      { event: 'unreadable', answer: '<html>' },
      { event: 'unreadable', content: '<html>' },
    ],
    [{ event: 'reply', value: 'text alone' }, { content: 'text alone' }],
    [{ event: 'unreadable', answer: { list: 'a\0b' } }, { content: '{"list":"a\\u0000b"}' }],
    [{ event: 'reply', content: 'a\0b' }, { content: 'ab' }],
    [{ phone_number: '13800138000, 13800138001' }, { phone_number: '13800138000, 13800138001' }],
    // A number of the United States.
    [{ phone_number: '+1 380-013-8000' }, { phone_number: '+1 380-013-8000' }],
    [{ phone_number: '13800138000 or so' }, { phone_number: '13800138000 or so' }],
    [{ phone_number: '', mobile: '13800138000' }, { phone_number: '13800138000' }],
    [{ time_iso: '2026-01-01T08:00:00+08:00' }, { time: '2026-01-01T00:00:00.000Z' }],
    [{ time_iso: '+275000-01-01T00:00:00.000Z' }, { time: ARRIVAL }],
    [{ time_iso: '2026-02-30T00:00:00.000Z' }, { time: ARRIVAL }],
    [{ split_count: ['many'] }, { split_count: 0 }],
    [
      { ...unknown, page_id: 'page-1' },
      { other: JSON.stringify(unknown), run: 'page-1' },
    ],
    [{}, { event: '', phone_number: '', content: '', time: ARRIVAL }],
  ])('%j becomes %j', (record, row) => {
    expect(rowOf(record)).toMatchObject(row);
  });

  const names = [...COLUMNS, 'mobile', 'time_iso', 'value', 'answer', 'ext_no'];
  const value = fc.oneof(
    fc.jsonValue() as fc.Arbitrary<IDataObject[string]>,
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, '', '\0', '+86', 13800138000, '2026-01-01', '1'.repeat(5_000)),
    fc.constantFrom(
      true,
      0,
      ['+86 138-0013-8000'],
      { toString: 1 },
      '3',
      '\ud800',
      '１３８００１３８０００',
    ),
    fc.date().map((date) => (Number.isNaN(date.getTime()) ? '' : date.toISOString())),
  );
  const page = fc.array(
    fc.dictionary(fc.constantFrom(...names), value) as fc.Arbitrary<IDataObject>,
    { maxLength: 5 },
  );

  test('a record becomes a row that the table can hold, whatever it and the others of its page have', () => {
    fc.assert(
      fc.property(page, (records) => {
        const made = rowsOf(...records);
        expect(made).toHaveLength(records.length);
        for (const row of made) {
          expect(Object.keys(row)).toEqual(COLUMNS);
          const { time, split_count, ...texts } = row;
          expect(split_count).toEqual(expect.any(Number));
          expect(time).toMatch(/^\d{4}-.*Z$/);
          for (const text of Object.values(texts)) {
            expect(typeof text).toBe('string');
            expect(text).not.toContain('\0');
            expect(String(text).isWellFormed()).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('each row says what its record says', () => {
    fc.assert(
      fc.property(page, (records) => {
        expect(rowsOf(...records)).toEqual(records.map(expectedRow));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ...['13800138000', ' 13800138000 ', '+8613800138000', '+86 138 0013 8000', '(+86) 13800138000'],
    ...['0086-138-0013-8000', '138-0013-8000', '１３８００１３８０００', '\u202d13800138000\u202c'],
    // The SMS node refuses these: there, a person has typed them.
    ...['13800138000。', '1380013/8000', '电话：13800138000', '13800138000（张三）'],
  ])('%j is stored as 13800138000', (mobile) => {
    expect(rowOf({ mobile }).phone_number).toBe('13800138000');
  });

  test('a huge text comes to an end', () => {
    const huge = '138 0013 '.repeat(500_000);
    expect(rowOf({ phone_number: huge, content: huge }).event).toBe('');
  });
});

test.each([
  [{ status: 'DELIVRD', phone_number: '13800138000' }, 'deliveryReport', null],
  [{ content: 'TD', mobile: 13800138000 }, 'reply', null],
  [{ mobile: 13800138000, time: '' }, 'reply', null],
  [{ event: 'reply', status: 'x', time: {} }, 'reply', null],
  [{ event: 'something', status: 'x' }, 'deliveryReport', null],
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
  expect(pushed).toMatchObject({ event, page_id: expect.stringMatching(/^push-[0-9a-f]{64}$/) });
  expect(pushed?.time_iso ?? null).toBe(time_iso);
});

/** The records of what is pushed. */
function pushedRecords(body: unknown): IDataObject[] {
  const nodes = { 'Pushed reports and replies': [{ body }] };
  return fieldsOf('inbox', 'List of records', { nodes }).value as IDataObject[];
}

/** What the inbox adds to a record that is pushed. */
const ADDED = ['page_id', 'event', 'time_iso'];

test('what is pushed is a list of records, whatever it is', () => {
  const pushed = (body: unknown) =>
    pushedRecords(body).map((record) =>
      Object.fromEntries(Object.entries(record).filter(([name]) => !ADDED.includes(name))),
    );
  const [a, b] = [{ mobile: '1' }, { status: 'x' }];
  expect(pushed({ count: 2, data: [a, b] })).toEqual([a, b]);
  expect(pushed({ data: a })).toEqual([a]);
  expect(pushed([a, {}, b])).toEqual([a, b]);
  expect(pushed(a)).toEqual([a]);
  for (const nothing of [{}, [], { data: [] }, { data: null }]) expect(pushed(nothing)).toEqual([]);
  for (const text of ['text alone', 5, null]) expect(pushed(text)).toEqual([{ value: text }]);
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (data) => {
      const whole = data.filter((record) => JSON.stringify(record) !== '{}');
      expect(pushedRecords({ data })).toHaveLength(whole.length);
    }),
  );
});

test.each<[string, unknown[]]>([
  ['stop', ['TD', ' td ', 'ｔｄ', 'TD。', '“TD”', 'T D', 'T.D.', '退订', '退订！！', 'Stop!', 'r']],
  ['stop', ['\u200bSTOP\n', 'TD❤️', 'TD\u20e3']],
  ['start', ['start', '恢复。']],
  ['', ['N', 'Y', '', '  ', '。', 'STOP it', '不要停', '不退订', 'TDD', '1', null, undefined, 5]],
])('"%s" is what each of the replies %j says', (said, contents) => {
  const words = { stop_words: 'TD, T, R, STOP, 退订，拒收,', start_words: 'START, 恢复' };
  const reply = { event: 'reply', phone_number: '13800138000', time: '2026' };
  const says = (fields: object) => saidBy({ ...reply, ...fields }, words);
  expect(contents.map((content) => says({ content }))).toEqual(contents.map(() => said));
  // A report says nothing, and neither does a reply without a number.
  for (const other of [{ event: 'deliveryReport' }, { phone_number: '' }])
    expect(says({ content: 'TD', ...other })).toBe('');
});

test('a sample of the trigger is no page to store', () => {
  const isNew = (record: IDataObject) => newOf([rowOf(record)]).length > 0;
  const samples = Object.values(EVENTS).flatMap((event) => sampleItems(event));
  expect(samples.map(({ json }) => isNew(json))).toEqual([false, false, false]);
  // A service may have a field of the same name.
  expect(isNew({ event: 'reply', content: 'STOP', sample: true })).toBe(true);
});

/** The rows of a page that are new, if the table has others of their times. */
function newOf(rows: IDataObject[], stored?: IDataObject[]): IDataObject[] {
  const nodes = { Rows: [{ rows }], ...(stored && { 'Rows of these times': stored }) };
  const $json = { stop_words: 'TD', start_words: 'START' };
  return fieldsOf('inbox', 'New records', { $json, nodes }).rows as IDataObject[];
}

test('a record that comes another way is stored already only if all of it is the same', () => {
  const record = { event: 'reply', mobile: 13800138000, content: '1', batch_id: 'b' };
  const row = rowOf(record);
  // PostgreSQL gives times of its own.
  for (const time of [row.time, new Date(String(row.time))])
    expect(newOf([row], [{ ...row, id: 7, run: 'push-1', time } as IDataObject])).toEqual([]);
  const columns = ['event', 'phone_number', 'batch_id', 'status', 'content'];
  const others = columns.map((column) => ({ ...row, [column]: 'other' }));
  const later = { ...row, time: new Date(Date.parse(String(row.time)) + 1).toJSON() };
  expect(newOf([row], [...others, later])).toEqual([{ ...row, says: '' }]);
});

test('the table is asked for all times of a page in a few looks', () => {
  const timesOf = (...seconds: number[]) => {
    const rows = seconds.map((second) => ({ time: new Date(second * 1000).toJSON() }));
    const { times } = fieldsOf('inbox', 'Times of the records', { nodes: { Rows: [{ rows }] } });
    return (times as { from: string; to: string }[]).map(({ from, to }) =>
      [from, to].map((time) => Date.parse(time) / 1000),
    );
  };
  expect(timesOf(104, 20, 100, 20, 109)).toEqual([
    [20, 20],
    [100, 104],
    [109, 109],
  ]);
  fc.assert(
    fc.property(fc.array(fc.nat(100), { minLength: 1 }), (seconds) => {
      const looks = timesOf(...seconds);
      for (const each of seconds)
        expect(looks.filter(([from = 0, to = 0]) => from <= each && each <= to)).toHaveLength(1);
    }),
  );
});

describe('a page', () => {
  const now = DateTime.fromISO('2026-07-01T12:00:00Z');
  const record = fc.record({
    event: fc.constantFrom('deliveryReport', 'reply'),
    phone_number: fc.constantFrom('13800138000', '13800138001'),
    time_iso: fc.nat(40).map((second) => now.minus({ seconds: second }).toUTC().toISO()),
    ...{ batch_id: fc.constantFrom('a', 'b'), content: fc.constantFrom('', '1', '\ud800') },
  });
  const pages = fc.array(
    fc.record({
      isPushed: fc.boolean(),
      records: fc.uniqueArray(record, { minLength: 1, selector: (each) => JSON.stringify(each) }),
      // Of a page that failed, the trigger gives some alone, or all of it again.
      tries: fc.array(fc.option(fc.nat(20)), { maxLength: 5 }),
    }),
    { maxLength: 6 },
  );

  test('that is pushed, pulled or comes again, whole or in part, stores each of its records once', () => {
    fc.assert(
      fc.property(pages, (all) => {
        const tables: World['tables'] = { 'sms.inbox': [] };
        const store = (start: string, world: Partial<World>, input: IDataObject) =>
          runDesk('inbox', start, input, { tables, now, ...world });
        const expected = new Set<string>();
        let hasPushed = false;
        let count = 0;
        for (const [index, { isPushed, records, tries }] of all.entries()) {
          const run = { execution: String(index) };
          for (const alone of [...tries, null]) {
            const number = alone === null ? NaN : alone % records.length;
            const page_id = alone === null ? `page-${index}` : `page-${index}/${number + 1}`;
            const given = records.filter((_, place) => alone === null || place === number);
            if (isPushed) store('Pushed reports and replies', run, { body: records });
            else {
              const start = given.map((each) => ({ page_id, ...each }));
              store('New reports and replies', { ...run, start }, {});
            }
          }
          hasPushed ||= isPushed;
          // Without a push, a page is only compared with itself.
          const names = records.map((each) => JSON.stringify(each));
          count += hasPushed ? names.filter((name) => !expected.has(name)).length : names.length;
          for (const name of names) expected.add(name);
        }
        expect(tables['sms.inbox']).toHaveLength(count);
      }),
      { numRuns: 100 },
    );
  });
});

/** A workflow, with what follows a node. */
function canvas(name: string) {
  const { nodes, connections } = readDesk(name);
  const named = (node: string) => nodes.find((each) => each.name === node);
  /** n8n runs branches from top to bottom. */
  const after = (node: string, output = 0) =>
    (connections[node]?.main?.[output] ?? [])
      .map((next) => next.node)
      .toSorted((a, b) => (named(a)?.position[1] ?? NaN) - (named(b)?.position[1] ?? NaN));
  return { nodes, named, after };
}

const inbox = canvas('inbox');
const serve = canvas('inbox-serve');

// At a stop, n8n ends its task runner first: then each Code node fails, and the trigger still brings pages.
test('what can be done twice is done before a page is stored, and no Code node', () => {
  const last = 'One item per row';
  const way = { 'New reports and replies': ['Rows'], Rows: ['Newest row', 'Only new records'] };
  const words = { 'Stop and start words': ['New records'] };
  const after = {
    ...way,
    ...{ 'Only new records': ['Was it pushed or pulled?', 'Stop and start words'], ...words },
    'New records': ['What the replies say', last],
  };
  for (const [node, next] of Object.entries(after)) expect(inbox.after(node)).toEqual(next);
  expect([last, 'Store'].map((node) => inbox.after(node))).toEqual([
    ['Store'],
    ['Is it the last page?'],
  ]);
  expect(inbox.after('Is it the last page?')).toEqual(['Serve the subscribers']);
  expect(inbox.after('One item per record')).toEqual(['Rows']);
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (name === 'Store' || seen.has(name)) return;
    seen.add(name);
    for (const next of inbox.after(name)) visit(next);
  };
  visit('Rows');
  const types = [...seen].map((name) => inbox.named(name)?.type);
  expect(types).not.toContain('n8n-nodes-base.code');
  expect(types).not.toContain('n8n-nodes-base.executeWorkflow');
});

test('pages are repeated until they are stored, in one transaction, and a push is answered then', () => {
  const parametersOfNode = (name: string) => inbox.named(name)?.parameters;
  expect(parametersOfNode('New reports and replies')?.options).toEqual({ repeatFailed: true });
  expect(parametersOfNode('Store')?.query).toContain('json_populate_recordset(NULL::sms.inbox');
  expect(parametersOfNode('Pushed reports and replies')?.responseMode).toBe('lastNode');
});

test('the opt-outs and a hand-over look for later words and for a failure first', () => {
  expect(inbox.after('Stop or start')).toEqual([
    'Later replies of the number',
    'Last word of each number',
  ]);
  expect(serve.after('Rows to hand over')).toEqual(['One item per row', 'Did it succeed?']);
  expect(serve.after('Hand over', 1)).toEqual(['Note why not']);
});

test('the inbox calls for the subscribers that are free behind the last page of a drain, or a push', () => {
  const calls = (length: number) => {
    const nodes = { Rows: [{ rows: Array.from({ length }, () => ({})) }] };
    return holds('inbox', 'Is it the last page?', { nodes });
  };
  expect([1, 99, 100].map(calls)).toEqual([true, true, false]);
  const called = { success: true, insertedRows: 5 };
  expect(holds('inbox-serve', 'Is it for one subscriber?', { $json: called })).toBe(false);
  expect(serve.after('Is it for one subscriber?', 1)).toEqual(['Free subscribers']);
});

test('a page never waits for a subscriber', () => {
  const waiting = [inbox, serve].flatMap(({ nodes }) =>
    nodes.filter(({ type, parameters }) => {
      const options = parameters.options as { waitForSubWorkflow?: boolean } | undefined;
      return type.endsWith('.executeWorkflow') && options?.waitForSubWorkflow !== false;
    }),
  );
  expect(waiting.map(({ name }) => name)).toEqual(['Hand over']);
});

test('only who holds the claim writes, and a claim that has run out can be taken', () => {
  const claim = { id: 4, free_at: '2026-07-01T12:10:00.000Z' };
  const others = [
    { ...claim, free_at: '2026-07-01T12:20:00.000Z' },
    { ...claim, id: 5 },
  ];
  const nodes = { Claim: [claim], 'Rows to hand over': [{ up_to: 9 }] };
  const sight = { $json: {}, $now: DateTime.fromISO(claim.free_at), nodes };
  for (const node of ['Note why not', 'Move the cursor']) {
    const found = [claim, ...others].map(
      (row) => foundBy('inbox-serve', node, [row], sight).length,
    );
    expect(found).toEqual([1, 0, 0]);
  }
  const taken = (now: string) =>
    foundBy('inbox-serve', 'Claim', [claim], { $json: { id: 4 }, $now: DateTime.fromISO(now) });
  expect(taken('2026-07-01T12:09:59.999Z')).toEqual([]);
  expect(taken('2026-07-01T12:10:00.000Z')).toEqual([claim]);
});

test('a start word takes off only a stop word that is older', () => {
  const since = (minute: number) => `2026-06-03T12:0${minute}:00.000Z`;
  const rows = [1, 2, 3].map((minute) => ({ phone_number: '1', since: since(minute) }));
  const sight = { $json: { phone_number: '1', since: since(2) } };
  const found = rows.map(
    (row) => foundBy('inbox', 'Take off the opt-out list', [row], sight).length,
  );
  expect(found).toEqual([1, 1, 0]);
});

test('of the stop and start words of a number in a page the latest counts, of the same time the last', () => {
  const word = (id: number, phone_number: string, minute: number) => {
    return { id, phone_number, since: `2026-06-03T12:0${minute}:00.000Z` };
  };
  const input = [word(1, 'a', 2), word(2, 'a', 1), word(3, 'b', 1), word(4, 'b', 1)];
  const nodes = { 'Later replies of the number': [] };
  const kept = input.filter(($json) =>
    holds('inbox', 'Last word of each number', { $json, input, nodes }),
  );
  expect(kept.map(({ id }) => id)).toEqual([1, 4]);
});

test('a report settles what may have been sent, and no page says so any more', () => {
  const now = DateTime.fromISO('2026-07-01T12:00:00Z');
  const at = now.minus({ minutes: 30 }).toISO();
  const phone = (id: number) => `1380000000${id}`;
  const message = (id: number, change: object) => ({
    ...{ id, phone_number: phone(id), status: 'unknown', reason: 'HTTP 500', batch_id: '' },
    ...{ phone_data: '', template: '7', sent_at: at, createdAt: at, ...change },
  });
  const outbox = [
    message(1, {}),
    message(2, { phone_data: 'sms_recipients:7' }),
    message(3, { status: 'claimed' }),
    message(4, { status: 'rejected' }),
    // Which of the two it was, nobody knows.
    message(5, { phone_data: 'sms_recipients:8' }),
    message(6, { phone_data: 'sms_recipients:8', phone_number: phone(5) }),
    message(7, {}),
  ];
  const report = (id: number, phone_data: string, others: object = {}) => ({
    ...{ event: 'deliveryReport', phone_number: phone(id), phone_data, batch_id: `b${id}` },
    ...{ status: 'DELIVRD', time_iso: now.toISO(), page_id: 'p', ...others },
  });
  const start = [
    ...[report(1, 'sms_outbox:1'), report(2, 'sms_recipients:7'), report(3, 'sms_outbox:3')],
    ...[report(4, 'sms_outbox:4'), report(5, 'sms_recipients:8')],
    // Another number's, and one without its batch.
    ...[report(9, 'sms_outbox:7'), report(7, 'sms_outbox:7', { batch_id: '' })],
  ];
  const tables: World['tables'] = { 'sms.outbox': outbox, 'sms.inbox': [] };
  runDesk('inbox', 'New reports and replies', {}, { tables, now, start, execution: '1' });
  expect(tables['sms.outbox']?.map(({ status, batch_id }) => [status, batch_id])).toEqual([
    ...[
      ['accepted', 'b1'],
      ['accepted', 'b2'],
      ['accepted', 'b3'],
      ['rejected', ''],
    ],
    ...[
      ['unknown', ''],
      ['unknown', ''],
      ['unknown', ''],
    ],
  ]);
  expect(tables['sms.inbox']).toHaveLength(start.length);
  const given = { Balance: [{ balance: 9_000 }] };
  const opened = { query: {}, headers: {} };
  const nodes = runDesk('dashboard', 'Page is opened', opened, { tables, now, given });
  expect(nodes['Count and judge']?.[0]?.shown).toMatchObject({
    figures: { here: { sent: 3, missing: 0 } },
  });
});
