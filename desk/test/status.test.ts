/** The page that shows the state of all. */
import type lightsIn from '../src/dashboard/lights';
import type { TableSize } from '../src/common/records/health';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import { ago, NOW, runDesk, type Nodes, type Row } from './workflow';

const DAY = 1440;

const size = (name: string, newestAgo: number): TableSize => ({
  ...{ name, rows: 1000, bytes: 1e6, newest: ago(newestAgo), oldest: ago(2 * DAY) },
});
const day = {
  ...{ id: 1, day: '2026-06-03', sent: 41, accepted: 40, delivered: 30, failed: 1 },
  ...{ replies: 1, unreadable: 0, opt_outs: 4 },
};
const workflow = { workflow_id: 'sms-campaign', name: 'SMS campaign', wants: 'all', since: null };
/** Rows of workflows that ran so many minutes ago. */
const beatsOf = (ran: Record<string, number> = {}, minutes = 1) =>
  Object.entries({ 'Inbox: serve': 1, Outbox: 1, Upkeep: 1, Watchdog: 1, ...ran }).map(
    ([name, before], id) => ({
      ...{ id: id + 1, name: `SMS · ${name}`, workflow_id: 'w7', minutes },
      updatedAt: ago(before),
    }),
  );
const sizes = (...tables: TableSize[]): Nodes => ({
  Sizes: tables.map((each): Row => ({ ...each })),
});
const GOOD: Nodes = {
  'Does the inbox answer?': [{}],
  Heartbeats: beatsOf(),
  'Status page is opened': [{ executionMode: 'production' }],
  'Does the service answer?': [{ balance: 1234 }],
  Rules: [
    { id: 1, class: 'code', per_day: 10 },
    { id: 2, class: 'all', per_day: 10_000 },
  ],
  Days: [day],
  'Opt-outs in all': [{ count: 4 }],
  'Who has subscribed': [{ id: 1, ...workflow, updatedAt: ago(1) }],
  ...sizes(size('sms.inbox', 1), size('sms.outbox', 2)),
};
const run = async (given: Nodes = {}, memory: Row = {}) => {
  const { 'Status page is opened': opened, ...others } = { ...GOOD, ...given };
  const world = { tables: {}, given: others, memory };
  return await runDesk('dashboard', 'Status page is opened', opened?.[0] ?? {}, world);
};
const lightsOf = async (nodes?: Nodes, memory?: Row) => {
  const [said] = (await run(nodes, memory)).Lights ?? [];
  const { lights, subscribers } = said as unknown as ReturnType<typeof lightsIn>;
  return [...lights, ...subscribers];
};
const pageOf = async (nodes?: Nodes) => String((await run(nodes))['Status page']?.[0]?.html);

test('all is green when all is well', async () => {
  expect((await lightsOf()).filter(({ level }) => level !== 'green')).toEqual([]);
  const text = (await lightsOf()).map((light) => light.text).join(' ');
  expect(text).toContain('Today: 32 records.');
  expect(text).toContain('41 messages sent or waiting today, of 10,000');
  const html = await pageOf();
  expect(html).toContain('<title>OK – SMS status</title>');
  expect(html).toContain('Nothing is unsent');
  expect(html.replace(/<[^>]*>/g, ' ').replace(/ +/g, ' ')).toContain('2026-06-03 41 40 30 1 1 4');
  expect(text).toContain('4 numbers get no messages any more.');
  // Green lights say nothing about what became of messages.
  expect(html).toContain('Whether messages arrive, and which reports are late, is on another page');
  const optOuts = (await lightsOf()).find(({ name }) => name === 'Opt-outs');
  expect(optOuts?.links).toEqual([{ text: 'The list', href: 'sms-opt-outs' }]);
});

