/** The Code nodes that keep the tables small, keep figures by day, and show the state of all. */
import { DateTime } from 'luxon';

import daySums from '../../desk/src/code/inbox-upkeep/Day sums';
import rowsToGo from '../../desk/src/code/inbox-upkeep/Rows to go';
import sizesOf from '../../desk/src/code/inbox-upkeep/Sizes';
import whatIsNotCounted from '../../desk/src/code/inbox-upkeep/What is not counted';
import rememberTheFailedPull from '../../desk/src/code/status-page/Remember the failed pull';
import inWords, { type SaidLight } from '../../desk/src/code/status-page/In words';
import statusLights from '../../desk/src/code/status-page/Lights';
import statusPage from '../../desk/src/code/status-page/Page';
import type { DayRow } from '../../desk/src/code/days';
import type { Light } from '../../desk/src/code/status-page/status';
import {
  cutsOf,
  MAX_ROWS_AT_ONCE,
  roomProblem,
  totalOf,
  type TableSize,
} from '../../desk/src/code/retention';
import { readDesk } from '../e2e/lib/workflowFiles';
import { items, runCode, type Item } from './node';

const ZONE = 'Asia/Shanghai';
const NOW = DateTime.fromISO('2026-07-01T12:00:00', { zone: ZONE });
const SURROUNDINGS = {
  $now: NOW as DateTime,
  DateTime,
  $workflow: { id: 'sms-status-page', name: 'SMS · Status page' },
};
const LIMITS = { days: 90, megabytes: 120, megabytes_of_n8n: 200 };
const KEEP = { 'How long to keep': items(LIMITS) };
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

const ago = (millis: number) => NOW.minus(millis).toUTC().toISO();

describe('what is deleted, simulated every five minutes', () => {
  const STEP = 5 * MINUTE;

  /** A table as numbers: the times at which its rows were stored follow from their IDs. */
  function simulated(name: string, perDay: number, bytesPerRow: number) {
    const timeOf = (id: number) => (id / perDay) * DAY;
    let first = 1;
    return {
      delete: (below: number, before: number) => {
        const from = first;
        first = Math.max(first, Math.min(below, Math.floor((before / DAY) * perDay) + 1));
        return first - from;
      },
      sizeAt: (now: number): TableSize => {
        const newest = Math.floor((now / DAY) * perDay);
        const rows = newest - first + 1;
        const [oldestAt, newestAt] = [timeOf(first), timeOf(newest)];
        const free = { id: first, at: oldestAt };
        const bytes = rows * bytesPerRow;
        return { id: name, name, newest, newestAt, oldest: first, oldestAt, rows, bytes, free };
      },
    };
  }

  type Needed = (now: number, tables: TableSize[]) => Record<string, number | undefined>;

  /** Returns how much the tables take and how far they go back at the end of each day. */
  function simulate(days: number, perDay: number, needed: Needed = () => ({})) {
    const tables = [simulated('sms_inbox', perDay, 250), simulated('sms_outbox', perDay, 370)];
    const ends = [];
    let most = 0;
    let mostAtOnce = 0;
    for (let now = STEP; now <= days * DAY; now += STEP) {
      const sizes = tables.map((table) => table.sizeAt(now));
      most = Math.max(most, totalOf(sizes));
      for (const cut of cutsOf(sizes, LIMITS, { needed: needed(now, sizes), now })) {
        const table = tables[sizes.findIndex(({ name }) => name === cut.name)];
        const deleted = table?.delete(cut.below, cut.before) ?? 0;
        mostAtOnce = Math.max(mostAtOnce, deleted);
      }
      if (now % DAY === 0)
        ends.push({ total: totalOf(sizes), back: sizes.map((s) => now - s.oldestAt) });
    }
    expect(mostAtOnce).toBeLessThanOrEqual(MAX_ROWS_AT_ONCE);
    return { ends, most };
  }

  test.each([100_000, 600_000])(
    '30 days of %i messages: the tables never fill, and stay equal',
    (perDay) => {
      const { ends, most } = simulate(30, perDay);
      // What comes in five minutes is over before the next look.
      expect(most).toBeLessThan(LIMITS.megabytes * 1e6 * 1.05);
      const late = ends.slice(5);
      expect(late).toHaveLength(25);
      for (const { total, back } of late) {
        expect(total).toBeGreaterThan(LIMITS.megabytes * 1e6 * 0.95);
        // Both go equally far back.
        expect(Math.abs(Number(back[0]) - Number(back[1]))).toBeLessThan(DAY / 12);
      }
    },
  );

  test('little traffic: rows go after the days to keep, and not before', () => {
    const { ends } = simulate(300, 40);
    for (const { back } of ends.slice(95)) {
      for (const millis of back) expect(Math.round(millis / DAY)).toBe(LIMITS.days);
    }
  });

  test('what a subscriber waits for stays while there is room, and other rows go instead', () => {
    const first = 200_000;
    const { ends } = simulate(30, 100_000, () => ({ sms_inbox: first }));
    const at = (day: number) => Number(ends[day - 1]?.back[0]) / DAY;
    // Of the inbox nothing has gone since the end of day 2, so it goes back to then.
    expect(at(4)).toBeGreaterThanOrEqual(2);
    for (const { total } of ends) expect(total).toBeLessThan(LIMITS.megabytes * 1e6 * 1.05);
    // The inbox alone may take half of the room: 60 MB are 2.4 days.
    expect(at(30)).toBeCloseTo(2.4, 0);
  });

  test('what nobody has counted goes last, and goes before the tables fill', () => {
    const { ends } = simulate(30, 100_000, () => ({ sms_inbox: 1, sms_outbox: 1 }));
    for (const { total } of ends) expect(total).toBeLessThan(LIMITS.megabytes * 1e6 * 1.05);
  });
});

