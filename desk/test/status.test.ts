/** The Code nodes that keep the tables small, keep figures by day, and show the state of all. */
import { DateTime } from 'luxon';

import daySums from '../src/upkeep/day-sums';
import rowsToGo from '../src/upkeep/rows-to-go';
import sizesOf from '../src/upkeep/sizes';
import whatIsNotCounted from '../src/upkeep/what-is-not-counted';
import type lightsIn from '../src/dashboard/lights';
import type { DayRow } from '../src/common/records/days';
import {
  cutsOf,
  MAX_ROWS_AT_ONCE,
  roomProblem,
  totalOf,
  type TableSize,
} from '../src/common/records/retention';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import { foundBy } from './database';
import { items, runCode, type Item } from '../../test/kit/workflows/codeNode';
import { runDesk, type Nodes, type Row } from './workflow';

const ZONE = 'Asia/Shanghai';
const NOW = DateTime.fromISO('2026-07-01T12:00:00', { zone: ZONE });
const SURROUNDINGS = { $now: NOW as DateTime, DateTime };
const LIMITS = { days: 90, megabytes: 120, megabytes_of_disk: 200 };
const KEEP = { 'How long to keep': items(LIMITS) };
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

const ago = (millis: number) => NOW.minus(millis).toUTC().toISO();

describe('what is deleted, simulated every five minutes', () => {
  const STEP = 5 * MINUTE;
  const ROOM = LIMITS.megabytes * 1e6;
  const BYTES = { 'sms.inbox': 250, 'sms.outbox': 370 };

  /**
   * Two tables as numbers: the times at which their rows were stored follow from their IDs. Gives back the
   * most that they take, and how many days each goes back at the end of each day.
   */
  function simulate(days: number, perDay: number, needed: Record<string, number> = {}) {
    const first: Record<string, number> = { 'sms.inbox': 1, 'sms.outbox': 1 };
    const back: number[][] = [];
    let most = 0;
    for (let now = STEP; now <= days * DAY; now += STEP) {
      const newest = Math.floor((now / DAY) * perDay);
      const sizes = Object.entries(BYTES).map(([name, bytesPerRow]): TableSize => {
        const oldest = first[name] ?? 0;
        const oldestAt = (oldest / perDay) * DAY;
        const rows = newest - oldest + 1;
        return {
          ...{ name, newestAt: (newest / perDay) * DAY, oldestAt, rows },
          ...{ bytes: rows * bytesPerRow, free: { id: oldest, at: oldestAt } },
        };
      });
      most = Math.max(most, totalOf(sizes));
      for (const { name, below, before } of cutsOf(sizes, LIMITS, { needed, now })) {
        const oldest = first[name] ?? 0;
        const left = Math.min(below, Math.floor((before / DAY) * perDay) + 1);
        expect(left - oldest).toBeLessThanOrEqual(MAX_ROWS_AT_ONCE);
        first[name] = Math.max(oldest, left);
      }
      if (now % DAY === 0) back.push(sizes.map(({ oldestAt }) => (now - oldestAt) / DAY));
    }
    return { most, back };
  }

  // How far the inbox and the outbox go back at the end, in days.
  test.each<[string, number, Record<string, number>, [number, number]]>([
    ['both equally', 100_000, {}, [1.94, 1.94]],
    ['both equally', 600_000, {}, [0.32, 0.32]],
    // The inbox alone may take half of the room: 60 MB are 2.4 days.
    ['what a subscriber waits for stays', 100_000, { 'sms.inbox': 200_000 }, [2.4, 1.62]],
    [
      'what nobody has counted goes last',
      100_000,
      { 'sms.inbox': 1, 'sms.outbox': 1 },
      [2.4, 1.62],
    ],
  ])('30 days never fill the tables: %s, with %i messages a day', (_, perDay, needed, ends) => {
    const { most, back } = simulate(30, perDay, needed);
    // What comes in five minutes is over before the next look.
    expect(most).toBeLessThan(ROOM * 1.05);
    back.at(-1)?.forEach((days, table) => expect(days).toBeCloseTo(Number(ends[table]), 1));
  });

  test('little traffic: rows go after the days to keep, and not before', () => {
    const ends = simulate(120, 40).back.slice(95).flat();
    expect(new Set(ends.map((days) => Math.round(days)))).toEqual(new Set([LIMITS.days]));
  });
});