test('an empty n8n has a page, and what could not be read has no light', async () => {
  const tables = Object.keys(GOOD).filter((name) => !/inbox|Status/.test(name));
  const names = [...tables, 'Not sent', 'Thresholds of the status'];
  const all = (row: Row) => Object.fromEntries(names.map((name): [string, Row[]] => [name, [row]]));
  const html = await pageOf(all({}));
  expect(html).toContain('No record has come yet.');
  expect(html).toContain('No workflow has subscribed.');
  const away = all({ error: 'Away' });
  const lights = (await lightsOf(away)).map(({ level, name }) => `${level} ${name}`);
  expect(lights).toEqual(['yellow Inbox', 'red Tables']);
  expect(await pageOf(away)).not.toMatch(/No workflow has subscribed|Invalid/);
});

const says = (answer: Row): Nodes => ({ 'Does the service answer?': [answer] });
const subscriber = (values: object): Nodes => ({
  'Who has subscribed': [{ id: 1, workflow_id: 'sms-campaign', name: 'SMS campaign', ...values }],
});
const since = (minutes: number, reason = '') => subscriber({ since: ago(minutes), reason });
const perDay = (per_day: number, kept = 0) => ({
  Rules: [
    { id: 1, class: 'all', per_day },
    { id: 2, class: 'reserved', per_day: kept },
  ],
});
const beats = (ran: Record<string, number>, minutes = 1) => ({
  Heartbeats: beatsOf(ran, minutes),
});
const inactive = { 'Does the inbox answer?': [{ error: 'Workflow is not active' }] };
const isTest = { 'Status page is opened': [{ executionMode: 'test' }] };
const noTables = {
  'Who has subscribed': [{ error: 'relation "sms.subscribers" does not exist' }],
  Rules: [{ error: {}, message: 'relation "sms.rules" does not exist' }],
};
const asked = { answered: ago(7), asked: ago(2), error: 'No answer' };
const hangs = { since: ago(6), updatedAt: ago(6) };
const isRun = { ...hangs, reason: 'gone', free_at: ago(-54) };
const forgotten = { since: null, updatedAt: ago(16) };

const full = { ...size('sms.inbox', 1), bytes: 23e9 };
const old = [size('sms.inbox', 200), size('sms.outbox', 90)];

// The light and what it says, and what is not as in GOOD.
test.each<[string, RegExp, Nodes]>([
  ['yellow Inbox', /Publish this/, isTest],
  ['red Inbox', /not published.*No reports/, inactive],
  ['green Workflows', /All workflows/, beats({ Outbox: 5 })],
  ['red SMS · Outbox', /since 11:54/, beats({ Outbox: 6 })],
  ['green Workflows', /All workflows/, beats({ Watchdog: 120 }, 60)],
  ['red SMS · Service', /since 11:46.*sms.heart/, beats({ Service: 14 }, 5)],
  ['red SMS · Outbox', /It has not run yet/, { Heartbeats: beatsOf().toSpliced(1, 1) }],
  ['yellow SMS · Watchdog', /It has not run yet/, { Heartbeats: beatsOf().slice(0, 3) }],
  ['red SMS service', /Wrong signature/, says({ asked: ago(2), error: 'Wrong signature' })],
  ['red SMS service', /At 11:53 .* was 9\. .* 11:58.*No answer/, says({ ...asked, balance: 9 })],
  ['yellow SMS service', /publish “SMS · Service”/, says({})],
  ['red SMS service', /nothing can be sent/, says({ balance: 0 })],
  ['yellow Records', /nothing has come since/, sizes(...old)],
  ['yellow Records', /2 records could/, { Days: [{ ...day, unreadable: 2 }] }],
  [
    'green Records',
    /^(?!.*could not be read)/,
    { Days: [{ ...day, day: '2026-06-29', unreadable: 2 }] },
  ],
  ['green SMS campaign', /takes its records/, since(1)],
  ['red SMS campaign', /since 11:00.*not published/, since(60, 'is not active')],
  ['yellow SMS campaign', /138 •••• 5678/, since(2, 'no user 13812345678')],
  ['red SMS campaign', /tries again by itself.*gone/, since(11, 'gone')],
  ['yellow SMS campaign', /tries again/, since(10, 'gone')],
  ['yellow SMS campaign', /since 11:54/, subscriber(hangs)],
  ['yellow SMS campaign', /since 11:54.*before 12:54.* (?!gone)/, subscriber(isRun)],
  ['red SMS campaign', /since 11:44/, subscriber(forgotten)],
  ['red Tables', /There is no sms.subscribers, sms.rules\. Publish/, noTables],
  ['yellow Daily limit', /per_day/, perDay(50)],
  ['red Daily limit', /41 messages/, perDay(41)],
  ['red Daily limit', /refuses more/, perDay(50, 10)],
  ['green Tables', /2.0 MB of the 20,000 MB/, {}],
  ['red Tables', /take about 23001 MB, and may take 20000/, sizes(size('sms.outbox', 1), full)],
])('%s says %s', async (wanted, text, nodes) => {
  const found = (await lightsOf(nodes)).find(({ level, name }) => `${level} ${name}` === wanted);
  expect(`${found?.text} ${found?.reason}`).toMatch(text);
});