describe('how full the tables are', () => {
  const row = (id: number, values: object = {}) => ({
    ...{ id, createdAt: ago(1000), updatedAt: ago(1000), status: 'DELIVRD' },
    ...values,
  });
  const from = (table: number, ...rows: object[]): Item[] =>
    items(...rows).map((item) => ({ ...item, pairedItem: { item: table } }));
  const TABLES = {
    'Tables that grow': items(
      { id: 'a', name: 'sms_inbox' },
      { id: 'b', name: 'sms_outbox' },
      { id: 'c', name: 'sms_recipients' },
    ),
  };
  const sizes = (nodes: Record<string, Item[]>) =>
    runCode(sizesOf, [], { ...SURROUNDINGS, nodes: { ...TABLES, ...KEEP, ...nodes } })[0]?.json
      .tables ?? [];

  test('by their IDs and what the newest rows take, each table by itself', () => {
    const found = sizes({
      'Newest rows': [
        ...from(0, row(1500, { content: '好的' }), row(1499, { content: '' })),
        ...from(2, row(90)),
      ],
      'Oldest row': [...from(0, row(501)), ...from(2, row(1))],
      'Oldest row that may go': [...from(0, row(501))],
    });
    // 44 bytes, 8 of the ID, 48 of the times, 7 of the status, and 6 of the text in every second row.
    expect(found).toMatchObject([
      { id: 'a', name: 'sms_inbox', rows: 1000, bytes: 110_000, free: { id: 501 } },
      { id: 'c', name: 'sms_recipients', rows: 90, bytes: 90 * 107 },
    ]);
    expect(found[1]).not.toHaveProperty('free');
  });

  test('rows of a campaign that wait for months do not make it look large', () => {
    const campaign = { 'Newest rows': from(2, row(900_100)), 'Oldest row': from(2, row(1)) };
    expect(sizes({ ...campaign, 'Oldest row that may go': from(2, row(900_001)) })).toMatchObject([
      { rows: 100 },
    ]);
  });

  test('no table, or one that cannot be read, has no size', () => {
    const error = from(0, { error: 'no such table' });
    expect(sizes({ 'Newest rows': error, 'Oldest row': error })).toEqual([]);
    const none = { 'Tables that grow': items({}) };
    expect(
      sizes({ ...none, 'Newest rows': from(0, row(1)), 'Oldest row': from(0, row(1)) }),
    ).toEqual([]);
  });

  const size = (name: string, megabytes: number, back: number): TableSize => ({
    ...{ id: name, name, newest: 200_000, newestAt: NOW.toMillis(), oldest: 1, rows: 200_000 },
    ...{ oldestAt: NOW.toMillis() - back, bytes: megabytes * 1e6 },
    free: { id: 1, at: NOW.toMillis() - back },
  });

  test.each([
    ['there is room', [size('sms_inbox', 50, 3 * DAY), size('sms_outbox', 69, 3 * DAY)], /^""$/],
    ['a campaign fills n8n', [size('sms_recipients', 161, 3 * DAY)], /"megabytes":161,"all":200/],
    ['less than a day fits', [size('sms_inbox', 119, DAY / 2)], /less than a day.*"sms_inbox"/],
  ])('an alarm when it is due: %s', (_, tables, reason) => {
    const problem = roomProblem(tables, LIMITS, NOW.toMillis());
    expect(JSON.stringify(problem ?? '')).toMatch(reason);
  });

  test('rows are needed that a subscriber waits for, or that are not in the figures yet', () => {
    const nodes = {
      Sizes: items({
        limits: LIMITS,
        tables: [size('sms_inbox', 10, 99 * DAY), size('sms_outbox', 10, 99 * DAY)],
      }),
      'First row that is waited for': items({ id: 3, read_to: 1200 }),
      'Figures so far': items(
        { id: 2, day: '2026-07-01', inbox_id: 1500, outbox_id: null },
        { id: 1, day: '2026-06-30', inbox_id: 1400, outbox_id: 800 },
      ),
    };
    const cuts = runCode(rowsToGo, [], { ...SURROUNDINGS, nodes }).map(({ json }) => json);
    expect(cuts).toMatchObject([
      { name: 'sms_inbox', below: 1201, before: NOW.toMillis() - 90 * DAY },
      { name: 'sms_outbox', below: 801 },
    ]);
    // Nothing is counted yet, or no table has rows.
    const early = { ...nodes, 'Figures so far': items({}) };
    expect(runCode(rowsToGo, [], { ...SURROUNDINGS, nodes: early })).toEqual([]);
    const none = { ...nodes, Sizes: items({ limits: LIMITS, tables: [] }) };
    expect(runCode(rowsToGo, [], { ...SURROUNDINGS, nodes: none })).toEqual([]);
  });
});

