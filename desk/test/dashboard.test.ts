/** The Code nodes of the dashboard: warnings, counts, windows, links, escaping, and the file. */
import { why } from '../src/common/messages/reasons';
import fc from 'fast-check';
import { DateTime } from 'luxon';

import rowsAsCsv from '../src/dashboard/rows-as-csv';
import { BAD_TEMPLATE, makeDay, TEMPLATES } from '../../test/kit/desk/day';
import { open, type Row } from './dashboardCode';
import { foundBy } from './database';
import { items, runCode } from '../../test/kit/workflows/codeNode';

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
/** So many rows, each in a batch of its own. */
const many = (count: number, rowOf: (index: number) => Row): Row[] =>
  Array.from({ length: count }, (_, index) => ({ batch_id: `b${index}`, ...rowOf(index) }));
const show = (opened: Omit<Parameters<typeof open>[0], 'now'> & { now?: string }) =>
  open({ now: NOW, ...opened });
const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);

describe('counts', () => {
  test.each(['1h', '24h', '7d', 'all'])(
    'of a day, in %s, are those of an independent count',
    (window) => {
      const day = makeDay({ now: new Date(NOW), sends: 900 });
      const { figures, bars } = show({
        query: { window },
        sends: day.sends.map((row, id) => ({ id: id + 1, ...row })),
        events: day.events.map((row, id) => ({ id: id + 1, ...row })),
      });
      const hours = { '1h': 1, '24h': 24, '7d': 168 }[window] ?? Infinity;
      const isIn = (time: string) => Date.parse(NOW) - Date.parse(time) <= hours * HOUR;
      const sent = day.sends.filter(({ sent_at }) => isIn(sent_at));
      const events = day.events.filter(({ time }) => isIn(time));
      const reports = events.filter(({ event }) => event === 'deliveryReport');
      const reported = new Set(
        reports.map(({ batch_id, phone_number }) => batch_id + phone_number),
      );
      const known = new Set(sent.map(({ batch_id, phone_number }) => batch_id + phone_number));
      const silent = sent.filter(
        ({ batch_id, phone_number }) => !reported.has(batch_id + phone_number),
      );
      expect(figures).toMatchObject({
        sent: sent.length,
        segments: sent.length,
        reported: reports.length,
        delivered: reports.filter(({ status }) => status === 'DELIVRD').length,
        failed: reports.filter(({ status }) => status !== 'DELIVRD').length,
        missing: silent.length,
        late: silent.filter(({ sent_at }) => Date.parse(NOW) - Date.parse(sent_at) > HOUR).length,
        replies: events.length - reports.length,
        unknown: [...reported].filter((key) => !known.has(key)).length,
      });
      // Each message once, when it was sent.
      expect(sum(bars.map(({ missing }) => missing))).toBe(silent.length);
      const all = bars.map(({ delivered, failed, missing }) => delivered + failed + missing);
      expect(sum(all)).toBe(sent.length);
      expect(bars.length).toBeLessThanOrEqual(32);
    },
  );

  test('a report of a message that was sent before the window is one of another message', () => {
    const { figures } = show({
      query: { window: '1h' },
      sends: [send({ sent_at: before(2 * HOUR) })],
      events: [report({ time: before(HOUR / 2) })],
    });
    expect(figures).toMatchObject({ sent: 0, reported: 1, delivered: 1, unknown: 1 });
  });

  test('a reply that is there twice counts once, and of several reports the last one counts', () => {
    const events = [
      ...[report({ status: 'EXPIRED', time: before(HOUR / 2) }), report(), report()],
      ...[reply({ time: before(5) }), reply({ time: before(5) })],
    ];
    const { figures } = show({ sends: [send()], events });
    expect(figures).toMatchObject({ sent: 1, reported: 1, delivered: 1, failed: 0, replies: 1 });
    // Without a batch, each is a message of its own. Of what was not sent, none counts as sent.
    const others = ['rejected', 'refused', 'waiting', 'claimed', 'unknown'];
    const sends = [send({ batch_id: '' }), send({ batch_id: '' })];
    const all = [...sends, ...others.map((status) => send({ status, batch_id: status }))];
    expect(show({ sends: all, events: [report({ batch_id: '' })] }).figures).toMatchObject({
      ...{ unsent: 5, sent: 2, reported: 1, missing: 2, unknown: 1 },
    });
  });
});

