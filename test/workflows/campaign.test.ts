/**
 * The Code nodes of the campaigns, with a data table and with PostgreSQL: what they make of their items.
 * The SQL is tested on PostgreSQL, end to end.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import countRows from '../../examples/code/campaign/Counts';
import lookForOptOuts from '../../examples/code/campaign/Look for opt-outs';
import newRows from '../../examples/code/campaign/New rows';
import outcomes from '../../examples/code/campaign/Outcomes';
import page from '../../examples/code/campaign/Page';
import sendsToRemember from '../../examples/code/campaign/Sends to remember';
import settledRows from '../../examples/code/campaign/Settled rows';
import stretches from '../../examples/code/campaign/Stretches of rows';
import optOutsAsOneList from '../../examples/code/campaign-postgres/Opt-outs as one list';
import outcomesAsOneList from '../../examples/code/campaign-postgres/Outcomes as one list';
import pageOfOutbox from '../../examples/code/campaign-postgres/Page';
import recipientsAsOneList from '../../examples/code/campaign-postgres/Recipients as one list';
import reportsAsOneList from '../../examples/code/campaign-postgres/Reports as one list';
import type { Item } from '../../examples/code/n8n';
import type { Row } from '../e2e/lib/campaign';
import { readExample } from '../e2e/lib/examples';
import { items, runCode, type Surroundings } from './node';

interface Range {
  from: number;
  to: number;
  status: string;
  batch_id: string;
  reason: string;
}

interface TableRow extends Row {
  sent_at: string | null;
}

/** The number of cases that are tried, and where they begin: as `npm run search` sets them. */
const SEARCH = {
  numRuns: Number(process.env.SEARCH_RUNS ?? 500),
  ...(process.env.SEARCH_SEED && { seed: Number(process.env.SEARCH_SEED) }),
};

const $now = {
  toFormat: () => '2026-12-01 10:00:00',
  toISO: () => '2026-12-01T10:00:00Z',
  zoneName: 'Asia/Shanghai',
} as unknown as Surroundings['$now'];

type Module<Json> = Parameters<typeof runCode<Json>>[0];

/** The fields of what a Code node puts out. */
function run<Json>(node: Module<Json>, input: Item[], nodes: Surroundings['nodes'] = {}): Json[] {
  return runCode(node, input, { nodes, $now }).map(({ json }) => json);
}

function list(text: unknown): IDataObject[] {
  return JSON.parse(String(text)) as IDataObject[];
}

const row = (id: number, change: Partial<TableRow> = {}): TableRow => ({
  id,
  phone_number: `138${String(id).padStart(8, '0')}`,
  status: 'sending',
  portion: '7',
  batch_id: '',
  reason: '',
  sent_at: '2026-12-01T10:00:00Z',
  ...change,
});

/** A campaign's store, and what its Code nodes do with it. */
interface Store {
  name: string;
  /** The numbers of the rows that are to be sent, and the texts that are no numbers. */
  load: (recipients: unknown, campaign?: string) => { numbers: unknown[]; invalid: unknown[] };
  /** What becomes of the second of two claimed rows, after this item of the send. */
  settle: (item: Item) => { status: unknown; batch_id: unknown; reason: unknown };
  /** Whether an opt-out with this text stops the row of the number. */
  isStopped: (number: string, optOut: string | null) => boolean;
  page: typeof page;
}

const CLAIMED = [row(1), row(2)];

const STORES: Store[] = [
  {
    name: 'a data table',
    load: (recipients, campaign = 'Spring') => {
      const rows = run(newRows, [], { Recipients: items({ campaign, recipients }) });
      const numbersOf = (wanted: string) =>
        rows.filter(({ status }) => status === wanted).map(({ phone_number }) => phone_number);
      return { numbers: numbersOf('pending'), invalid: numbersOf('failed') };
    },
    settle: ({ json, pairedItem }) => {
      // The error output has the fields of the row too.
      const isError = 'error' in json || 'details' in json;
      const item = { json: isError ? { ...row(2), ...json } : json, pairedItem };
      const claimed = items(...CLAIMED);
      const nodes = { 'Claim the portion': claimed, 'Not opted out?': claimed };
      const [range] = run(outcomes, [item], nodes);
      expect(range).toMatchObject({ from: 2, to: 2 });
      return range as Range;
    },
    isStopped: (number, optOut) => {
      const rows = items({ phone_number: number });
      const nodes = { 'Who opted out': items({}, { phone_number: optOut }) };
      return run(lookForOptOuts, rows, nodes)[0]?.opted_out === true;
    },
    page,
  },
  {
    name: 'PostgreSQL',
    load: (recipients, campaign = 'Spring') => {
      const [loaded] = run(recipientsAsOneList, items({ body: { campaign, recipients } }));
      const numbers = list(loaded?.rows).map(({ phone_number }) => phone_number);
      return { numbers, invalid: loaded?.first_invalid as unknown[] };
    },
    settle: (item) => {
      const nodes = { 'Claim a portion': items(...CLAIMED) };
      const [settled] = run(outcomesAsOneList, [item], nodes);
      expect(settled?.portion).toBe('7');
      const [outcome] = list(settled?.outcomes);
      expect(outcome?.phone_number).toBe(row(2).phone_number);
      return outcome as unknown as Range;
    },
    isStopped: (number, optOut) => {
      const [copied] = run(optOutsAsOneList, items({}, { phone_number: optOut }));
      return list(copied?.numbers).some((each) => String(each) === number);
    },
    page: pageOfOutbox,
  },
];