test('of old rows, what is not sent yet stays', () => {
  const statuses = ['accepted', 'pending', 'sending', 'waiting', 'unknown'];
  const rows = statuses.map((status, id) => ({ id, status, createdAt: ago(DAY) }));
  const $json = { name: 'sms.outbox', below: 9, before: NOW.toMillis() };
  const found = foundBy('upkeep', 'Delete old rows', rows, { $json });
  expect(found.map(({ status }) => status)).toEqual(['accepted', 'unknown']);
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
      { id: 'a', name: 'sms.inbox' },
      { id: 'b', name: 'sms.outbox' },
      { id: 'c', name: 'sms.recipients' },
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
      { name: 'sms.inbox', rows: 1000, bytes: 110_000, free: { id: 501 } },
      { name: 'sms.recipients', rows: 90, bytes: 90 * 107 },
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
    ...{ name, newestAt: NOW.toMillis(), rows: 200_000 },
    ...{ oldestAt: NOW.toMillis() - back, bytes: megabytes * 1e6 },
    free: { id: 1, at: NOW.toMillis() - back },
  });

  test.each([
    ['there is room', [size('sms.inbox', 50, 3 * DAY), size('sms.outbox', 69, 3 * DAY)], /^""$/],
    ['a campaign fills n8n', [size('sms.recipients', 161, 3 * DAY)], /"megabytes":161,"all":200/],
    ['less than a day fits', [size('sms.inbox', 119, DAY / 2)], /less than a day.*"sms.inbox"/],
  ])('an alarm when it is due: %s', (_, tables, reason) => {
    const problem = roomProblem(tables, LIMITS, NOW.toMillis());
    expect(JSON.stringify(problem ?? '')).toMatch(reason);
  });

  test('rows are needed that a subscriber waits for, or that are not in the figures yet', () => {
    const nodes = {
      Sizes: items({
        limits: LIMITS,
        tables: [size('sms.inbox', 10, 99 * DAY), size('sms.outbox', 10, 99 * DAY)],
      }),
      'First row that is waited for': items({ id: 3, read_to: 1200 }),
      'Figures so far': items(
        { id: 2, day: '2026-07-01', inbox_id: 1500, outbox_id: null },
        { id: 1, day: '2026-06-30', inbox_id: 1400, outbox_id: 800 },
      ),
    };
    const cuts = runCode(rowsToGo, [], { ...SURROUNDINGS, nodes }).map(({ json }) => json);
    expect(cuts).toMatchObject([
      { name: 'sms.inbox', below: 1201, before: NOW.toMillis() - 90 * DAY },
      { name: 'sms.outbox', below: 801 },
    ]);
    // Nothing is counted yet.
    const early = { ...nodes, 'Figures so far': items({}) };
    expect(runCode(rowsToGo, [], { ...SURROUNDINGS, nodes: early })).toEqual([]);
  });
});