test('one of a thing is said in the singular', () => {
  const oneAhead = { events: [report({ time: before(-2 * HOUR) })] };
  expect(show(oneAhead).html).toContain('1 report has a time in the future.');
  expect(show(oneAhead).html).toContain('1 report of another message');
  const sends = Array.from({ length: 20 }, (_, i) => send({ batch_id: `b${i}` }));
  const { html } = show({ sends, balance: { balance: 30 } });
  expect(html).toContain('The balance of 30 lasts for about 1 day.');
  expect(html).toContain('for about 1 day<');
});

describe('times', () => {
  test('rows without a time count when they were stored, in all time', () => {
    const createdAt = before(2 * HOUR);
    const events = [
      report({ time: null, createdAt }),
      report({ batch_id: 'b3', time: undefined, createdAt: undefined }),
      report({ batch_id: 'b4', time: before(-2 * HOUR) }),
    ];
    const { figures, html } = show({ query: { window: 'all' }, events });
    expect(figures).toMatchObject({ reported: 3 });
    expect(html).toContain('has a time in the future');
    expect(html).not.toMatch(/Invalid DateTime|NaN/);
  });

  test.each([
    // The clock goes forward on 29 March 2026 at 2:00, and back on 25 October 2026 at 3:00.
    ['2026-03-29T20:30:00.000Z', '24h', 25, 1],
    ['2026-10-26T20:30:00.000Z', '7d', 29, 6],
  ])('at a change of the clock (%s, %s) no bar is lost or double', (now, window, count, hours) => {
    const zone = 'Europe/Berlin';
    const length = window === '24h' ? 24 : 168;
    // One message in each quarter of an hour.
    const sends = Array.from({ length: length * 4 }, (_, index) =>
      send({
        batch_id: `b${index}`,
        sent_at: new Date(Date.parse(now) - index * (HOUR / 4)).toISOString(),
      }),
    );
    const { bars, html } = open({ now, zone, query: { window }, sends });
    expect(bars).toHaveLength(count);
    expect(sum(bars.map(({ missing }) => missing))).toBe(sends.length);
    const startsAt = bars.map(({ from }) =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone: zone,
        hour: 'numeric',
        minute: '2-digit',
      }).format(from),
    );
    expect(
      startsAt.filter((text) => !text.endsWith(':00') || parseInt(text) % hours !== 0),
    ).toEqual([]);
    expect(html).toContain(`times in ${zone}`);
  });
});

test('to what was sent in a stretch of time belong the reports that come later', () => {
  const [readFrom, sendsTo, recordsTo, now] = [1, 2, 3, 4].map(
    (day) => `2026-06-0${day}T00:00:00Z`,
  );
  const asked = { window: '', view: 'csv', readFrom, sendsTo, recordsTo, now };
  const nodes = { 'What was asked': [asked], 'Figures by day': [] };
  const times = [readFrom, sendsTo, recordsTo, now].map((at, id) => ({
    ...{ id: id + 1, time: at, sent_at: at, createdAt: readFrom },
  }));
  const found = (node: string) => foundBy('dashboard', node, times, { nodes }).length;
  expect([found('Messages'), found('Inbox records')]).toEqual([2, 3]);
});

describe('what is left out', () => {
  test('a table that cannot be read is said', () => {
    const error = 'synchronization error: result count changed';
    expect(show({ events: [{ error }] }).html).toContain(error);
    expect(show({ events: [{ error: 'relation "sms.inbox" does not exist' }] }).html).toContain(
      'Publish SMS · Schema again',
    );
  });
});