describe.each(STORES)('with $name', ({ load, settle, isStopped, page: pageIn }) => {
  test('every spelling of a number becomes its 11 digits, and several become several rows', () => {
    const recipients = [
      { phone: '+86 138 1000 0010', name: 'Li' },
      { phone: 13810000011 },
      { phone: '138-1000-0012, 0086 13810000013' },
      { phone: ['13810000014'] },
    ];
    const numbers = [10, 11, 12, 13, 14].map((ending) => `138100000${ending}`);
    expect(load(recipients)).toEqual({ numbers, invalid: [] });
  });

  test('what is no number is kept, and the others are taken', () => {
    const recipients = [{ phone: '13810000021' }, { phone: 'ask him' }, { name: 'No' }, null, 'Li'];
    expect(load(recipients)).toEqual({
      numbers: ['13810000021'],
      invalid: ['ask him', '', '', ''],
    });
  });

  test('a request without a campaign or without a list is refused', () => {
    expect(() => load([], ' ')).toThrow(/campaign/);
    for (const recipients of [undefined, {}]) {
      expect(() => load(recipients)).toThrow(/recipients/);
    }
  });

  const sent = { phone_numbers: [row(2).phone_number] };

  test.each([
    [{ status: 'unknown', ...sent }],
    [{ details: { status: 'unknown', ...sent, msg: 'no answer' } }],
    // n8n's own error item.
    [{ error: 'Credentials not found' }],
  ])('after %j the message may have been sent', (json) => {
    for (const pairedItem of [1, { item: 1 }]) {
      expect(settle({ json, pairedItem })).toMatchObject({ status: 'unknown' });
    }
  });

  test('an accepted message has its batch, and no reason', () => {
    const json = { status: 'accepted', ...sent, batch_id: 'b', code: 0 };
    expect(settle({ json, pairedItem: 1 })).toMatchObject({
      status: 'accepted',
      batch_id: 'b',
      reason: '',
    });
  });

  test('a refused message has its reason', () => {
    const details = { status: 'rejected', ...sent, msg: 'no balance' };
    const json = { error: 'no', message: 'no', details };
    expect(settle({ json, pairedItem: 1 })).toMatchObject({
      status: expect.stringMatching(/^(refused|failed)$/) as unknown,
      reason: 'no balance',
    });
  });

  test.each(['13800000002', '+86 138 0000 0002', '0086-138-0000-0002', '13811111111; 13800000002'])(
    'the opt-out %j stops the row of this number',
    (optOut) => {
      expect(isStopped('13800000002', optOut)).toBe(true);
      expect(isStopped('13800000001', optOut)).toBe(false);
    },
  );

  test.each([null, '', 'none'])('the opt-out %j stops nobody', (optOut) => {
    expect(isStopped('13800000002', optOut)).toBe(false);
  });

  const count = (status: string, rows: number, change: object = {}) => ({
    ...{ campaign: '<b>Spring</b>', status, rows, recent: 0, since: null, reason: null },
    ...change,
  });
  const pageOf = (...counts: object[]) => String(run(pageIn, items(...counts))[0]?.page);

  test('the page counts by status, and says how long the rest takes', () => {
    const since = Date.now() - 300_000;
    const html = pageOf(
      count('pending', 6_000),
      count('delivered', 3_990, { recent: 3_000, since }),
      count('failed', 10, { reason: 'no' }),
    );
    expect(html).toContain('10,000 rows. 600 rows a minute');
    expect(html).toMatch(/about 1[01] minutes/);
    expect(html).toMatch(/delivered<\/th><td>3,990<\/td><td>39.9 %/);
    expect(html).toContain('2026-12-01 10:00:00, Asia/Shanghai');
  });

  test('the page has no script, and what comes from the table is escaped', () => {
    const attack = '<script>alert(1)</script>';
    const html = pageOf(count('failed', 1, { reason: attack, campaign: attack }));
    expect(html).not.toMatch(/<script/);
    expect(html.match(/&lt;script&gt;/g)).toHaveLength(2);
  });

  test('an empty table has a page too', () => {
    expect(pageOf({})).toContain('No rows yet.');
  });
});

