/** What was not sent comes first on every page. */
import { DateTime } from 'luxon';

import { why } from '../src/common/messages/reasons';
import { open, type Row } from './dashboardCode';
import { runDesk } from './workflow';

const ZONE = 'Asia/Shanghai';
const NOW = DateTime.fromISO('2026-06-03T10:00:00', { zone: ZONE }) as DateTime<true>;
const ago = (minutes: number) => NOW.minus({ minutes }).toUTC().toISO();
const LIMIT = why('days_limit', { limit: '10,000' });

let ids = 0;
const many = (count: number, fields: Row): Row[] =>
  Array.from({ length: count }, () => ({
    ...{ id: (ids += 1), phone_number: String(13_800_000_000 + ids), class: 'notice' },
    ...{ template: '7', reason: '', batch_id: '', sent_at: ago(30), createdAt: ago(30), ...fields },
  }));
/** The lines about what was not sent: their colour and text. They come before everything else of the page. */
function linesOf(html: string): string[] {
  const [, first = ''] = /<main[^>]*>(.*?)<\/section>/s.exec(html) ?? [];
  const lines = [...first.matchAll(/<li class="notice (\w+)">(.*?)<\/li>/gs)];
  return lines.map(([, color, text = '']) =>
    `${color} ${text}`
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

describe('a table that cannot be read', () => {
  const broken = [{ error: 'database is locked' }];
  const world = { tables: {}, now: NOW };

  test('Count them: dashboard', () => {
    const given = { 'Count them': broken };
    const nodes = runDesk('dashboard', 'Page is opened', { query: {} }, { ...world, given });
    const html = String(nodes.Page?.[0]?.html);
    expect(html).toContain('A table could not be read: database is locked');
    expect(html).not.toMatch(/mark green|No message was sent/);
  });

  test.each(['Opened message', 'What was said'])('%s: conversations', (node) => {
    const given = { Token: [{ token: 'x' }], [node]: broken };
    const nodes = runDesk('conversations', 'Page is opened', { query: {} }, { ...world, given });
    expect(nodes.Page?.[0]?.html).toContain('could not be read: database is locked');
  });
});

test('no deliveries are not slow, whatever the threshold', () => {
  const thresholds = [{ id: 1, name: 'slow_minutes', value: -1 }];
  const sends = many(1, { status: 'accepted' });
  expect(open({ now: String(NOW.toUTC().toISO()), sends, thresholds }).alerts).toEqual([]);
});

describe('the dashboard, beyond what is narrowed and old', () => {
  const now = String(NOW.toUTC().toISO());

  test.each([{ status: 'failed' }, { template: '8' }, { batch: 'x' }])(
    'is not green because of what it leaves out: %j',
    (query) => {
      const { html } = open({ now, query, sends: many(200, { status: 'rejected' }) });
      expect(html).not.toContain('mark green');
    },
  );

  test('tells what is overdue, however long it has been', () => {
    const due = ago(26 * 60);
    const sends = [
      ...many(20, { status: 'waiting', sent_at: due, createdAt: ago(40 * 60) }),
      ...many(1, { status: 'accepted' }),
    ];
    for (const query of [{}, { window: '1h' }, { status: 'overdue' }]) {
      const { html, figures, listed } = open({ now, sends, query });
      expect(linesOf(html)).toEqual([expect.stringMatching(/^red 20 messages should have gone/)]);
      expect(figures.unsent).toBe(20);
      if (query.status) expect(listed).toHaveLength(20);
    }
  });

  test('does not take a message for sent by the report of the first one under its key', () => {
    const again = many(1, {
      status: 'refused',
      batch_id: 'b',
      ...why('key_used', { key: 'k', reason: why('first_accepted') }),
    });
    const { figures } = open({ now, sends: again });
    expect(figures).toMatchObject({ sent: 0, unsent: 0 });
  });
});

describe('a campaign with 110 of 300 refused', () => {
  const pageOf = (state: string, query: Row, pending: number, sent_at?: string) => {
    const row = {
      campaign: 'Spring',
      parameters: '{}',
      changed: ago(9),
      ...(sent_at && { sent_at }),
    };
    const recipients = [
      ...many(190, { ...row, status: 'delivered' }),
      ...many(110, { ...row, status: 'refused', reason: 'busy' }),
      ...many(pending, { ...row, status: 'pending' }),
    ];
    const campaigns = [{ id: 5, campaign: 'Spring', state, ticked_at: ago(0) }];
    const tables = { 'sms.campaigns': campaigns, 'sms.recipients': recipients };
    const given = { Balance: [{ balance: 9_000 }] };
    const world = { tables, given, now: NOW };
    const nodes = runDesk('campaign-page', 'Page is opened', { query }, world);
    return String(nodes['Show the page']?.[0]?.page);
  };
  beforeEach(() => jest.useFakeTimers({ now: NOW.toMillis() }));
  afterEach(() => jest.useRealTimers());

  test.each<[string, Row, number, RegExp, ...RegExp[]]>([
    ['done', { campaign: '5' }, 0, /done, 110 not sent/, /^red 110 messages were refused.* busy/],
    [
      ...(['running', { campaign: '5' }, 5, /mark yellow">running/] as const),
      ...[/^red 110 messages were refused/, /^plain 5 messages are still to be sent/],
    ],
    ['done', {}, 0, /done, 110 not sent/, /^red Spring: 110 messages were refused.* busy/],
  ])('that is %s is not green on the page of %j', (state, query, pending, text, ...lines) => {
    const html = pageOf(state, query, pending);
    expect(html).not.toContain('mark green');
    expect(html).toMatch(text);
    expect(linesOf(html)).toEqual(lines.map((line) => expect.stringMatching(line) as unknown));
  });

  test('that ended days ago: the list does not say that nothing is unsent', () => {
    const html = pageOf('done', {}, 0, '2026-05-01T00:00:00Z');
    expect(html).toContain('Spring');
    expect(html).not.toContain('Nothing is unsent');
  });
});

describe('the status page', () => {
  const statusPage = (outbox: Row[], others: Record<string, Row[]> = {}, rules: Row[] = []) => {
    const given = {
      'Does the inbox answer?': [{}],
      'Does the service answer?': [{ balance: 1234 }],
      ...others,
    };
    const opened = { executionMode: 'production' };
    const world = { tables: { 'sms.outbox': outbox, 'sms.rules': rules }, given, now: NOW };
    const html = String(
      runDesk('dashboard', 'Status page is opened', opened, world)['Status page']?.[0]?.html,
    );
    return {
      html,
      limit: /<span class="mark (\w+)">[^<]*<\/span><b><bdi>Daily limit/.exec(html)?.[1],
    };
  };

  test('has no green daily limit while the outbox refuses', () => {
    const rows = [
      ...many(200, { status: 'accepted', sent_at: ago(20), createdAt: ago(20) }),
      ...many(1_500, { status: 'refused', ...LIMIT, sent_at: ago(2), createdAt: ago(2) }),
    ];
    const { html, limit } = statusPage(rows);
    expect(limit).toBe('red');
    expect(html).toContain('<title>Action needed');
    expect(linesOf(html)).toEqual([expect.stringMatching(/^red 1,500 messages were refused/)]);
  });

  test('has none while the outbox keeps the rest for codes', () => {
    const reason = why('days_limit', { limit: '10', kept: '5' });
    const rows = [...many(5, { status: 'accepted' }), ...many(3, { status: 'refused', ...reason })];
    const rules = [
      { id: 1, class: 'all', per_day: 10 },
      { id: 2, class: 'reserved', per_day: 5 },
    ];
    expect(statusPage(rows, {}, rules).limit).toBe('red');
  });

  test.each(['Not sent', 'Days', 'Sizes', 'Rules'])(
    'is not OK if a table cannot be read: %s',
    (node) => {
      const { html } = statusPage([], { [node]: [{ error: 'database is locked' }] });
      expect(html).toContain('<title>Action needed');
      expect(html).toMatch(/A table could not be read: <bdi>database is locked/);
      if (node.startsWith('Not')) expect(html).not.toContain('Nothing is unsent');
    },
  );

  test('has the limit that the outbox has, also if the table has no row of it', () => {
    const { html } = statusPage(many(1, { status: 'accepted' }));
    expect(html).toContain('of 10,000 that the rules allow a day');
  });
});