describe('figures by day', () => {
  const report = (id: number, createdAt: unknown, status = 'DELIVRD') => ({
    ...{ id, createdAt, status, event: 'deliveryReport' },
  });
  const sums = (
    figures: object[],
    inbox: object[],
    outbox: object[] = [],
    optOuts: object[] = [],
  ) => {
    const nodes = { 'Figures so far': items(...figures) };
    const tables = runCode(whatIsNotCounted, [], { ...SURROUNDINGS, nodes });
    const rows = [inbox, outbox, optOuts].flatMap((each, table) =>
      items(...each).map((item) => ({ ...item, pairedItem: { item: table } })),
    );
    const asked = items(...tables.map(({ json }) => json));
    return runCode(daySums, [], {
      ...SURROUNDINGS,
      nodes: { ...nodes, 'What is not counted': asked, 'New rows': rows },
    }).map(({ json }) => json);
  };

  test('each row counts for its day in the time zone of the workflow, and what was counted stays', () => {
    const before = { id: 1, day: '2026-06-30', sent: 5, delivered: 2, inbox_id: 10, outbox_id: 4 };
    const inbox = [
      report(11, '2026-06-30T15:59:59Z'),
      report(12, '2026-06-30T16:00:00Z', 'UNDELIV'),
      { id: 13, createdAt: '2026-06-30T16:00:01Z', event: 'reply', status: '' },
      { id: 14, createdAt: '2026-06-30T16:00:02Z', event: '', status: '' },
    ];
    const outbox = ['accepted', 'rejected', 'refused', 'waiting', 'unknown', 'claimed'].map(
      (status, index) => ({ ...{ id: 5 + index, createdAt: '2026-07-01T01:00:00Z' }, status }),
    );
    const optOuts = [{ id: 3, createdAt: '2026-07-01T01:00:00Z' }];
    const counted = { sent: 5, accepted: 0, delivered: 3, failed: 0, replies: 0, opt_outs: 0 };
    const today = { sent: 4, accepted: 1, delivered: 0, failed: 1, replies: 1, opt_outs: 1 };
    expect(sums([before], inbox, outbox, optOuts)).toEqual([
      { day: '2026-06-30', ...counted, inbox_id: 11, outbox_id: 4, opt_outs_id: null },
      { day: '2026-07-01', ...today, inbox_id: 14, outbox_id: 10, opt_outs_id: 3 },
    ]);
    expect(sums([before], [{ error: 'no such table' }], [{}])).toEqual([]);
  });

  test('whatever the portions, and wherever n8n dies between two days, the sums are those of one count', () => {
    const rows = Array.from({ length: 1000 }, (_, index) =>
      report(index + 1, ago((1000 - index) * 7 * MINUTE), index % 3 ? 'DELIVRD' : 'UNDELIV'),
    );
    const whole = sums([], rows);
    expect(whole.length).toBeGreaterThan(4);
    const table = new Map<string, DayRow>();
    for (let run = 0; run < 60; run++) {
      const stored = [...table.values()].sort((a, b) => (a.day < b.day ? 1 : -1));
      const counted = stored.find((day) => day.inbox_id)?.inbox_id ?? 0;
      const withIds = stored.map((day, index) => ({ id: index + 1, ...day }));
      const changed = sums(withIds, rows.filter(({ id }) => id > counted).slice(0, 230));
      // Every second run dies behind its first row.
      for (const day of changed.slice(0, run % 2 ? 1 : undefined)) table.set(day.day, day);
    }
    expect([...table.values()]).toEqual(whole);
  });
});