describe('with a data table', () => {
  /** What the update by condition does to the rows of a range that pass `isOpen`. */
  function applied(rows: TableRow[], ranges: Range[], isOpen: (row: TableRow) => boolean) {
    const table = rows.map((row) => ({ ...row }));
    for (const { from, to, status, batch_id, reason } of ranges) {
      for (const row of table) {
        if (row.id < from || row.id > to || !isOpen(row)) continue;
        Object.assign(row, { status, batch_id, reason });
      }
    }
    return table;
  }

  const idsWithGaps = (most: number) =>
    fc
      .array(fc.constantFrom(1, 1, 1, 1, 2, 3, 150), { maxLength: most, size: 'max' })
      .map((steps) =>
        steps.reduce<number[]>((ids, step) => [...ids, (ids.at(-1) ?? 0) + step], []),
      );

  test('a number that the campaign has is left out, and each number comes once', () => {
    const recipients = [
      { phone: '13810000021, 13810000022', name: 'Li', order: 7 },
      { phone: '138-1000-0022' },
      { phone: ['13810000023', '13810000022'] },
    ];
    const others = { Recipients: items({ campaign: 'Spring', recipients }) };
    const rows = run(newRows, items({ phone_number: '13810000021' }), others);
    expect(rows.map(({ phone_number, name, order }) => [phone_number, name, order])).toEqual([
      ['13810000022', 'Li', '7'],
      ['13810000023', '', ''],
    ]);
  });

  describe('Outcomes', () => {
    const kinds = fc.record({
      kind: fc.constantFrom(
        'accepted',
        'accepted',
        'accepted',
        'rejected',
        'skipped',
        'unknown',
        'odd',
      ),
      batch: fc.constantFrom('a', 'b'),
      msg: fc.constantFrom('busy', 'no'),
      isOptedOut: fc.constantFrom(false, false, false, true),
      wasReported: fc.constantFrom(false, false, false, false, true),
    });

    test('the ranges do what an update of each row would do, and leave other rows alone', () => {
      fc.assert(
        fc.property(
          idsWithGaps(40).chain((ids) =>
            fc.tuple(
              fc.constant(ids),
              // PostgreSQL gives the claimed rows back in any order.
              fc.shuffledSubarray(ids, { minLength: ids.length }),
              fc.array(kinds, { minLength: ids.length, maxLength: ids.length }),
              fc.array(fc.constantFrom('mine', 'mine', 'mine', 'other'), {
                minLength: ids.length,
                maxLength: ids.length,
              }),
            ),
          ),
          ([ids, shuffled, found, owners]) => {
            const table = ids.map((id, index) =>
              row(id, {
                portion: owners[index] === 'mine' ? '7' : '8',
                status: found[index]?.wasReported ? 'delivered' : 'sending',
              }),
            );
            const claimed = table.filter(({ portion }) => portion === '7');
            const kindOf = ({ id }: TableRow) => {
              const kind = found[ids.indexOf(id)];
              if (!kind) throw new Error(`no kind for ${id}`);
              return kind;
            };
            const sent = claimed.filter((each) => !kindOf(each).isOptedOut);
            const good: Item[] = [];
            const bad: Item[] = [];
            const wanted = new Map<number, Partial<TableRow>>();
            sent.forEach((each, item) => {
              const { kind, batch: batch_id, msg } = kindOf(each);
              if (kind === 'accepted') {
                good.push({
                  json: { status: kind, batch_id, msg: 'success' },
                  pairedItem: { item },
                });
                wanted.set(each.id, { status: 'accepted', batch_id, reason: '' });
                return;
              }
              const details = kind === 'odd' ? undefined : { status: kind, msg };
              bad.push({ json: { ...each, error: msg, message: msg, details }, pairedItem: item });
              const isUnknown = kind === 'unknown' || kind === 'odd';
              const status = isUnknown ? 'unknown' : 'refused';
              wanted.set(each.id, { status, batch_id: '', reason: msg });
            });
            const others = {
              'Claim the portion': items(
                ...[...claimed].sort((a, b) => shuffled.indexOf(a.id) - shuffled.indexOf(b.id)),
              ),
              'Not opted out?': items(...sent),
            };
            const ranges = [good, bad].flatMap((input) => run(outcomes, input, others));
            const isOpen = ({ portion, status }: TableRow) =>
              portion === '7' && status === 'sending';
            expect(applied(table, ranges, isOpen)).toEqual(
              table.map((each) => (isOpen(each) ? { ...each, ...wanted.get(each.id) } : each)),
            );
          },
        ),
        SEARCH,
      );
    });

    test('500 rows of five batches are five ranges', () => {
      const claimed = items(...Array.from({ length: 500 }, (_, index) => row(index + 1)));
      const input = claimed.map((_, item) => ({
        json: { status: 'accepted', batch_id: `b${Math.floor(item / 100)}` },
        pairedItem: { item },
      }));
      const others = { 'Claim the portion': claimed, 'Not opted out?': claimed };
      expect(run(outcomes, input, others)).toHaveLength(5);
    });
  });

  describe('Settled rows', () => {
    const STATUSES = [
      'pending',
      'sending',
      'accepted',
      'accepted',
      'unknown',
      'delivered',
      'failed',
      'opted_out',
      'refused',
      'pending again',
    ];
    // As the conditions of "Settle by reports".
    const isOpen = ({ status, sent_at }: TableRow) =>
      !['delivered', 'failed', 'opted_out'].includes(status) && sent_at !== null;
    const withStatus = (id: number, status: string) =>
      row(id, {
        status: status === 'pending again' ? 'pending' : status,
        sent_at: status === 'pending' ? null : '2026-12-01T10:00:00Z',
      });
    const oneReport = fc.record({
      status: fc.constantFrom('DELIVRD', 'DELIVRD', 'DELIVRD', 'UNDELIV', 'EXPIRED', ''),
      batch_id: fc.constantFrom('a', 'a', 'a', 'b', ''),
      isForeign: fc.constantFrom(false, false, false, false, false, false, true),
      phone_data: fc.constantFrom(...Array<undefined>(8).fill(undefined), '', 'sms_campaign:x'),
    });
    const reportsOfRow = fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 8, arbitrary: fc.array(oneReport, { minLength: 1, maxLength: 2 }) },
    );

    test('the ranges do what an update of each row would do, and leave other rows alone', () => {
      fc.assert(
        fc.property(
          idsWithGaps(60),
          fc.infiniteStream(fc.constantFrom(...STATUSES)),
          fc.infiniteStream(reportsOfRow),
          (ids, statuses, kinds) => {
            const table = ids.map((id) => withStatus(id, statuses.next().value as string));
            const reports = table.flatMap(({ id, phone_number }) => {
              const found = kinds.next().value as typeof kinds extends Iterable<infer T>
                ? T
                : never;
              return found.map(({ isForeign, phone_data, ...rest }) => ({
                ...rest,
                status_desc: '',
                phone_number: isForeign ? '13911111111' : phone_number,
                phone_data: phone_data ?? `sms_campaign:${id}`,
              }));
            });
            const close = run(stretches, items(...reports));
            const read = close.flatMap(({ from, to }) =>
              table.filter(({ id }) => id >= from && id <= to),
            );
            const ranges = run(settledRows, items(...read), {
              'Reports of the campaign': items(...reports),
            });
            const expected = table.map((each) => {
              const report = reports.find(
                ({ phone_data, phone_number, status }) =>
                  phone_data === `sms_campaign:${each.id}` &&
                  phone_number === each.phone_number &&
                  status !== '',
              );
              if (!report || !isOpen(each)) return each;
              const isDelivered = report.status === 'DELIVRD';
              return {
                ...each,
                status: isDelivered ? 'delivered' : 'failed',
                batch_id: report.batch_id || 'unknown',
                reason: isDelivered ? '' : report.status,
              };
            });
            expect(applied(table, ranges, isOpen)).toEqual(expected);
            // The same page again changes nothing.
            expect(applied(expected, ranges, isOpen)).toEqual(expected);
          },
        ),
        SEARCH,
      );
    });

    test.each([
      ['refused', 'DELIVRD', 'delivered'],
      ['refused', 'UNDELIV', 'failed'],
      ['pending again', 'DELIVRD', 'delivered'],
      ['pending', 'DELIVRD', 'pending'],
    ])('a row that is %s and reported as %s is %s', (status, reported, settled) => {
      const table = [withStatus(1, status)];
      const { phone_number } = row(1);
      const report = {
        phone_number,
        phone_data: 'sms_campaign:1',
        batch_id: 'a',
        status: reported,
      };
      const others = { 'Reports of the campaign': items(report) };
      const ranges = run(settledRows, items(...table), others);
      expect(applied(table, ranges, isOpen)).toMatchObject([{ status: settled }]);
    });

    test('no range reaches over rows that were not read', () => {
      const table = [1, 2, 150, 300, 301].map((id) => row(id, { status: 'accepted' }));
      const reports = table
        .filter(({ id }) => id !== 150)
        .map(({ id, phone_number }) => ({
          phone_number,
          phone_data: `sms_campaign:${id}`,
          batch_id: 'a',
          status: 'DELIVRD',
        }));
      const read = table.filter(({ id }) => id !== 150);
      const others = { 'Reports of the campaign': items(...reports) };
      expect(run(settledRows, items(...read), others)).toMatchObject([
        { from: 1, to: 2 },
        { from: 300, to: 301 },
      ]);
    });

    test('a page of 1,000 reports with some failures needs few updates', () => {
      const rows = Array.from({ length: 1_000 }, (_, index) =>
        row(index + 1, { status: 'accepted' }),
      );
      const reports = rows.map(({ id, phone_number }) => ({
        phone_number,
        phone_data: `sms_campaign:${id}`,
        batch_id: `b${Math.floor((id - 1) / 100)}`,
        status: id % 50 === 0 ? 'UNDELIV' : 'DELIVRD',
      }));
      const others = { 'Reports of the campaign': items(...reports) };
      expect(run(stretches, items(...reports))).toEqual([{ from: 1, to: 1_000 }]);
      const ranges = run(settledRows, items(...rows), others);
      expect(ranges).toHaveLength(20 + 10);
      const settled = applied(rows, ranges, isOpen);
      expect(settled.map(({ status }) => status)).toEqual(
        reports.map(({ status }) => (status === 'DELIVRD' ? 'delivered' : 'failed')),
      );
    });
  });

  test('Stretches are at most 1,000 ids long, and leave out what is no row', () => {
    const ids = [3, 1, 90, 250, ...Array.from({ length: 25 }, (_, index) => 1_000 + 50 * index)];
    const others = ['', undefined, 'sms_campaign:', 'sms_campaign:-4', 'xsms_campaign:4'];
    const texts = [...ids.map((id) => `sms_campaign:${id}`), ...others];
    const reports = texts.map((phone_data) => ({ phone_data }));
    expect(run(stretches, items(...reports))).toEqual([
      { from: 1, to: 90 },
      { from: 250, to: 250 },
      { from: 1_000, to: 1_950 },
      { from: 2_000, to: 2_200 },
    ]);
  });

  test('Sends to remember: what the others join replies with', () => {
    const input = [{ json: { status: 'accepted', batch_id: 'b' }, pairedItem: { item: 1 } }];
    const remembered = runCode(sendsToRemember, input, {
      nodes: { 'Not opted out?': items(row(1), { ...row(2), order: 'A-2' }) },
      params: { templateId: { value: '302', cachedResultName: '' } },
      $workflow: { name: 'Campaign' },
      $now,
    });
    expect(remembered.map(({ json }) => json)).toEqual([
      {
        batch_id: 'b',
        phone_number: row(2).phone_number,
        status: 'accepted',
        template: '302',
        source: 'Campaign',
        reference: 'A-2',
        sent_at: '2026-12-01T10:00:00Z',
      },
    ]);
  });

  test('Counts: rows by status, and those that were claimed in the last ten minutes', () => {
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const rows = Array.from({ length: 6 }, (_, index) => ({
      ...row(index + 1, { status: index < 2 ? 'failed' : 'accepted', reason: `no ${index}` }),
      campaign: 'Spring',
      sent_at: index === 5 ? null : minutesAgo(index < 2 ? 20 : 4),
    }));
    expect(run(countRows, items({}, ...rows))).toEqual([
      { campaign: 'Spring', status: 'failed', rows: 2, recent: 0, since: null, reason: 'no 1' },
      {
        ...{ campaign: 'Spring', status: 'accepted', rows: 4, recent: 3, reason: '' },
        since: Date.parse(rows[2]?.sent_at ?? ''),
      },
    ]);
  });
});