describe('search', () => {
  test.each(['0001', '13810000001', '+86 138 1000 0001', ' 86 138-1000-0001', '0086 13810000001'])(
    '%j finds the number, and no link has it whole',
    (digits) => {
      const sends = [send(), send({ batch_id: 'b2', phone_number: '13810000002' })];
      const { html } = show({ query: { digits }, sends, events: [report(), reply()] });
      expect(html).toContain('Messages of …0001');
      expect(html.match(/<tr>/g)).toHaveLength(4);
      expect(html).not.toContain('13810000001');
      expect(html).not.toContain('http-equiv="refresh"');
    },
  );
});

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
  const rulesOf = (opened: Parameters<typeof show>[0]) =>
    show(opened).alerts.map(({ rule }) => rule);

  test('an empty desk says that nothing was sent yet, and what to do, and is nowhere green', () => {
    const { html } = show({});
    expect(html).toContain('<h2>Nothing was sent yet</h2>');
    expect(html).toContain('href="../form/sms-campaign-form"');
    expect(html).not.toMatch(/mark green|Nothing is unsent|look right/);
    expect(show({ query: { lang: 'zh' } }).html).toContain('还没有发过短信');
    // Of a desk that has sent before, only the time is empty.
    const quiet = show({
      sends: [send({ sent_at: before(50 * HOUR) })],
      events: [report({ time: before(50 * HOUR) })],
    });
    expect(quiet.html).toContain('<h2>Nothing in the last 24 hours</h2>');
    expect(quiet.html).not.toMatch(/mark green/);
  });

  test('on quiet days nothing, also with few messages', () => {
    for (const seed of [17, 41, 80, 36]) {
      const { alerts, unsent } = show({ ...twoDays('quiet', seed) });
      expect(alerts).toEqual([]);
      // Some reports never come.
      expect(unsent).toMatchObject([{ kind: 'late', level: 'plain' }]);
    }
    const few = Array.from({ length: 9 }, (_, i) =>
      report({ batch_id: `f${i}`, status: 'UNDELIV' }),
    );
    expect(rulesOf({ events: few })).toEqual([]);
    // It says what it has looked at, and where the rest is.
    const { html } = show({ ...twoDays('quiet', 1) });
    expect(html).toContain('Deliveries look right');
    expect(html).toMatch(/role="status"><b class="mark green">.*<a href="sms-status">Status page/);
    expect(html).not.toContain('Nothing is wrong');
  });

  test('a template that fails more often, although most is delivered', () => {
    for (const seed of [29, 34, 38]) {
      expect(rulesOf(twoDays('bad', seed))).toContain('failures');
    }
    const { figures, html } = show({ ...twoDays('bad', 1) });
    expect(figures.delivered / figures.reported).toBeGreaterThan(0.9);
    expect(html).toContain('Template 发货通知');
    expect(html).toContain(`template=${BAD_TEMPLATE}&amp;status=failed`);
    expect(html).toContain('Told above 10 % of at least 50 reports (“failed_percent”');
  });

  test('thresholds are what their owner sets', () => {
    const set = (name: string, value: unknown) => ({ thresholds: [{ id: 1, name, value }] });
    const rows = (count: number, took = 1) => {
      const sends = many(count, (i) => send({ batch_id: `b${i}`, sent_at: before(2 * HOUR) }));
      const time = before(2 * HOUR - took * 60_000);
      return { sends, events: many(count, (i) => report({ batch_id: `b${i}`, time })) };
    };
    // Delivery is slow above ten minutes.
    expect(rulesOf(rows(5, 10))).toEqual([]);
    expect(rulesOf(rows(5, 11))).toEqual(['slow']);
    expect(rulesOf({ ...rows(5, 11), ...set('slow_minutes', 11) })).toEqual([]);
    // Reports are late after an hour, and red above 20 % of at least five.
    const late = (reported: number, silent: number) => {
      const { sends, events } = rows(reported + silent);
      return { sends, events: events.slice(0, reported) };
    };
    const levelOf = (opened: Parameters<typeof show>[0]) =>
      show(opened).unsent.map(({ kind, level, messages }) => [kind, level, messages]);
    expect(levelOf(late(4, 1))).toEqual([['late', 'plain', 1]]);
    expect(levelOf(late(4, 2))).toEqual([['late', 'red', 2]]);
    expect(levelOf(late(2, 2))).toEqual([['late', 'plain', 2]]);
    expect(levelOf({ ...late(4, 2), ...set('late_percent', 50) })).toMatchObject([
      ['late', 'plain', 2],
    ]);
    expect(levelOf({ ...late(4, 2), ...set('late_minutes', 120) })).toEqual([]);
    // Not sent: yellow, and red from ten on.
    const refused = (count: number) => ({
      sends: many(count, () => send({ status: 'refused', batch_id: '' })),
    });
    expect(levelOf(refused(9))).toEqual([['refused', 'yellow', 9]]);
    expect(levelOf(refused(10))).toEqual([['refused', 'red', 10]]);
    expect(levelOf({ ...refused(2), ...set('not_sent', 2) })).toEqual([['refused', 'red', 2]]);
  });

  test('who has opted out, and what was sent before under its key, is not unsent', () => {
    const fine = [
      why('opted_out', { day: '2026-06-01' }),
      why('key_used', { key: 'k', reason: why('first_accepted') }),
    ].map((reason, index) => send({ status: 'refused', ...reason, batch_id: '', id: 900 + index }));
    const { unsent, figures } = show({ sends: fine });
    expect(unsent).toEqual([]);
    expect(figures).toMatchObject({ unsent: 0, sent: 0 });
  });

  test('a balance that is low', () => {
    const days = ['2026-06-01', '2026-06-02'].map((day, id) => ({ id: id + 1, day, sent: 1000 }));
    // Today is not over.
    days.push({ id: 3, day: '2026-06-03', sent: 10 });
    expect(rulesOf({ days, balance: { balance: 5000 } })).toEqual(['balance']);
    expect(rulesOf({ days, balance: { balance: 8000 } })).toEqual([]);
    expect(rulesOf({ balance: { balance: 0 } })).toEqual(['balance']);
    // The status page says that the service does not answer.
    expect(rulesOf({ balance: { error: 'no' } })).toEqual([]);
    expect(show({ balance: { error: 'no' }, sends: [send()] }).html).toContain('could not be read');
  });

  test('what still fails is wrong now, what works again was earlier', () => {
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

    const { alerts, html } = show({ events: [...badBatch(12, 'old'), ...badBatch(1, 'new')] });
    expect(heads(html)[0]).toBe('What is wrong now');
    expect(alerts[0]).toMatchObject({ rule: 'failures', isNow: true });
    // One still fails now and then.
    const again = many(40, (i) =>
      report({
        ...{ batch_id: 'bad', phone_number: `137${10_000_000 + i}`, time: before(HOUR) },
        status: i === 0 ? 'UNDELIV' : 'DELIVRD',
      }),
    );
    const over = show({ events: [...badBatch(12), ...again], balance: { balance: 0 } }).html;
    expect(heads(over)).toEqual(['What is wrong now', 'Earlier in the last 24 hours']);
    const marks = [...over.matchAll(/<b class="mark (\w+)"><bdi>(.*?)<\/bdi>/g)];
    expect(marks.map(([, color, text]) => [color, text])).toEqual([
      ['red', 'The balance is 0: nothing can be sent.'],
      ['yellow', expect.stringContaining('The last 2 hours are better.') as unknown],
    ]);
  });

  test('leads to a message: its number, its text, its report, and its thread', () => {
    const opened = twoDays('bad', 2);
    const failed = show({ query: { template: BAD_TEMPLATE, status: 'failed' }, ...opened });
    expect(failed.figures.failed).toBe(failed.figures.reported);
    const row = /\?row=(o\d+)/.exec(failed.html)?.[1];
    const sent = opened.sends.find(({ id }) => `o${id}` === row);
    const { html } = show({ query: { row }, ...opened });
    expect(html).toContain(sent?.phone_number);
    expect(html).toContain(`<bdi>${sent?.text}</bdi>`);
    expect(html).toContain(`href="sms-conversations?row=${row}"`);
    expect(html).toContain('Time taken');
    const headers = { 'accept-language': 'zh-CN' };
    const { html: chinese } = show({ query: { row }, headers, ...opened });
    expect(chinese).toContain('客户收到的内容');
  });
});

