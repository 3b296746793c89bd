/** The Code nodes of the dashboard: warnings, counts, windows, links, escaping, and the file. */
import { DateTime } from 'luxon';

import { perDay } from '../src/dashboard/alerts';
import type { Counted } from '../src/dashboard/counted';
import rowsAsCsv from '../src/dashboard/rows-as-csv';
import type { Asked } from '../src/dashboard/what-was-asked';
import { BAD_TEMPLATE, makeDay, TEMPLATES } from '../kit/day';
import { open, type Opened, type Row } from './dashboardCode';
import { database } from './database';
import { inTurn } from './workflow';
import { codeSees } from '../../test/kit/workflows/codeNode';

const NOW = '2026-06-03T13:23:40.000Z';
const HOUR = 3_600_000;
const before = (millis: number) => new Date(Date.parse(NOW) - millis).toISOString();

let rows = 0;
const send = (fields: Row = {}): Row => ({
  ...{ id: (rows += 1), batch_id: 'b1', phone_number: '13810000001', status: 'accepted' },
  ...{ template: 't', source: 's', reference: '', sent_at: before(HOUR / 2), ...fields },
});
const report = (fields: Row = {}): Row => ({
  ...{ id: (rows += 1), event: 'deliveryReport', batch_id: 'b1', phone_number: '13810000001' },
  ...{ status: 'DELIVRD', status_desc: '', content: '', time: before(HOUR / 3), ...fields },
});
const reply = (fields: Row = {}): Row =>
  report({ event: 'reply', status: '', content: 'TD', ...fields });
const many = (count: number, rowOf: (index: number) => Row): Row[] =>
  Array.from({ length: count }, (_, index) => rowOf(index));
const show = (opened: Partial<Opened>) => open({ now: NOW, ...opened });

test.each([
  // The clock goes forward on 29 March 2026 at 2:00, and back on 25 October 2026 at 3:00.
  ['2026-03-28T20:30Z', '2026-03-29T20:30Z', 'hour', 25, /:00$/],
  ['2026-10-19T20:30Z', '2026-10-26T20:30Z', '6 hours', 29, /(00|06|12|18):00$/],
  ['2026-03-20T20:30Z', '2026-04-10T20:30Z', 'day', 22, /00:00$/],
])('between %s and %s the bars have full hours or days', (from, to, unit, count, full) => {
  const query = `SELECT replace(unit, '1 ', '') AS unit, ARRAY(SELECT to_char(start AT TIME ZONE 'Europe/Berlin', 'DD HH24:MI') FROM unnest(starts) AS start) AS starts
FROM sms.bars('${from}', '${to}', 'Europe/Berlin')`;
  const [bars] = database().rows(query) as [{ unit: string; starts: string[] }];
  expect(bars.unit).toBe(unit);
  expect(new Set(bars.starts).size).toBe(count);
  expect(bars.starts.filter((start) => !full.test(start))).toEqual([]);
});

test.each(['0001', '13810000001', ' 86 138-1000-0001'])(
  'a search for %j finds the number, and no link has it whole',
  async (digits) => {
    const sends = [send(), send({ batch_id: 'b2', phone_number: '13810000002' })];
    const { html } = await show({ query: { digits }, sends, events: [report(), reply()] });
    expect(html).toContain('Messages of …0001');
    expect(html.match(/<tr>/g)).toHaveLength(4);
    expect(html).not.toMatch(/13810000001|http-equiv="refresh"/);
  },
);

