/** What was not sent comes first on every page. */
import { DateTime } from 'luxon';

import { why } from '../src/common/messages/reasons';
import { open, type Row } from './dashboardCode';
import { runDesk } from './workflow';

const ZONE = 'Asia/Shanghai';
const NOW = DateTime.fromISO('2026-06-03T10:00:00', { zone: ZONE }) as DateTime<true>;
const ago = (minutes: number) => NOW.minus({ minutes }).toUTC().toISO();
const CUT = 'An earlier execution was interrupted: it may have been sent.';
const LIMIT = why('days_limit', { limit: '10,000' });

let ids = 0;
const many = (count: number, fields: Row): Row[] =>
  Array.from({ length: count }, () => ({
    ...{ id: (ids += 1), phone_number: String(13_800_000_000 + ids), class: 'notice' },
    ...{ template: '7', reason: '', batch_id: '', sent_at: ago(30), createdAt: ago(30), ...fields },
  }));
const report = ({ batch_id, phone_number }: Row): Row => ({
  ...{ id: (ids += 1), event: 'deliveryReport', status: 'DELIVRD', time: ago(29) },
  ...{ batch_id, phone_number },
});
const delivered = (count: number) => {
  const sends = many(count, { status: 'accepted', batch_id: 'b' });
  return { sends, events: sends.map(report) };
};

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

describe('the dashboard', () => {
  const dashboard = (
    sends: Row[],
    events: Row[] = [],
    others: Partial<Parameters<typeof open>[0]> = {},
  ) => open({ now: String(NOW.toUTC().toISO()), sends, events, ...others });

  test('is not green with 200 of 200 rejected', () => {
    const { html, figures } = dashboard(many(200, { status: 'rejected', reason: 'busy' }));
    expect(html).not.toContain('mark green');
    expect(figures.sent).toBe(0);
    expect(linesOf(html)).toEqual([
      expect.stringMatching(/^red 200 messages were rejected .* Most say: busy/),
    ]);
  });

  test.each([
    ['claimed', { status: 'claimed' }],
    ['given up', { status: 'unknown', reason: CUT }],
  ])('is not green with 100 of 300 that were cut off by a kill -9 (%s)', (_, fields) => {
    const { sends, events } = delivered(200);
    const { html, figures } = dashboard([...sends, ...many(100, fields)], events);
    expect(html).not.toContain('mark green');
    // Nobody knows whether they were sent.
    expect(figures).toMatchObject({ sent: 200, missing: 0 });
    expect(linesOf(html)).toEqual([expect.stringMatching(/^red 100 messages may have been sent/)]);
  });

  test('is not green with messages whose hour has come, and that did not go', () => {
    const waiting = (minutes: number) => many(20, { status: 'waiting', sent_at: ago(minutes) });
    expect(linesOf(dashboard(waiting(30)).html)).toEqual([
      expect.stringMatching(/^red 20 messages should have gone/),
    ]);
    const { html } = dashboard(waiting(-30));
    expect(linesOf(html)).toEqual([expect.stringMatching(/^plain 20 messages wait/)]);
    expect(html).toContain('mark green');
  });
});

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

describe('a campaign', () => {
  const campaign = { id: 5, campaign: 'Spring', state: 'done', ticked_at: ago(0) };
  const row = (fields: Row) => ({
    campaign: 'Spring',
    parameters: '{}',
    changed: ago(9),
    ...fields,
  });
  const pageOf = (recipients: Row[], node: string, query: Row) => {
    const tables = {
      'sms.campaigns': [{ ...campaign }],
      'sms.recipients': recipients,
      'sms.rules': [],
    };
    const given = { Balance: [{ balance: 9_000 }] };
    const nodes = runDesk(
      'campaign-page',
      'Page is opened',
      { query },
      { tables, given, now: NOW },
    );
    return String(nodes[node]?.[0]?.page);
  };
  const rows = () => [
    ...many(190, row({ status: 'delivered' })),
    ...many(110, row({ status: 'refused', reason: 'busy' })),
  ];
  beforeEach(() => jest.useFakeTimers({ now: NOW.toMillis() }));
  afterEach(() => jest.useRealTimers());

  test('with 110 of 300 refused is not done and green: on its page', () => {
    const html = pageOf(rows(), 'Page', { campaign: '5' });
    expect(html).not.toContain('mark green');
    expect(html).toContain('done, 110 not sent');
    expect(linesOf(html)).toEqual([expect.stringMatching(/^red 110 messages were refused.* busy/)]);
  });

  test('that runs is not green with 110 refused', () => {
    campaign.state = 'running';
    const html = pageOf([...rows(), ...many(5, row({ status: 'pending' }))], 'Page', {
      campaign: '5',
    });
    campaign.state = 'done';
    expect(html).toMatch(/mark yellow">running/);
    expect(linesOf(html)).toEqual([
      expect.stringMatching(/^red 110 messages were refused/),
      expect.stringMatching(/^plain 5 messages are still to be sent/),
    ]);
  });

  test('that ended days ago: the list does not say that nothing is unsent', () => {
    const campaigns = [{ ...campaign, id: 6, campaign: 'Old' }];
    const sent_at = '2026-05-01T00:00:00Z';
    const recipients = many(110, row({ campaign: 'Old', status: 'refused', sent_at }));
    const tables = { 'sms.campaigns': campaigns, 'sms.recipients': recipients, 'sms.rules': [] };
    const nodes = runDesk('campaign-page', 'Page is opened', { query: {} }, { tables, now: NOW });
    const html = String(nodes.List?.[0]?.page);
    expect(html).toContain('Old');
    expect(html).not.toContain('Nothing is unsent');
  });

  test('with 110 of 300 refused is not done and green: in the list', () => {
    const html = pageOf(rows(), 'List', {});
    expect(html).not.toContain('mark green');
    expect(html).toContain('done, 110 not sent');
    expect(linesOf(html)).toEqual([
      expect.stringMatching(/^red Spring: 110 messages were refused.* busy/),
    ]);
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

  test('says how many wait', () => {
    const { html } = statusPage(many(500, { status: 'waiting', sent_at: ago(-60) }));
    expect(linesOf(html)).toEqual([expect.stringMatching(/^plain 500 messages wait/)]);
  });

  test('says what was not sent behind many who have opted out', () => {
    const rejected = many(200, { status: 'rejected' });
    const optedOut = many(1_000, { status: 'refused', ...why('opted_out') });
    expect(linesOf(statusPage([...rejected, ...optedOut]).html)).toEqual([
      expect.stringMatching(/^red 200 messages were rejected/),
    ]);
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
