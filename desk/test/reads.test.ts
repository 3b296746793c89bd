/** The pages of campaigns read counts, and no row. */
import { DateTime } from 'luxon';

import { runDesk, type Row } from './workflow';

const NOW = DateTime.fromISO('2026-12-01T10:00:00', { zone: 'Asia/Shanghai' }) as DateTime<true>;

afterEach(() => jest.useRealTimers());

test('counts are shown as they are, and no row is read', () => {
  jest.useFakeTimers({ now: NOW.toMillis() });
  const cell = (status: string, rows: number, more: object = {}) => ({
    ...{
      status,
      state: status,
      reason: '',
      taken: false,
      sent_at: null,
      segments: 2,
      blank: '',
      rows,
    },
    ...{ changed: NOW.toISO(), row_id: 7, ...more },
  });
  const counts = [
    cell('pending', 600_000, { blank: 'name\norder' }),
    cell('pending', 399_000),
    cell('invalid', 1_000),
  ];
  const optOuts = [{ segments: 2, blank: null, rows: 20 }];
  const looks = (state: string) => {
    const campaigns: Row[] = [{ id: 5, campaign: 'Spring', state, ticked_at: NOW.toISO() }];
    const given = { Counts: counts, 'Opt-outs': state ? optOuts : [] };
    const world = { tables: { 'sms.campaigns': campaigns }, given, now: NOW };
    const query = { campaign: '5' };
    const nodes = runDesk('campaign-page', 'Page is opened', { query }, world);
    return String(nodes.Page?.[0]?.page);
  };
  const draft = looks('draft');
  const values = [...draft.matchAll(/<dd class="value ">([^<]*)</g)].map(([, value]) => value);
  expect(values.slice(0, 5)).toEqual(['998,980', '1,000', '20', '0', '1,997,960']);
  expect(draft).toContain('600,000 people have nothing in “order”');
  expect(looks('paused')).toContain('>999,000</td>');
});