describe('what is wrong now', () => {
  const YESTERDAY = new Date(Date.parse(NOW) - 24 * HOUR);
  const twoDays = (kind: 'usual' | 'bad' | 'quiet', seed: number) => {
    const past = makeDay({ now: YESTERDAY, kind: 'quiet', seed: seed + 1000 });
    const today = makeDay({ now: new Date(NOW), kind, seed });
    return {
      sends: [...past.sends, ...today.sends].map((row, id) => ({ id: id + 1, ...row })),
      events: [...past.events, ...today.events].map((row, id) => ({ id: id + 1, ...row })),
      templates: TEMPLATES.map((row, id) => ({ id: id + 1, ...row })),
    };
  };
  const rulesOf = async (opened: Parameters<typeof show>[0]) =>
    (await show(opened)).alerts.map(({ rule }) => rule);

  test('an empty desk says that nothing was sent yet, and what to do, and is nowhere green', async () => {
    const { html } = await show({});
    expect(html).toContain('<h2>Nothing was sent yet</h2>');
    expect(html).toContain('href="../form/sms-campaign-form"');
    expect(html).not.toMatch(/mark green|Nothing is unsent|look right/);
    expect((await show({ query: { lang: 'zh' } })).html).toContain('还没有发过短信');
    // Of a desk that has sent before, only the time is empty.
    const quiet = await show({
      sends: [send({ sent_at: before(50 * HOUR) })],
      events: [report({ time: before(50 * HOUR) })],
    });
    expect(quiet.html).toContain('<h2>Nothing in the last 24 hours</h2>');
    expect(quiet.html).not.toMatch(/mark green/);
  });

  const few = many(9, (i) => report({ batch_id: `f${i}`, status: 'UNDELIV' }));
  const slow = (minutes: number, set: Row = {}) => ({
    sends: [send({ sent_at: before(HOUR) })],
    events: [report({ time: before(HOUR - minutes * 60_000) })],
    thresholds: Object.entries(set).map(([name, value]) => ({ name, value })),
  });
  const rejected = many(200, () => send({ status: 'rejected' }));

  // What there is, what is told, and what the page says.
  test.each<[string, Partial<Opened>, string[], ...RegExp[]]>([
    // It says what it has looked at, and where the rest is.
    [
      'a quiet day',
      twoDays('quiet', 17),
      [],
      /status"><b class="mark green">Nothing is above its threshold.*<a href="sms-status">Status page/,
    ],
    ['few messages', { events: few }, []],
    // Although most is delivered.
    [
      'a template that fails more often',
      twoDays('bad', 29),
      ['failures', 'failures'],
      /Template 发货通知/,
      RegExp(`template=${BAD_TEMPLATE}&amp;status=failed`),
      /Told above 10 % of at least 50 reports \(“failed_percent”/,
    ],
    ['deliveries in ten minutes', slow(10), []],
    ['slow deliveries', slow(11), ['slow']],
    ['those that are usual', slow(11, { slow_minutes: 11 }), []],
    ['none', { thresholds: slow(0, { slow_minutes: -1 }).thresholds }, []],
    // It is not green because of what it leaves out.
    ...[{ status: 'failed' }, { template: '8' }, { batch: 'x' }].map(
      (query): [string, Partial<Opened>, string[], RegExp] => [
        Object.keys(query).join(),
        { query, sends: rejected },
        [],
        /^(?!.*mark green)/s,
      ],
    ),
  ])('%s', async (_, opened, rules, ...texts) => {
    const { alerts, html } = await show(opened);
    expect(alerts.map(({ rule }) => rule)).toEqual(rules);
    for (const text of texts) expect(html).toMatch(text);
  });

  test('a balance that is low', async () => {
    const days = ['2026-06-01', '2026-06-02'].map((day, id) => ({ id: id + 1, day, sent: 1000 }));
    // Today is not over.
    days.push({ id: 3, day: '2026-06-03', sent: 10 });
    const told = await inTurn([5000, 8000], (balance) => rulesOf({ days, balance: { balance } }));
    expect(told).toEqual([['balance'], []]);
    const sends = many(20, (i) => send({ batch_id: `b${i}` }));
    const events = [report({ batch_id: 'x' })];
    const { html } = await show({ sends, events, balance: { balance: 30 } });
    for (const one of [
      '1 report of another message',
      'of 30 lasts for about 1 day.',
      'for about 1 day<',
    ])
      expect(html).toContain(one);
    expect((await show({ query: { to: NOW, from: before(HOUR) }, days })).perDay).toBe(0);
    // The status page says that the service does not answer.
    for (const balance of [{ balance: null }, { balance: 30, error: 'Login' }]) {
      const unknown = await show({ balance, sends });
      expect(unknown.alerts).toEqual([]);
      expect(unknown.html).toContain('could not be read');
    }
  });

  const ofAll = { template: '', batch: '', status: '' };

  // Messages and segments of the last day and of what is shown: then so many segments are spent a day.
  test.each<[day: number[], here: number[], spent: number, asked?: object]>([
    // Whatever is shown, by all of the day.
    [[100, 150], [10, 60], 1500],
    [[100, 150], [10, 60], 1500, { template: '302' }],
    [[1, 1], [10, 55], 1000],
    // Without a message of the last day, by those that are shown, if they are all of their time.
    [[0, 0], [9, 54], 6000],
    [[0, 0], [9, 54], 1000, { template: '302' }],
    [[0, 0], [9, 54], 1000, { batch: 'b' }],
    [[0, 0], [9, 54], 1000, { status: 'failed' }],
    [[0, 0], [0, 0], 1000],
  ])('of %j the last day and %j here, at 1,000 messages a day it is %i', (...given) => {
    const [day, here, spent, asked] = given;
    const [ofDay, ofHere] = [day, here].map(([sent, segments]) => ({ sent, segments }));
    const counted = { sentPerDay: 1000, figures: { day: ofDay, here: ofHere } } as unknown;
    expect(perDay(counted as Counted, { ...ofAll, ...asked } as Asked)).toBe(spent);
  });

  test('what still fails is wrong now, what works again was earlier', async () => {
    /** A batch of which every second message failed, some hours ago. */
    const badBatch = (hours: number, name = 'bad') =>
      many(60, (i) =>
        report({
          ...{ batch_id: name, phone_number: `139${10_000_000 + i}` },
          ...{ status: i % 2 ? 'UNDELIV' : 'DELIVRD', time: before(hours * HOUR + i * 1000) },
        }),
      );
    const heads = (html: string) =>
      [...html.matchAll(/<section class="alerts"><h2>(.*?)<\/h2>/g)].map(([, head]) => head);

    const both = [...badBatch(12, 'old'), ...badBatch(1, 'new')];
    const { alerts, html } = await show({ events: both });
    expect(heads(html)[0]).toBe('What is wrong now');
    expect(alerts[0]).toMatchObject({ rule: 'failures', isNow: true });
    // One still fails now and then.
    const again = many(40, (i) =>
      report({
        ...{ batch_id: 'bad', phone_number: `137${10_000_000 + i}`, time: before(HOUR) },
        status: i === 0 ? 'UNDELIV' : 'DELIVRD',
      }),
    );
    const events = [...badBatch(12), ...again];
    const { html: over } = await show({ events, balance: { balance: 0 } });
    expect(heads(over)).toEqual(['What is wrong now', 'Earlier in the last 24 hours']);
    const marks = [...over.matchAll(/<b class="mark (\w+)"><bdi>(.*?)<\/bdi>/g)];
    expect(marks.map(([, color, text]) => [color, text])).toEqual([
      ['red', 'The balance is 0: nothing can be sent.'],
      ['yellow', expect.stringContaining('The last 2 hours are better.') as unknown],
    ]);
  });

  test('its tiles and tables say the figures, and lead to their messages', async () => {
    const batches = ['o1', 'o2', 'o3', 'o4', 'b1', 'b2', 'b3'];
    const hours = (batch_id: string) => (batch_id.startsWith('o') ? 30 : 0.5);
    const sends = batches.map((batch_id) =>
      send({ batch_id, sent_at: before(hours(batch_id) * HOUR) }),
    );
    const events = batches.slice(0, 6).map((batch_id) =>
      report({
        ...{ batch_id, time: before(hours(batch_id) * HOUR - HOUR / 6) },
        status: /b2|o4/.test(batch_id) ? 'EXPIRED' : 'DELIVRD',
      }),
    );
    const { html } = await show({ query: { numbers: '1' }, sends, events });
    const text = html.replace(/<style>.*?<\/style>|<[^>]*>/gs, ' ').replace(/\s+/g, ' ');
    for (const one of [
      'Delivered 50.0 % 1 of 2 reported before: 75.0 %',
      'Failed 1 50.0 % of the reported before: 25.0 %',
      'Last record 20 min ago',
      '06-03 20:00 0 1 1 1 50.0 %',
    ])
      expect(text).toContain(one);
    expect(html).toMatch(/template=t&amp;status=none[^"]*">1</);
  });

  test('leads to a message: its number, its text, its report, and its thread', async () => {
    const sends = [send({ text: 'Your order <7>', template: '301' })];
    const opened = { sends, events: [report({ status: 'UNDELIV' })] };
    const failed = await show({ query: { template: '301', status: 'failed' }, ...opened });
    const row = /\?row=(o\d+)/.exec(failed.html)?.[1];
    const { html } = await show({ query: { row }, ...opened });
    expect(html).toContain('13810000001');
    expect(html).toContain('<bdi>Your order &lt;7&gt;</bdi>');
    expect(html).toContain(`href="sms-conversations?row=${row}"`);
    expect(html).toContain('<dt>Report at</dt><dd>06-03 21:03</dd>');
    expect(html).toContain('<dt>Time taken</dt><dd>10 min</dd>');
    const code = await show({ query: { row }, ...opened, sends: [{ ...sends[0], class: 'code' }] });
    expect(code.html).toContain('Not stored: the outbox keeps no codes.');
    expect(code.html).not.toContain('Your order');
    const headers = { 'accept-language': 'zh-CN' };
    expect((await show({ query: { row }, headers, ...opened })).html).toContain('客户收到的内容');
  });
});

describe('texts that strangers wrote', () => {
  const ATTACK = `<script>alert(1)</script>"'><img src=x onerror=a></title></style><svg onload=x>&lt;\${x}$&=\\\u202e`;
  const FIELDS = [
    ...['batch_id', 'phone_number', 'status', 'status_desc', 'content', 'template', 'source'],
    'reference',
  ];

  /** The page, with marks around the texts, without what stands between them and in its addresses. */
  const skeletonWith = async (text: string) => {
    const fields = Object.fromEntries(FIELDS.map((name) => [name, `⟪${text}⟫`]));
    const sends = [{}, {}, { phone_number: '13810000009' }].map((own) =>
      send({ ...fields, ...own }),
    );
    const { html } = await show({ sends, events: [report(fields), reply(fields)] });
    expect(html).not.toMatch(/<script|⟪[^⟫]*[<>"']/);
    return html.replace(/href="[^"]*"|(?<=⟪)[^⟪⟫]*(?=⟫)/g, '');
  };

  test('change nothing of the page but themselves', async () => {
    expect(await skeletonWith(ATTACK)).toBe(await skeletonWith('x'));
  });

  test('change nothing of the page when they stand in its address', async () => {
    const shape = async (text: string) => {
      const query = { digits: text, window: '24h', batch: `x${text}`, format: 'x' };
      const { html } = await show({ query });
      return html.replace(/(value|aria-label|href)="[^"]*"|“[^”]*”|<bdi>[^<]*<\/bdi>/g, '');
    };
    expect(await shape(ATTACK)).toBe(await shape('x'));
  });

  test('cannot run: the page has no script and forbids all', async () => {
    const { html } = await show({ sends: [send()] });
    expect(html).not.toMatch(/<script|javascript:|\son\w+=/i);
    const policy = html.indexOf("default-src 'none'");
    expect(policy).toBeGreaterThan(0);
    expect(policy).toBeLessThan(html.indexOf('<style>'));
    expect(html).not.toMatch(/(?:src|href)="(?!\?|sms-|#)/);
  });
});

describe('the file', () => {
  test.each(['relation "sms.inbox" does not exist', 'no connection'])(
    'that cannot be read: the page says why (%s)',
    async (error) => {
      const given = { 'Count them': [{ error }] };
      const { file, status, html } = await show({ query: { format: 'csv' }, given });
      expect([file, status]).toEqual([undefined, 503]);
      expect(html).toMatch(/does not exist|no connection/);
      // It would load the file if it loaded itself anew.
      expect(html).not.toContain('http-equiv="refresh"');
      const page = await show({ given });
      expect([page.file, page.status]).toEqual([undefined, 200]);
      expect(page.html.includes('Publish SMS · Schema again')).toBe(/exist/.test(error));
    },
  );

  test('says in its name if there are more rows', () => {
    const named = (isCut: boolean) => {
      const asked = { zone: 'utc', window: '24h', now: NOW };
      const shown = { rows: [['send']], isCut };
      const nodes = { 'What was asked': asked, 'Count them': { shown } };
      return rowsAsCsv({ ...codeSees(nodes), DateTime }).fileName;
    };
    expect(named(true)).toBe('sms-24h-2026-06-03-1323-latest-1.csv');
    expect(named(false)).toBe('sms-24h-2026-06-03-1323.csv');
  });

  test('has every row, newest first, with times of the workflow’s zone and UTF-8 marked', async () => {
    const { file, status } = await show({
      query: { format: 'csv' },
      sends: [send({ sent_at: before(HOUR), template: '发货通知' })],
      events: [
        report({ time: before(HOUR / 2) }),
        reply({ time: before(60_000), content: '好的, "谢谢"' }),
      ],
    });
    expect([status, file?.fileName]).toEqual([200, 'sms-24h-2026-06-03-2123.csv']);
    expect(file?.text.charCodeAt(0)).toBe(0xfeff);
    const [head, ...lines] = file?.text.slice(1).trimEnd().split('\r\n') ?? [];
    expect(head).toContain('"time (Asia/Shanghai)"');
    const events = lines.map((line) => line.split(',')[0]);
    expect(events.join()).toBe('"reply","deliveryReport","send"');
    expect(lines[0]).toContain('"2026-06-03 21:22:40"');
    expect(lines[0]).toContain('"好的, ""谢谢"""');
  });
});