describe('texts that strangers wrote', () => {
  const FIELDS = [
    ...['batch_id', 'phone_number', 'status', 'status_desc', 'content', 'template', 'source'],
    'reference',
  ];
  const dangerous = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(...'<>"\'&/a =`${\\\u0000\u202e') }),
    fc.constantFrom(
      ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '$&', '${x}', '&lt;'],
      '</title></style><svg onload=x>',
    ),
  );
  const values = fc.record(Object.fromEntries(FIELDS.map((field) => [field, dangerous])));

  /** The page with what stands between two marks taken out. Only values have the marks. */
  const skeleton = (html: string) => html.replace(/href="[^"]*"/g, '').replace(/⟪[^⟪⟫]*⟫/g, '⟪⟫');
  const marked = (fields: Row): Row =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        `⟪${String(value).replace(/[⟪⟫]/g, '')}⟫`,
      ]),
    );
  const pageOf = (fields: Row, query: Row = {}) =>
    show({
      query,
      sends: [
        send(marked(fields)),
        send(marked(fields)),
        send({ ...marked(fields), phone_number: '13810000009' }),
      ],
      events: [
        report({ ...marked(fields), event: 'deliveryReport' }),
        reply({ ...marked(fields), event: 'reply' }),
      ],
    }).html;

  test('change nothing of the page but themselves', () => {
    const harmless = Object.fromEntries(FIELDS.map((field) => [field, 'x']));
    const plain = skeleton(pageOf(harmless));
    fc.assert(
      fc.property(values, (fields) => {
        const html = pageOf(fields);
        expect(skeleton(html)).toBe(plain);
        for (const [, value = ''] of html.matchAll(/⟪([^⟪⟫]*)⟫/g))
          expect(value).not.toMatch(/[<>"']/);
      }),
      { numRuns: 60 },
    );
  });

  test('change nothing of the page when they stand in its address', () => {
    const shape = (html: string) =>
      html.replace(/(value|aria-label|href)="[^"]*"|“[^”]*”|<bdi>[^<]*<\/bdi>/g, '');
    const plain = shape(show({ query: { digits: 'x', batch: 'x' } }).html);
    fc.assert(
      fc.property(dangerous, dangerous, (phone, other) => {
        fc.pre(phone.trim() !== '' && !/[“”]/.test(phone) && !/\d{4}/.test(phone));
        const { html } = show({
          query: { digits: phone, window: '24h', batch: `x${other}`, format: 'x' },
        });
        expect(shape(html)).toBe(plain);
      }),
      { numRuns: 60 },
    );
  });

  test('cannot run: the page has no script and forbids all', () => {
    const { html } = show({ sends: [send()] });
    expect(html).not.toMatch(/<script|javascript:|\son\w+=/i);
    const policy = html.indexOf("default-src 'none'");
    expect(policy).toBeGreaterThan(0);
    expect(policy).toBeLessThan(html.indexOf('<style>'));
    expect(html).not.toMatch(/(?:src|href)="(?!\?|sms-|#)/);
  });
});

describe('the file', () => {
  test.each([
    ['without rows', {}, true],
    ['with rows', { sends: [send()], events: [reply()] }, true],
    [
      'of a table that is missing',
      { events: [{ error: 'relation "sms.inbox" does not exist' }] },
      false,
    ],
    ['of a table that cannot be read', { sends: [{ error: 'no connection' }] }, false],
  ])('%s', (_, tables, isFile) => {
    const { file, status, html } = show({ query: { format: 'csv' }, ...tables });
    expect([file !== undefined, status]).toEqual(isFile ? [true, 200] : [false, 503]);
    // Instead, the page says why. It would load the file if it loaded itself anew.
    if (!isFile) {
      expect(html).toMatch(/does not exist|no connection/);
      expect(html).not.toContain('http-equiv="refresh"');
    }
    expect(show(tables)).toMatchObject({ file: undefined, status: 200 });
  });

  test.each(['Inbox records', 'Messages'])('says in its name if there are too many %s', (table) => {
    const asked = { zone: 'utc', window: '24h', now: NOW, template: '', batch: '', status: '' };
    const named = (rows: number) => {
      const nodes = {
        ...{ 'What was asked': items(asked), 'Names of templates': [] },
        'Count them': items({ counted: '{}' }),
        ...{
          'Inbox records': [],
          Messages: [],
          [table]: items(...Array<Row>(rows).fill({ id: 1 })),
        },
      };
      return runCode(rowsAsCsv, [], { nodes, DateTime })[0]?.json.fileName;
    };
    expect(named(MOST)).toBe('sms-24h-2026-06-03-1323-latest-60000.csv');
    expect(named(MOST - 1)).toBe('sms-24h-2026-06-03-1323.csv');
  });

  test('has every row, newest first, with times of the workflow’s zone and UTF-8 marked', () => {
    const { file } = show({
      query: { format: 'csv' },
      sends: [send({ sent_at: before(HOUR), template: '发货通知' })],
      events: [
        report({ time: before(HOUR / 2) }),
        reply({ time: before(60_000), content: '好的, "谢谢"' }),
      ],
    });
    expect(file?.fileName).toBe('sms-24h-2026-06-03-2123.csv');
    expect(file?.text.charCodeAt(0)).toBe(0xfeff);
    const [head, ...lines] = file?.text.slice(1).trimEnd().split('\r\n') ?? [];
    expect(head).toContain('"time (Asia/Shanghai)"');
    expect(lines.map((line) => line.split(',')[0])).toEqual([
      '"reply"',
      '"deliveryReport"',
      '"send"',
    ]);
    expect(lines[0]).toContain('"2026-06-03 21:22:40"');
    expect(lines[0]).toContain('"好的, ""谢谢"""');
  });
});