describe('the status page', () => {
  const size = (name: string, newestAgo: number): TableSize => ({
    ...{ id: name, name, newest: 1000, newestAt: NOW.toMillis() - newestAgo, oldest: 1 },
    ...{ rows: 1000, oldestAt: NOW.toMillis() - 2 * DAY, bytes: 1e6 },
  });
  const day = { day: '2026-07-01', sent: 40, accepted: 39, delivered: 30, failed: 1 };
  const createdAt = ago(MINUTE);
  const workflow = { workflow_id: 'sms-campaign', name: 'SMS campaign', wants: 'all', since: null };
  const GOOD: Record<string, Item[]> = {
    'Does the inbox answer?': items({}),
    'Status page is opened': items({ executionMode: 'production' }),
    Balance: items({ balance: 1234 }),
    Rules: items({ id: 1, class: 'code', per_day: 10 }, { id: 2, class: 'all', per_day: 10_000 }),
    'Figures by day': items({ id: 1, ...day, inbox_id: 900, outbox_id: 900 }),
    'Inbox, not counted yet': items({ id: 901, event: 'reply', createdAt }),
    'Outbox, not counted yet': items({ id: 901, status: 'accepted', createdAt }),
    Subscribers: items({ id: 1, ...workflow, updatedAt: ago(MINUTE) }),
    'Sizes from the upkeep': items({
      limits: LIMITS,
      tables: [size('sms_inbox', MINUTE), size('sms_outbox', 2 * MINUTE)],
    }),
  };
  const params = { workflowId: { value: 'sms-inbox' } };
  const status = (nodes: Record<string, Item[]> = {}, memory: Item['json'] = {}) => {
    const all = { ...GOOD, ...nodes };
    const around = { ...SURROUNDINGS, params, nodes: all, $getWorkflowStaticData: () => memory };
    const [item] = runCode(statusLights, [], around);
    const [said] = runCode(inWords, items(item?.json ?? {}), around);
    if (!item || !said) throw new Error('There is no status.');
    return { ...item.json, said: said.json };
  };
  const lightsOf = (
    nodes?: Record<string, Item[]>,
    memory?: Item['json'],
  ): (SaidLight & { kind: Light['name'] })[] => {
    const { lights, subscribers, said } = status(nodes, memory);
    const kinds = [...lights, ...subscribers];
    return [...said.lights, ...said.subscribers].map((light, index) => ({
      ...light,
      kind: kinds[index]?.name ?? 'Inbox',
    }));
  };
  const pageOf = (nodes: Record<string, Item[]> = {}) =>
    runCode(statusPage, items(status(nodes).said), {
      ...SURROUNDINGS,
      nodes: { ...GOOD, ...nodes },
    })[0]?.json.html ?? '';

  test('all is green when all is well, and today includes what is not counted yet', () => {
    expect(lightsOf().filter(({ level }) => level !== 'green')).toEqual([]);
    expect(status().days).toMatchObject([
      { day: '2026-07-01', sent: 41, accepted: 40, replies: 1 },
    ]);
    const text = lightsOf()
      .map((light) => light.text)
      .join(' ');
    expect(text).toContain('Today: 32 records.');
    expect(text).toContain('41 messages sent today, of 10,000');
    expect(pageOf()).toContain('<title>OK – SMS status</title>');
  });

  test('an empty n8n has a page, and an error of a table is no row', () => {
    const names = [
      ...['Subscribers', 'Rules', 'Figures by day'],
      ...['Inbox, not counted yet', 'Outbox, not counted yet'],
    ];
    const nothing = Object.fromEntries(names.map((name) => [name, items({ error: 'not found' })]));
    const html = pageOf({ ...nothing, ...sizes() });
    expect(html).toContain('No record has come yet.');
    expect(html).toContain('No workflow has subscribed.');
  });

  const subscriber = (values: object) =>
    items({ id: 1, workflow_id: 'sms-campaign', name: 'SMS campaign', ...values });
  const since = (minutes: number, reason = '') =>
    subscriber({ since: ago(minutes * MINUTE), reason });
  const sizes = (...tables: TableSize[]) => ({
    'Sizes from the upkeep': items({ limits: LIMITS, tables }),
  });
  const none = { 'Inbox, not counted yet': items({}), 'Outbox, not counted yet': items({}) };
  const perDay = (per_day: number) => ({ Rules: items({ id: 1, class: 'all', per_day }) });
  const inactive = items({ error: 'Workflow is not active' });
  const noTable = 'Data table with name "sms_subscribers" not found';
  const noRelation = 'relation "sms_rules" does not exist';
  const hangs = { since: ago(6 * MINUTE), updatedAt: ago(6 * MINUTE) };
  const forgotten = { since: null, updatedAt: ago(16 * MINUTE) };

  // What is not as in GOOD, the light and what it says, and where its remedy is.
  test.each<[Record<string, Item[]>, string, RegExp, string]>([
    [
      { 'Status page is opened': items({ executionMode: 'test' }) },
      'yellow Inbox',
      /Publish this workflow/,
      'workflow/sms-status-page',
    ],
    [
      { 'Does the inbox answer?': inactive },
      'red Inbox',
      /not published.*No reports and replies/,
      'workflow/sms-inbox',
    ],
    [
      { 'Sizes from the upkeep': inactive },
      'red Upkeep',
      /not published.*Old rows stay/,
      'workflow/sms-inbox',
    ],
    [
      { Balance: items({ error: 'Wrong signature' }) },
      'red SMS service',
      /Wrong signature/,
      'workflow/sms-status-page',
    ],
    [{ Balance: items({ balance: 0 }) }, 'red SMS service', /nothing can be sent/, ''],
    [
      { ...sizes(size('sms_inbox', 200 * MINUTE), size('sms_outbox', 90 * MINUTE)), ...none },
      'yellow Records',
      /nothing has come since/,
      'workflow/sms-inbox/executions',
    ],
    [
      { Subscribers: since(60, 'Workflow is not active and cannot be executed.') },
      'red SMS campaign',
      /not taken its records since 11:00.*not published/,
      'workflow/sms-campaign',
    ],
    [
      { Subscribers: since(2, 'no such user 13812345678') },
      'yellow SMS campaign',
      /138 •••• 5678/,
      'workflow/sms-campaign/executions',
    ],
    [
      { Subscribers: subscriber({ workflow_id: 'a/b', since: ago(8 * MINUTE), reason: 'gone' }) },
      'red SMS campaign',
      /tries again by itself.*gone/,
      'workflow/a%2Fb',
    ],
    [
      { Subscribers: subscriber(hangs) },
      'yellow SMS campaign',
      /since 11:54/,
      'workflow/sms-campaign',
    ],
    [
      { Subscribers: subscriber(forgotten) },
      'red SMS campaign',
      /since 11:44/,
      'workflow/sms-campaign',
    ],
    [
      { Subscribers: items({ error: noTable }), Rules: items({ error: {}, message: noRelation }) },
      'red Tables',
      /There is no sms_subscribers, sms_rules\. Publish/,
      'home/datatables',
    ],
    [perDay(50), 'yellow Daily limit', /per_day/, 'home/datatables'],
    [perDay(41), 'red Daily limit', /41 messages/, 'home/datatables'],
    [
      { 'Claimed too long': items({ id: 1 }, { id: 2 }) },
      'yellow Outbox',
      /2 messages may have been sent/,
      'home/datatables',
    ],
    [
      sizes({ ...size('sms_inbox', MINUTE), bytes: 190e6 }),
      'red Tables',
      /190 MB of the 200 MB/,
      'home/datatables',
    ],
  ])(
    'what is wrong (%#) has a light, a sentence, and the place of its remedy',
    (nodes, wanted, text, href) => {
      const found = lightsOf(nodes).find(({ level, name }) => `${level} ${name}` === wanted);
      expect(`${found?.text} ${found?.reason}`).toMatch(text);
      if (href) expect(found?.links.map((link) => link.href)).toContain(`../${href}`);
    },
  );

  test('a subscriber that is just being served is no trouble', () => {
    const now = { Subscribers: subscriber({ since: ago(MINUTE), reason: '' }) };
    expect(lightsOf(now).filter(({ level }) => level !== 'green')).toEqual([]);
  });

  describe('pulls that fail', () => {
    const error = { message: 'connect ECONNREFUSED about 13812345678' };
    const FAILED = { trigger: { error, mode: 'trigger' }, workflow: { id: 'sms-inbox' } };
    /** What the workflow remembers after failures so many minutes ago. */
    const after = (minutes: number[], failure: object = FAILED) => {
      const memory: Item['json'] = {};
      for (const minute of minutes) {
        const around = { ...SURROUNDINGS, $now: NOW.minus(minute * MINUTE) as DateTime };
        const remembering = { ...around, $getWorkflowStaticData: () => memory };
        expect(runCode(rememberTheFailedPull, items(failure), remembering)).toEqual([]);
      }
      return memory;
    };
    const NO_NEWS = { ...sizes(size('sms_inbox', 90 * MINUTE)), ...none };
    const levels = (memory: Item['json'], nodes: Record<string, Item[]> = NO_NEWS) =>
      lightsOf(nodes, memory)
        .filter(({ name }) => ['Inbox', 'Records'].includes(name))
        .map(({ level }) => level);

    test('are counted, and neither inbox nor records are called fine', () => {
      const memory = after([1.5, 0.5]);
      const [inbox] = lightsOf(NO_NEWS, memory);
      expect(inbox).toMatchObject({ name: 'Inbox', level: 'red' });
      expect(inbox?.text).toContain(
        'Pulls fail: 2 since 11:58, the last one less than a minute ago.',
      );
      expect(inbox?.reason).toBe('connect ECONNREFUSED about 138 •••• 5678');
      expect(inbox?.links.map(({ href }) => href)).toContain('../workflow/sms-inbox/executions');
      expect(levels(memory)).toEqual(['red', 'yellow']);
    });

    test.each([
      ['a failure 5 minutes ago', [5], NO_NEWS, ['red', 'yellow']],
      ['one failure, and none since', [6], NO_NEWS, ['green', 'green']],
      ['several: n8n may wait before it tries again', [37, 21, 6], NO_NEWS, ['yellow', 'yellow']],
      ['several, and none for longer than n8n waits', [40, 38, 36], NO_NEWS, ['green', 'green']],
      ['a record that came after the last failure', [3, 2], {}, ['green', 'green']],
    ])('%s', (_, minutes, nodes, expected) => {
      expect(levels(after(minutes), nodes)).toEqual(expected);
    });

    test('a new row of failures begins when the last is long over', () => {
      expect(after([500, 499, 2, 1])).toMatchObject({
        failedPulls: { count: 2, since: NOW.toMillis() - 2 * MINUTE },
      });
    });

    test('neither an execution that failed, a push say, nor this workflow itself is a pull', () => {
      expect(
        after([1], { execution: { error, mode: 'webhook' }, workflow: FAILED.workflow }),
      ).toEqual({});
      expect(after([1], { ...FAILED, workflow: SURROUNDINGS.$workflow })).toEqual({});
    });

    test('the inbox tells this workflow', () => {
      expect(readDesk('inbox').settings).toMatchObject({ errorWorkflow: 'sms-status-page' });
      const { nodes, connections } = readDesk('status-page');
      const trigger = nodes.find(({ type }) => type === 'n8n-nodes-base.errorTrigger');
      expect(connections[String(trigger?.name)]?.main?.[0]?.[0]?.node).toBe(
        'Remember the failed pull',
      );
    });

    test('with a service that does not answer, nobody knows whether pulls work', () => {
      const away = { ...NO_NEWS, Balance: items({ error: 'The service cannot be reached.' }) };
      expect(levels({}, away)).toEqual(['yellow', 'yellow']);
      const [inbox, service] = lightsOf(away);
      expect(inbox?.text).toContain('Whether pulls work is not known');
      expect(service).toMatchObject({ level: 'red', reason: 'The service cannot be reached.' });
    });
  });

  test('what others wrote is text, and numbers are masked', () => {
    const attack = '<script>alert(1)</script>"\'';
    const html = pageOf({
      Subscribers: subscriber({ workflow_id: attack, name: attack, reason: attack, since: ago(1) }),
      Balance: items({ error: `${attack} 13812345678` }),
    });
    expect(html).not.toContain('<script');
    expect(html).not.toContain('13812345678');
    expect(html.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(2);
  });
});
