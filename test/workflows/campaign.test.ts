/** The Code nodes of the campaign example: what they make of their items. */
import fc from 'fast-check';

import type { Row } from '../e2e/lib/campaign';
import { items, runCode, type Item, type Json, type Surroundings } from './node';

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

/** What a Code node puts out. */
function run(
  name: string,
  input: Item[],
  nodes: Surroundings['nodes'] = {},
  rest: Surroundings = {},
) {
  return runCode('campaign', name, input, { nodes, ...rest }).map(({ json }) => json);
}

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
    .map((steps) => steps.reduce<number[]>((ids, step) => [...ids, (ids.at(-1) ?? 0) + step], []));

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

describe('New rows', () => {
  const rowsOf = (recipients: unknown, campaign: unknown = 'Spring', known: Json[] = [{}]) =>
    run('New rows', items(...known), { Recipients: items({ campaign, recipients }) });

  test('several numbers become several rows, and each number comes once', () => {
    const rows = rowsOf([
      { phone: '+86 138 1000 0021, 138-1000-0022', name: 'Li', order: 7 },
      { phone: 13810000022 },
      { phone: ['13810000023', '13810000021'] },
    ]);
    expect(rows.map(({ phone_number, name, order }) => [phone_number, name, order])).toEqual([
      ['13810000021', 'Li', '7'],
      ['13810000022', 'Li', '7'],
      ['13810000023', '', ''],
    ]);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['pending']));
  });

  test('a number that the campaign has is left out', () => {
    const recipients = [{ phone: '13810000021, 13810000022' }];
    const rows = rowsOf(recipients, 'Spring', [{ phone_number: '13810000021' }]);
    expect(rows.map(({ phone_number }) => phone_number)).toEqual(['13810000022']);
  });

  test('what is no number becomes a failed row', () => {
    const rows = rowsOf([{ phone: '13810000021, ask him' }, { name: 'Nobody' }, null, 'Li']);
    expect(rows.map(({ phone_number, status, reason }) => [phone_number, status, reason])).toEqual([
      ['13810000021', 'pending', ''],
      ['ask him', 'failed', 'Not a phone number'],
      ['', 'failed', 'Not a phone number'],
      ['', 'failed', 'Not a phone number'],
      ['', 'failed', 'Not a phone number'],
    ]);
  });

  test('a request without a campaign or without a list is refused', () => {
    expect(() => rowsOf([], ' ')).toThrow(/campaign/);
    expect(() => rowsOf({})).toThrow(/recipients/);
  });
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
              good.push({ json: { status: kind, batch_id, msg: 'success' }, pairedItem: { item } });
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
          const ranges = [good, bad].flatMap((input) => run('Outcomes', input, others));
          const isOpen = ({ portion, status }: TableRow) => portion === '7' && status === 'sending';
          expect(applied(table, ranges as unknown as Range[], isOpen)).toEqual(
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
    expect(run('Outcomes', input, others)).toHaveLength(5);
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
            const found = kinds.next().value as typeof kinds extends Iterable<infer T> ? T : never;
            return found.map(({ isForeign, phone_data, ...rest }) => ({
              ...rest,
              status_desc: '',
              phone_number: isForeign ? '13911111111' : phone_number,
              phone_data: phone_data ?? `sms_campaign:${id}`,
            }));
          });
          const stretches = run('Stretches of rows', items(...reports)) as unknown as Range[];
          const read = stretches.flatMap(({ from, to }) =>
            table.filter(({ id }) => id >= from && id <= to),
          );
          const ranges = run('Settled rows', items(...read), {
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
          expect(applied(table, ranges as unknown as Range[], isOpen)).toEqual(expected);
          // The same page again changes nothing.
          expect(applied(expected, ranges as unknown as Range[], isOpen)).toEqual(expected);
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
    const report = { phone_number, phone_data: 'sms_campaign:1', batch_id: 'a', status: reported };
    const others = { 'Reports of the campaign': items(report) };
    const ranges = run('Settled rows', items(...table), others) as unknown as Range[];
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
    expect(run('Settled rows', items(...read), others)).toMatchObject([
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
    expect(run('Stretches of rows', items(...reports))).toEqual([{ from: 1, to: 1_000 }]);
    const ranges = run('Settled rows', items(...(rows as Json[])), others);
    expect(ranges).toHaveLength(20 + 10);
    const settled = applied(rows, ranges as unknown as Range[], isOpen);
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
  expect(run('Stretches of rows', items(...reports))).toEqual([
    { from: 1, to: 90 },
    { from: 250, to: 250 },
    { from: 1_000, to: 1_950 },
    { from: 2_000, to: 2_200 },
  ]);
});

test.each(['13800000002', '+86 138 0000 0002', '0086-138-0000-0002', '13811111111; 13800000002'])(
  'Look for opt-outs: %s in the list marks the row of this number',
  (phone_number) => {
    const typed = row(3, { phone_number: '+86 13800000002' });
    const others = { 'Who opted out': items({}, { phone_number: null }, { phone_number }) };
    const found = run('Look for opt-outs', items(row(1), row(2), typed), others);
    expect(found.map(({ id, opted_out }) => [id, opted_out])).toEqual([
      [1, false],
      [2, true],
      [3, true],
    ]);
  },
);

test('Sends to remember: what the others join replies with', () => {
  const input = [{ json: { status: 'accepted', batch_id: 'b' }, pairedItem: { item: 1 } }];
  const others = { 'Not opted out?': items(row(1), { ...row(2), order: 'A-2' }) };
  const extra = {
    params: { templateId: { value: '302', cachedResultName: '' } },
    globals: { $workflow: { name: 'Campaign' }, $now: { toISO: () => '2026-12-01T10:00:00Z' } },
  };
  expect(run('Sends to remember', input, others, extra)).toEqual([
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

describe('the progress page', () => {
  const $now = { toFormat: () => '2026-12-01 10:00:00', zoneName: 'Asia/Shanghai' };
  const pageOf = (rows: Json[]) => {
    const [result] = run(
      'Page',
      items(...run('Counts', items(...rows))),
      {},
      { globals: { $now } },
    );
    return String(result?.page);
  };
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

  test('it counts by status, and says how long the rest takes', () => {
    const sent = Array.from({ length: 300 }, (_, index) => ({
      ...row(index + 1, { status: index < 100 ? 'delivered' : 'accepted' }),
      campaign: 'Spring',
      sent_at: minutesAgo(index < 100 ? 20 : 4),
    }));
    const left = Array.from({ length: 700 }, (_, index) => ({
      ...row(index + 301, { status: 'pending' }),
      campaign: 'Spring',
      sent_at: null,
    }));
    const page = pageOf([...sent, ...left]);
    expect(page).toContain('1,000 rows. 50 rows a minute');
    expect(page).toContain('about 15 minutes');
    expect(page).toMatch(/delivered<\/th><td>100<\/td><td>10.0 %/);
    expect(page).toContain('Asia/Shanghai');
  });

  test('it has no script, and what comes from the table is escaped', () => {
    const attack = '<script>alert(1)</script>';
    const page = pageOf([{ ...row(1, { status: 'failed', reason: attack }), campaign: attack }]);
    expect(page).not.toMatch(/<script/);
    expect(page.match(/&lt;script&gt;/g)).toHaveLength(2);
  });

  test('an empty table has a page too', () => {
    expect(pageOf([{}])).toContain('No rows yet.');
  });
});