describe('pulls that fail', () => {
  const error = { message: 'connect ECONNREFUSED about 13812345678' };
  const FAILED = { trigger: { error, mode: 'trigger' }, workflow: { id: 'sms-inbox' } };
  /** What the workflow remembers after failures so many minutes ago. */
  const after = async (minutes: number[], failure: Row = FAILED) => {
    const memory: Row = {};
    for (const minute of minutes) {
      const world = { tables: {}, memory, now: NOW.minus({ minutes: minute }) };
      await runDesk('dashboard', 'A pull has failed', failure, world);
    }
    return memory;
  };
  const NO_NEWS = sizes(size('sms.inbox', 90));
  const away = { ...NO_NEWS, ...says({ error: 'It cannot be reached.' }) };

  test.each([
    ['a failure 5 minutes ago', [5], NO_NEWS, 'red yellow'],
    ['one failure, and none since', [6], NO_NEWS, 'green green'],
    ['several: n8n may wait before it tries again', [21, 6], NO_NEWS, 'yellow yellow'],
    ['several, and none for longer than n8n waits', [40, 38, 36], NO_NEWS, 'green green'],
    ['a record that came after the last failure', [3, 2], {}, 'green green'],
    ['a service that does not answer', [], away, 'yellow yellow'],
  ])('%s', async (_, minutes, nodes, levels) => {
    const shown = (await lightsOf(nodes, await after(minutes))).filter(({ name }) =>
      /Inbox$|Records/.test(name),
    );
    expect(shown.map(({ level }) => level).join(' ')).toBe(levels);
  });

  test('are counted from the first of their row, without what is no pull', async () => {
    const [inbox] = await lightsOf(NO_NEWS, await after([500, 499, 2.5, 1.5, 0.5]));
    expect(inbox?.text).toContain('Pulls fail: 3 since 11:57, the last one less than a minute ago');
    expect(inbox?.reason).toBe('connect ECONNREFUSED about 138 •••• 5678');
    expect(inbox?.links.map(({ href }) => href)).toContain('../workflow/sms-inbox/executions');
    const push = { execution: { error, mode: 'webhook' }, workflow: FAILED.workflow };
    expect(await after([1], push)).toEqual({});
    expect(await after([1], { ...FAILED, workflow: { id: 'sms-dashboard' } })).toEqual({});
  });

  test('the inbox tells this workflow', () => {
    expect(readDesk('inbox').settings).toMatchObject({ errorWorkflow: 'sms-dashboard' });
    const { nodes, connections } = readDesk('dashboard');
    const { name = '' } = nodes.find(({ type }) => type.endsWith('.errorTrigger')) ?? {};
    expect(connections[name]?.main?.[0]?.[0]?.node).toBe('Remember the failed pull');
  });
});

test('what others wrote is text, and numbers are masked', async () => {
  const attack = '<script>alert(1)</script>"\'';
  const row = { workflow_id: attack, name: attack, reason: attack, since: ago(1) };
  const html = await pageOf({ ...subscriber(row), ...says({ error: `${attack} 13812345678` }) });
  expect(html).not.toContain('<script');
  expect(html).not.toContain('13812345678');
  expect(html.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(2);
});