describe('with PostgreSQL', () => {
  const example = readExample('campaign-postgres');
  const named = (name: string) => example.nodes.find((node) => node.name === name);

  test('the other fields become text, without what PostgreSQL cannot store', () => {
    const recipients = [{ phone: '13810000010', order: 42, note: 'a\0b\ud800', none: null }];
    const [loaded] = run(
      recipientsAsOneList,
      items({ body: { campaign: ' s\0pring', recipients } }),
    );
    expect(loaded).toMatchObject({ campaign: 'spring', invalid: 0 });
    const parameters = { order: '42', note: 'ab\ufffd', none: '' };
    expect(list(loaded?.rows)).toEqual([{ phone_number: '13810000010', parameters }]);
  });

  test('of several messages each has its outcome, and a skipped one may have been sent', () => {
    const [settled] = run(
      outcomesAsOneList,
      items(
        { status: 'skipped', phone_numbers: ['13810000010'], batch_id: 'b' },
        { details: { status: 'rejected', phone_numbers: ['13810000011'], msg: 'no\0 balance' } },
      ),
      { 'Claim a portion': items(...CLAIMED) },
    );
    expect(list(settled?.outcomes)).toEqual([
      { phone_number: '13810000010', status: 'unknown', batch_id: 'b', reason: '' },
      { phone_number: '13810000011', status: 'failed', batch_id: '', reason: 'no balance' },
    ]);
  });

  test('a number that opted out twice is copied once', () => {
    const [copied] = run(optOutsAsOneList, items(row(1), row(2), row(1)));
    expect(list(copied?.numbers)).toEqual([row(1).phone_number, row(2).phone_number]);
  });

  describe('Reports as one list', () => {
    const reports = (...rows: IDataObject[]) =>
      list(run(reportsAsOneList, items(...rows))[0]?.reports);

    test('a report is known by portion, number and batch', () => {
      const row = {
        event: 'deliveryReport',
        phone_number: '13810000010',
        status: 'DELIVRD',
        status_desc: 'fine',
        user_data: '7-1',
        batch_id: 'b',
      };
      expect(reports(row, { ...row, status: 'UNDELIV', status_desc: '空号' })).toEqual([
        {
          phone_number: '13810000010',
          portion: '7-1',
          batch_id: 'b',
          is_delivered: true,
          reason: '',
        },
        {
          phone_number: '13810000010',
          portion: '7-1',
          batch_id: 'b',
          is_delivered: false,
          reason: 'UNDELIV 空号',
        },
      ]);
    });

    test('replies and rows without a number are left out, and empty columns are fine', () => {
      const bare = { event: 'deliveryReport', phone_number: '13810000010' };
      expect(
        reports({ ...bare, event: 'reply' }, { ...bare, phone_number: '' }, bare, {}),
      ).toMatchObject([{ phone_number: '13810000010', portion: '', batch_id: '' }]);
      expect(reports()).toEqual([]);
    });
  });

  test('query parameters carry every value into the SQL, and one send takes a portion', () => {
    const queries = example.nodes.filter(({ type }) => type === 'n8n-nodes-base.postgres');
    for (const { name, parameters } of queries) {
      // An expression in the text of a query would let data become SQL.
      expect([name, String(parameters.query)]).toEqual([name, expect.not.stringContaining('{{')]);
    }
    const { options } = named('Send the portion')?.parameters as { options: IDataObject };
    // All messages of a request share user_data. A value for each row would make a request for each row.
    expect(options.userData).toBe('={{ $json.portion }}');
  });

  test('the copy of the opt-outs is also complete when there are none, and not when it fails', () => {
    const copy = ['Opt-outs of the inbox', 'Opt-outs as one list', 'Copy the opt-outs'].map(named);
    // Without an item, the nodes after this one do not run, and nothing would ever be sent.
    expect(copy[0]?.alwaysOutputData).toBe(true);
    for (const node of copy) expect([node?.name, node?.onError]).toEqual([node?.name, undefined]);
  });

  test('the sample is of a campaign that is not sent by the settings, and these have a time zone', () => {
    const campaignIn = (node: string, field: string) => {
      const { assignments } = named(node)?.parameters.assignments as { assignments: IDataObject[] };
      return assignments.find(({ name }) => name === field)?.value;
    };
    expect(campaignIn('Settings', 'campaign')).toBe('Spring');
    expect(campaignIn('Sample recipients', 'body.campaign')).toBe('Sample');
    expect(example.settings?.timezone).toBe('Asia/Shanghai');
  });
});
