/** How many rows the pages of campaigns read does not grow with their number. */
import { DateTime } from 'luxon';

import { deskOf } from '../../test/kit/workflows/expression';
import { runDesk, type Row } from './workflow';

const NOW = DateTime.fromISO('2026-12-01T10:00:00', { zone: 'Asia/Shanghai' }) as DateTime<true>;

afterEach(() => jest.useRealTimers());

/** A campaign, its pages, and how many rows each look reads. */
function campaignOf(rows: number, state: string) {
  let now = NOW.minus({ hours: 1 });
  const loaded = now.minus({ minutes: 1 }).toISO();
  const tables: Record<string, Row[]> = {
    sms_campaigns: [{ id: 5, campaign: 'Spring', state, content: 'Hi', ticked_at: NOW.toISO() }],
    sms_recipients: Array.from({ length: rows }, (_, index) => ({
      ...{ id: index + 1, campaign: 'Spring', phone_number: `138${10_000_000 + index}` },
      ...{ status: 'pending', parameters: '{}', reason: '', batch_id: '', segments: 1, blank: '' },
      ...{ changed: loaded, updatedAt: loaded, sent_at: null },
    })),
    sms_opt_outs: [{ id: 1, phone_number: '13810000003' }],
  };
  const look = (query: Row) => {
    jest.useFakeTimers({ now: now.toMillis() });
    const given = { 'Make a token': [{ token: 'x' }] };
    const nodes = runDesk('campaign-page', 'Page is opened', { query }, { tables, given, now });
    const looks = deskOf('campaign-page').nodes.filter(
      ({ type, parameters }) => type.endsWith('dataTable') && parameters.operation === 'get',
    );
    const read = looks.reduce((sum, { name }) => sum + (nodes[name]?.length ?? 0), 0);
    const html = String((nodes.Page ?? nodes.List)?.[0]?.page);
    return { read, html };
  };
  /** A portion at this place is sent. */
  const send = (from: number) => {
    now = now.plus({ minutes: 1 });
    for (const row of tables.sms_recipients?.slice(from, from + 100) ?? []) {
      const at = now.toISO();
      Object.assign(row, { status: 'accepted', sent_at: at, changed: at, updatedAt: at });
    }
  };
  /** The load is over. */
  const count = () => {
    jest.useFakeTimers({ now: now.toMillis() });
    runDesk('campaign-page', 'Asked to count', { id: 5 }, { tables, now });
  };
  return { look, send, count, page: () => look({ campaign: '5' }) };
}

test.each(['draft', 'running', 'done'])('of one that is %s', (state) => {
  const [small, large] = [1_000, 20_000].map((rows) => {
    const { look, send, count, page } = campaignOf(rows, state);
    count();
    const reads = [page().read];
    for (const from of [0, rows / 2, rows - 100]) {
      if (state !== 'draft') send(from);
      reads.push(page().read, look({}).read);
    }
    const { html } = page();
    expect(html).toContain(
      state === 'draft' ? `>${(rows - 1).toLocaleString('en')}<` : '>300</td>',
    );
    return reads;
  });
  // A part of the table, or two.
  for (const [index, read] of (large ?? []).entries()) {
    expect(read).toBeLessThan(Number(small?.[index]) + 3_000);
  }
});

test('counts of PostgreSQL are shown as they are, and no row is read', () => {
  jest.useFakeTimers({ now: NOW.toMillis() });
  const cell = (status: string, rows: number, more: object = {}) => ({
    ...{ status, reason: '', taken: false, sent_at: null, segments: 2, blank: '', rows },
    ...{ changed: NOW.toISO(), row_id: 7, ...more },
  });
  const counts = [
    cell('pending', 600_000, { blank: 'name\norder' }),
    cell('pending', 399_000),
    cell('invalid', 1_000),
  ];
  const optOuts = [{ segments: 2, blank: null, rows: 20 }];
  const looks = (state: string) => {
    const sms_campaigns: Row[] = [{ id: 5, campaign: 'Spring', state, ticked_at: NOW.toISO() }];
    const given = { 'Counts, or changed rows': counts, 'Opt-outs': state ? optOuts : [] };
    const world = { tables: { sms_campaigns }, given, now: NOW };
    const query = { campaign: '5' };
    const nodes = runDesk('campaign-page', 'Page is opened', { query }, world);
    expect(nodes['Parts to count']).toEqual([{ part: 0, from: 0, to: 0 }]);
    expect(String(sms_campaigns[0]?.figures)).not.toContain('kept');
    return String(nodes.Page?.[0]?.page);
  };
  const draft = looks('draft');
  const values = [...draft.matchAll(/<dd class="value ">([^<]*)</g)].map(([, value]) => value);
  expect(values.slice(0, 5)).toEqual(['998,980', '1,000', '20', '0', '1,997,960']);
  expect(draft).toContain('600,000 people have nothing in “order”');
  expect(looks('paused')).toContain('>999,000</td>');
});