test('who asks for nothing gets the sizes, and no row goes', () => {
  const world = { tables: {}, given: { 'Tables that exist': [] }, now: NOW as DateTime };
  const asked = (json: Row) => Object.keys(runDesk('upkeep', 'Asked', json, world)).at(-1);
  expect(asked({ workflow_id: 'w' })).toBe('Only the sizes?');
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
    ...{ name, newestAt: NOW.toMillis() - newestAgo },
    ...{ rows: 1000, oldestAt: NOW.toMillis() - 2 * DAY, bytes: 1e6 },
  });
  const day = { day: '2026-07-01', sent: 40, accepted: 39, delivered: 30, failed: 1 };
  const createdAt = ago(MINUTE);
  const workflow = { workflow_id: 'sms-campaign', name: 'SMS campaign', wants: 'all', since: null };
  /** Rows of workflows that ran so many minutes ago. */
  const beatsOf = (ran: Record<string, number> = {}, minutes = 1) =>
    Object.entries({ 'Inbox: serve': 1, Outbox: 1, Watchdog: 1, ...ran }).map(
      ([name, before], id) => ({
        ...{ id: id + 1, name: `SMS · ${name}`, workflow_id: 'w7', minutes },
        updatedAt: ago(before * MINUTE),
      }),
    );
  const GOOD: Nodes = {
    'Does the inbox answer?': [{}],
    Heartbeats: beatsOf(),
    'Status page is opened': [{ executionMode: 'production' }],
    'Does the service answer?': [{ balance: 1234 }],
    Rules: [
      { id: 1, class: 'code', per_day: 10 },
      { id: 2, class: 'all', per_day: 10_000 },
    ],
    'Latest figures by day': [
      { id: 1, ...day, opt_outs: 3, inbox_id: 900, outbox_id: 900, opt_outs_id: 3 },
    ],
    'Who has opted out': [2, 3, 4].map((id) => ({ id, createdAt })),
    'Inbox, not counted yet': [{ id: 901, event: 'reply', createdAt }],
    'Outbox, not counted yet': [{ id: 901, status: 'accepted', createdAt }],
    'Who has subscribed': [{ id: 1, ...workflow, updatedAt: ago(MINUTE) }],
    'Sizes from the upkeep': [
      {
        limits: LIMITS,
        tables: [size('sms.inbox', MINUTE), size('sms.outbox', 2 * MINUTE)],
      },
    ],
  };
  const run = (given: Nodes = {}, memory: Row = {}) => {
    const { 'Status page is opened': opened, ...others } = { ...GOOD, ...given };
    const world = { tables: {}, given: others, memory, now: NOW as DateTime };
    return runDesk('dashboard', 'Status page is opened', opened?.[0] ?? {}, world);
  };
  const lightsOf = (nodes?: Nodes, memory?: Row) => {
    const [said] = run(nodes, memory).Lights ?? [];
    const { lights, subscribers } = said as unknown as ReturnType<typeof lightsIn>;
    return [...lights, ...subscribers];
  };
  const pageOf = (nodes?: Nodes) => String(run(nodes)['Status page']?.[0]?.html);

  test('all is green when all is well, and today includes what is not counted yet', () => {
    expect(lightsOf().filter(({ level }) => level !== 'green')).toEqual([]);
    expect(run().Lights?.[0]?.days).toMatchObject([
      { day: '2026-07-01', sent: 41, accepted: 40, replies: 1, opt_outs: 4 },
    ]);
    const text = lightsOf()
      .map((light) => light.text)
      .join(' ');
    expect(text).toContain('Today: 32 records.');
    expect(text).toContain('41 messages sent or waiting today, of 10,000');
    expect(pageOf()).toContain('<title>OK – SMS status</title>');
    // Green lights say nothing about what became of messages.
    expect(pageOf()).toContain(
      'Whether messages arrive, and which reports are late, is on another page',
    );
  });

  test('one of a thing is said in the singular', () => {
    const day1 = { id: 1, day: '2026-07-01', sent: 0, delivered: 0, failed: 0 };
    const said = lightsOf({
      'Latest figures by day': [day1],
      'Who has opted out': [{ id: 1, createdAt }],
    })
      .map(({ text }) => text)
      .join(' ');
    expect(said).toContain('1 message sent or waiting today, of 10,000');
    expect(said).toContain('Today: 1 record.');
    expect(said).toContain('1 number gets no messages any more.');
    expect(said).toContain(', 1 minute ago.');
  });

  test('the light of the opt-outs leads to their page', () => {
    const light = lightsOf({}).find(({ name }) => name === 'Opt-outs');
    expect(light?.links).toEqual([{ text: 'The list', href: 'sms-opt-outs' }]);
  });

  test('an empty n8n has a page, and an error of a table is no row', () => {
    const names = [
      ...['Who has subscribed', 'Rules', 'Latest figures by day'],
      ...['Inbox, not counted yet', 'Outbox, not counted yet'],
    ];
    const nothing = Object.fromEntries(names.map((name) => [name, [{ error: 'not found' }]]));
    const html = pageOf({ ...nothing, ...sizes() });
    expect(html).toContain('No record has come yet.');
    expect(html).toContain('No workflow has subscribed.');
    // Whether everything was sent is not known without the table.
    const unread = { 'Not sent lately': [{ error: 'not found' }] };
    expect(pageOf()).toContain('Nothing is unsent');
    expect(pageOf(unread)).not.toContain('Nothing is unsent');
  });

  const subscriber = (values: object) => [
    { id: 1, workflow_id: 'sms-campaign', name: 'SMS campaign', ...values },
  ];
  const since = (minutes: number, reason = '') =>
    subscriber({ since: ago(minutes * MINUTE), reason });
  const sizes = (...tables: TableSize[]) => ({
    'Sizes from the upkeep': [{ limits: LIMITS, tables }],
  });
  const none = { 'Inbox, not counted yet': [{}], 'Outbox, not counted yet': [{}] };
  const perDay = (per_day: number) => ({ Rules: [{ id: 1, class: 'all', per_day }] });
  const inactive = [{ error: 'Workflow is not active' }];
  const noTables = {
    'Who has subscribed': [{ error: 'relation "sms.subscribers" does not exist' }],
    Rules: [{ error: {}, message: 'relation "sms.rules" does not exist' }],
  };
  const hangs = { since: ago(6 * MINUTE), updatedAt: ago(6 * MINUTE) };
  const isRun = { ...hangs, reason: 'gone', free_at: ago(-54 * MINUTE) };
  const forgotten = { since: null, updatedAt: ago(16 * MINUTE) };

  const old = [size('sms.inbox', 200 * MINUTE), size('sms.outbox', 90 * MINUTE)];

  // The light and what it says, and what is not as in GOOD.
  test.each<[string, RegExp, Nodes]>([
    ['yellow Inbox', /Publish this/, { 'Status page is opened': [{ executionMode: 'test' }] }],
    ['red Inbox', /not published.*No reports/, { 'Does the inbox answer?': inactive }],
    ['green Workflows', /All workflows/, { Heartbeats: beatsOf({ Outbox: 5 }) }],
    ['red SMS · Outbox', /since 11:54/, { Heartbeats: beatsOf({ Outbox: 6 }) }],
    ['green Workflows', /All workflows/, { Heartbeats: beatsOf({ Watchdog: 120 }, 60) }],
    ['red SMS · Service', /since 11:46.*sms.heart/, { Heartbeats: beatsOf({ Service: 14 }, 5) }],
    ['red SMS · Outbox', /It has not run yet/, { Heartbeats: beatsOf().toSpliced(1, 1) }],
    ['yellow SMS · Watchdog', /It has not run yet/, { Heartbeats: beatsOf().slice(0, 2) }],
    ['yellow Workflows', /not known/, { Heartbeats: [{ error: 'Away' }] }],
    ['red Upkeep', /not published.*Old rows stay/, { 'Sizes from the upkeep': inactive }],
    [
      'red SMS service',
      /Wrong signature/,
      { 'Does the service answer?': [{ error: 'Wrong signature' }] },
    ],
    [
      'red SMS service',
      /At 11:53 the balance was 9\. It was asked at 11:58.*No answer/,
      {
        'Does the service answer?': [
          { balance: 9, answered: ago(7 * MINUTE), asked: ago(2 * MINUTE), error: 'No answer' },
        ],
      },
    ],
    ['yellow SMS service', /publish “SMS · Service”/, { 'Does the service answer?': [{}] }],
    ['red SMS service', /nothing can be sent/, { 'Does the service answer?': [{ balance: 0 }] }],
    ['yellow Records', /nothing has come since/, { ...sizes(...old), ...none }],
    ['green SMS campaign', /takes its records/, { 'Who has subscribed': since(1) }],
    [
      'red SMS campaign',
      /since 11:00.*not published/,
      { 'Who has subscribed': since(60, 'is not active') },
    ],
    [
      'yellow SMS campaign',
      /138 •••• 5678/,
      { 'Who has subscribed': since(2, 'no user 13812345678') },
    ],
    [
      'red SMS campaign',
      /tries again by itself.*gone/,
      { 'Who has subscribed': since(11, 'gone') },
    ],
    ['yellow SMS campaign', /tries again/, { 'Who has subscribed': since(10, 'gone') }],
    ['yellow SMS campaign', /since 11:54/, { 'Who has subscribed': subscriber(hangs) }],
    [
      'yellow SMS campaign',
      /since 11:54.*no other before 12:54.* (?!gone)/,
      { 'Who has subscribed': subscriber(isRun) },
    ],
    ['red SMS campaign', /since 11:44/, { 'Who has subscribed': subscriber(forgotten) }],
    ['red Tables', /There is no sms.subscribers, sms.rules\. Publish/, noTables],
    ['yellow Daily limit', /per_day/, perDay(50)],
    ['red Daily limit', /41 messages/, perDay(41)],
    ['red Tables', /190 MB of the 200 MB/, sizes({ ...size('sms.inbox', MINUTE), bytes: 190e6 })],
  ])('%s says %s', (wanted, text, nodes) => {
    const found = lightsOf(nodes).find(({ level, name }) => `${level} ${name}` === wanted);
    expect(`${found?.text} ${found?.reason}`).toMatch(text);
  });

  describe('pulls that fail', () => {
    const error = { message: 'connect ECONNREFUSED about 13812345678' };
    const FAILED = { trigger: { error, mode: 'trigger' }, workflow: { id: 'sms-inbox' } };
    /** What the workflow remembers after failures so many minutes ago. */
    const after = (minutes: number[], failure: Row = FAILED) => {
      const memory: Row = {};
      for (const minute of minutes) {
        const world = { tables: {}, memory, now: NOW.minus(minute * MINUTE) as DateTime };
        runDesk('dashboard', 'A pull has failed', failure, world);
      }
      return memory;
    };
    const NO_NEWS = { ...sizes(size('sms.inbox', 90 * MINUTE)), ...none };
    const away = { ...NO_NEWS, 'Does the service answer?': [{ error: 'It cannot be reached.' }] };

    test.each([
      ['a failure 5 minutes ago', [5], NO_NEWS, ['red', 'yellow']],
      ['one failure, and none since', [6], NO_NEWS, ['green', 'green']],
      ['several: n8n may wait before it tries again', [21, 6], NO_NEWS, ['yellow', 'yellow']],
      ['several, and none for longer than n8n waits', [40, 38, 36], NO_NEWS, ['green', 'green']],
      ['a record that came after the last failure', [3, 2], {}, ['green', 'green']],
      ['a service that does not answer', [], away, ['yellow', 'yellow']],
    ])('%s', (_, minutes, nodes, levels) => {
      const shown = lightsOf(nodes, after(minutes));
      const [inbox, records] = ['Inbox', 'Records'].map((name) =>
        shown.find((light) => light.name === name),
      );
      expect([inbox?.level, records?.level]).toEqual(levels);
    });

    test('are counted from the first of their row, without what is no pull', () => {
      const [inbox] = lightsOf(NO_NEWS, after([500, 499, 2.5, 1.5, 0.5]));
      expect(inbox?.text).toContain(
        'Pulls fail: 3 since 11:57, the last one less than a minute ago',
      );
      expect(inbox?.reason).toBe('connect ECONNREFUSED about 138 •••• 5678');
      expect(inbox?.links.map(({ href }) => href)).toContain('../workflow/sms-inbox/executions');
      const push = { execution: { error, mode: 'webhook' }, workflow: FAILED.workflow };
      expect(after([1], push)).toEqual({});
      expect(after([1], { ...FAILED, workflow: { id: 'sms-dashboard' } })).toEqual({});
    });

    test('the inbox tells this workflow', () => {
      expect(readDesk('inbox').settings).toMatchObject({ errorWorkflow: 'sms-dashboard' });
      const { nodes, connections } = readDesk('dashboard');
      const trigger = nodes.find(({ type }) => type === 'n8n-nodes-base.errorTrigger');
      expect(connections[String(trigger?.name)]?.main?.[0]?.[0]?.node).toBe(
        'Remember the failed pull',
      );
    });
  });

  test('what others wrote is text, and numbers are masked', () => {
    const attack = '<script>alert(1)</script>"\'';
    const html = pageOf({
      'Who has subscribed': subscriber({
        workflow_id: attack,
        name: attack,
        reason: attack,
        since: ago(1),
      }),
      'Does the service answer?': [{ error: `${attack} 13812345678` }],
    });
    expect(html).not.toContain('<script');
    expect(html).not.toContain('13812345678');
    expect(html.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(2);
  });
});
