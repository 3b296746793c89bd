/** The expressions of the inbox, and what it promises by its canvas. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { EVENTS, sampleItems } from '../../nodes/SmsMessagingService/receiving/events';
import { readDesk } from '../e2e/lib/workflowFiles';
import { foundBy } from './dataTable';
import { evaluate, parametersOf } from './expression';
import { runFields } from './fields';
import { items } from './node';

const RUNS = { numRuns: 150 };

const RUN = '4711';

/** What a record without a time gets. */
const ARRIVAL = expect.stringMatching(
  new RegExp(`^${new Date().getUTCFullYear()}-.*Z$`),
) as unknown;

const rowsOf = (...records: IDataObject[]) => runFields('inbox', 'Rows', items(...records), RUN);

const COLUMNS = [
  ...['event', 'phone_number', 'status', 'status_desc', 'content', 'batch_id', 'user_data'],
  ...['phone_data', 'split_count', 'other', 'time', 'run'],
];

describe('Rows', () => {
  test('a delivery report and a reply', () => {
    const given = { status: 'DELIVRD', status_desc: '成功', batch_id: '9007199254740993' };
    const data = { phone_data: 'customer-1', user_data: 'order-1001', split_count: 1 };
    const time_iso = '2026-01-01T00:00:00.000Z';
    const event = 'deliveryReport';
    const [report, reply] = rowsOf(
      { ...given, ...data, event, time: 1767225600, phone_number: '+86 138-0013-8000', time_iso },
      ...[
        { event: 'reply', content: 'STOP', mobile: 13800138000, batch_id: '', page_id: 'page-1' },
      ],
    );
    expect(report?.json).toEqual({
      ...{ ...given, ...data, event, phone_number: '13800138000', time: time_iso },
      ...{ content: '', other: '', run: RUN },
    });
    expect(reply?.json).toMatchObject({
      ...{ phone_number: '13800138000', content: 'STOP', split_count: 0 },
      ...{ time: ARRIVAL, run: 'page-1' },
    });
  });

  test.each([
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
      { event: 'deliveryReport', Phone: '13800138000', State: 'a\0b', page_id: 'page-1' },
      { other: '{"event":"deliveryReport","Phone":"13800138000","State":"a\\u0000b"}' },
    ],
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
          const { time, split_count: parts, ...texts } = json;
          if (parts !== null || !isOdd) expect(parts).toEqual(expect.any(Number));
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

  test.each([
    ...['13800138000', ' 13800138000 ', '+8613800138000', '+86 138 0013 8000', '(+86) 13800138000'],
    ...['0086-138-0013-8000', '138-0013-8000', '１３８００１３８０００', '\u202d13800138000\u202c'],
    // The SMS node refuses these: there, a person has typed them.
    ...['13800138000。', '1380013/8000', '电话：13800138000', '13800138000（张三）'],
  ])('%j is stored as 13800138000', (mobile) => {
    expect(rowsOf({ mobile })[0]?.json.phone_number).toBe('13800138000');
  });

  test('a page of huge texts comes to an end', () => {
    const huge = '138 0013 '.repeat(50_000);
    const records = Array.from({ length: 100 }, () => ({ phone_number: huge, content: huge }));
    expect(rowsOf(...records)).toHaveLength(100);
  });
});

describe('Event and time of a pushed record', () => {
  const eventAndTime = (record: IDataObject) =>
    runFields('inbox', 'Event and time', items(record), RUN, {
      'List of records': items({ page_id: 'push-1' }),
    })[0]?.json;

  test.each([
    [{ status: 'DELIVRD', phone_number: '13800138000' }, 'deliveryReport'],
    [{ content: 'TD', mobile: 13800138000 }, 'reply'],
    [{ mobile: 13800138000 }, 'reply'],
    [{ event: 'reply', status: 'x' }, 'reply'],
    [{ event: 'something', status: 'x' }, 'deliveryReport'],
    [{ value: 'text alone' }, 'unreadable'],
  ])('%j is a %s', (record, event) => {
    expect(eventAndTime(record)).toMatchObject({ event, page_id: 'push-1' });
  });

  test.each([
    [1767225600, '2026-01-01T00:00:00.000Z'],
    ['1767225600', '2026-01-01T00:00:00.000Z'],
    [1767225600123, '2026-01-01T00:00:00.123Z'],
    ['2026-01-01T08:00:00+08:00', '2026-01-01T00:00:00.000Z'],
    // Nobody knows the time zone.
    ['2026-01-01 08:00:00', null],
    [2601010800, null],
    ['', null],
    [{}, null],
  ])('the time %j is %s', (time, iso) => {
    expect(eventAndTime({ status: '', time } as IDataObject)).toMatchObject({ time_iso: iso });
  });
});

describe('What the reply says', () => {
  const words = { stop_words: 'TD, T, R, STOP, 退订，拒收,', start_words: 'START, 恢复' };
  const says = (reply: IDataObject) =>
    runFields(
      'inbox',
      'What the reply says',
      items({ event: 'reply', phone_number: '13800138000', time: '2026', ...words, ...reply }),
      RUN,
      { 'Newest row': items({}) },
    )[0]?.json.says;

  test.each<[string, unknown[]]>([
    [
      'stop',
      ['TD', ' td ', 'ｔｄ', 'TD。', '“TD”', 'T D', 'T.D.', '退订', '退订！！', 'Stop!', 'r'],
    ],
    ['stop', ['\u200bSTOP\n', 'TD❤️', 'TD\u20e3']],
    ['start', ['start', '恢复。']],
    ['', ['N', 'Y', '', '  ', '。', 'STOP it', '不要停', '不退订', 'TDD', '1', null, undefined, 5]],
  ])('"%s" is what each of %j says', (said, contents) => {
    expect(contents.map((content) => says({ content } as IDataObject))).toEqual(
      contents.map(() => said),
    );
    // A report says nothing, and neither does a reply without a number.
    for (const other of [{ event: 'deliveryReport' }, { phone_number: '' }])
      expect(says({ content: 'TD', ...other })).toBe('');
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
  /** Which workflows it calls, and whether it waits for them. */
  const calls = nodes
    .filter(({ type }) => type === 'n8n-nodes-base.executeWorkflow')
    .map(({ parameters }) => [
      (parameters.workflowId as { value: string }).value,
      (parameters.options as { waitForSubWorkflow: boolean }).waitForSubWorkflow,
    ]);
  return { nodes, named, after, calls };
}

test('a sample of the trigger is no page to store', () => {
  const { conditions } = parametersOf('inbox', 'Only a new page') as {
    conditions: { conditions: { leftValue: string }[] };
  };
  const isNew = (record: IDataObject) =>
    rowsOf(record).every(({ json }) =>
      evaluate(String(conditions.conditions[0]?.leftValue), {
        $json: json,
        nodes: { 'Page stored already?': [{}] },
      }),
    );
  const samples = Object.values(EVENTS).flatMap((event) => sampleItems(event));
  expect(samples.map(({ json }) => isNew(json))).toEqual([false, false, false]);
  // A service may have a field of the same name.
  expect(isNew({ event: 'reply', content: 'STOP', sample: true })).toBe(true);
});

test('a record that comes another way is stored already only if all of it is the same', () => {
  const [$json = {}] = rowsOf({
    event: 'reply',
    mobile: 13800138000,
    content: '1',
    batch_id: 'b',
  }).map(({ json }) => ({ ...json, id: 7 }));
  const others = ['event', 'phone_number', 'batch_id', 'status', 'content', 'time'].map(
    (column) => ({
      ...$json,
      [column]: 'other',
    }),
  );
  const sight = { $json, nodes: { 'Newest row': [{ id: 9 }] } };
  expect(foundBy('inbox', 'Same record in the table', [$json, ...others], sight)).toEqual([$json]);
});

describe('the canvases of the inbox', () => {
  const inbox = canvas('inbox');
  const serve = canvas('inbox-serve');

  test('everything that can be done twice is done before the store', () => {
    expect(inbox.after('New reports and replies')).toEqual(['Rows']);
    expect(inbox.after('Event and time')).toEqual(['Rows']);
    expect(inbox.after('Rows')).toEqual(['Newest row', 'Only a new page']);
    expect(inbox.after('Only a new page')).toEqual(['Was it pushed or pulled?', 'New records']);
    expect(inbox.after('New records')).toEqual(['Stop and start words', 'Store']);
    expect(inbox.after('Store')).toEqual(['Serve the subscribers']);
  });

  test('the opt-outs and a hand-over look for later words and for a failure first', () => {
    expect(inbox.after('Stop or start')).toEqual([
      'Later replies of the number',
      'Last word of each number',
    ]);
    expect(serve.after('Rows to hand over')).toEqual(['Only if there are any', 'Did it succeed?']);
    expect(serve.after('Hand over', 1)).toEqual(['Note why not']);
  });

  test('a page never waits for a subscriber', () => {
    expect(inbox.calls).toEqual([['sms-inbox-serve', false]]);
    const itself = ['={{ $workflow.id }}', false];
    expect(serve.calls).toEqual([
      itself,
      ["={{ $('Claim').first().json.workflow_id }}", true],
      itself,
    ]);
  });

  test('only who holds the claim writes, and a claim that has run out can be taken', () => {
    const claim = { id: 4, free_at: '2026-07-01T12:10:00.000Z' };
    const others = [
      { ...claim, free_at: '2026-07-01T12:20:00.000Z' },
      { ...claim, id: 5 },
    ];
    const sight = { nodes: { Claim: [claim] } };
    for (const node of ['Note why not', 'Move the cursor']) {
      expect(foundBy('inbox-serve', node, [claim, ...others], sight)).toEqual([claim]);
    }
    const taken = (now: string) =>
      foundBy('inbox-serve', 'Claim', [claim], { $json: { id: 4 }, $now: DateTime.fromISO(now) });
    expect(taken('2026-07-01T12:09:59.999Z')).toEqual([]);
    expect(taken('2026-07-01T12:10:00.000Z')).toEqual([claim]);
  });

  test('a push is answered when it is stored', () => {
    const { responseMode } = inbox.named('Pushed reports and replies')?.parameters ?? {};
    expect(responseMode).toBe('lastNode');
  });

  test('pages are repeated until they are stored, in one transaction', () => {
    const { options: repeat } = inbox.named('New reports and replies')?.parameters ?? {};
    expect(repeat).toEqual({ repeatFailed: true });
    const { operation, options } = inbox.named('Store')?.parameters ?? {};
    expect([operation, options]).toEqual(['insert', { optimizeBulk: true }]);
  });
});
