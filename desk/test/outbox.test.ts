/** The outbox's Code nodes: who may be sent to, and what became of it. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { again } from '../src/outbox/again';
import outcomes from '../src/outbox/outcomes';
import questions, { type Question } from '../src/outbox/questions';
import results from '../src/outbox/results';
import rows from '../src/outbox/rows';
import whatIsMissing from '../src/outbox/what-is-missing';
import verdicts from '../src/outbox/verdicts';
import type { Decisions, Row, Sendable, Verdict } from '../src/common/messages/outbox';
import { canOpen, openingOf } from '../src/common/messages/hours';
import { Rules, type Rule } from '../src/common/messages/rules';
import type { Outcome } from '../src/outbox/sent';
import { settings } from '../../test/kit/search/settings';
import { items, runCode, type Item } from '../../test/kit/workflows/codeNode';
import { foundBy, ran } from './database';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import { runDesk } from './workflow';

const NOON = DateTime.fromISO('2026-06-03T12:00:00', { zone: 'Asia/Shanghai' }) as DateTime<true>;
const NIGHT = NOON.set({ hour: 22 });
const PHONE = '13810000001';

const ago = (time: object) => NOON.minus(time).toISO();

/** What the table sms.templates has. */
const KNOWN = items(
  known('template', '301', 'Code', 'Your code is ${code}'),
  known('signature', '201', 'Shop', ''),
);

function known(kind: string, record_id: string, name: string, content: string) {
  return { kind, record_id, name, content, updatedAt: NOON.minus({ minutes: 59 }).toISO() };
}

/** A row of the table, claimed now. */
function row(id: number, fields: Partial<Row> = {}): Row {
  return {
    ...{ id, createdAt: NOON.toISO(), phone_number: PHONE, class: 'code', status: 'claimed' },
    ...{ reason: '', batch_id: '', template: '301', text: '', parameters: '', key: '' },
    ...{ run: `${id}:0`, sent_at: NOON.toISO(), ...fields },
  } as Row;
}

/** The rows that these messages become, and the nodes that have run then. */
function storedOf(...messages: object[]) {
  const nodes = { Messages: items(...messages), 'Known templates': KNOWN };
  const [made] = runCode<{ rows: string }>(rows as never, [], {
    nodes,
    $now: NOON,
    $execution: { id: '9' },
  });
  return { nodes, stored: JSON.parse(made?.json.rows ?? '[]') as Row[] };
}

interface World {
  rules?: Partial<Rule>[];
  optOuts?: object[];
  now?: DateTime<true>;
}

/** A row that goes in a way, or why it does not. */
type Decided = Partial<Sendable & Verdict> & { id: number; way?: 'template' | 'text' };

/** What is decided of each row, if nothing but these nodes has put out anything. */
function verdictsOf(nodes: Record<string, Item[]>, $now = NOON): Decided[] {
  const nothing = {
    Rules: [],
    'Who opted out': [],
    'Who stands before': [],
    'Sent today': items({}),
  };
  const all = { nodes: { ...nothing, ...nodes }, $now };
  const [decisions] = runCode<Decisions>(verdicts, [], all);
  const { template = [], text = [], none = [] } = decisions?.json ?? {};
  return [
    ...template.map((each) => ({ ...each, way: 'template' as const })),
    ...text.map((each) => ({ ...each, way: 'text' as const })),
    ...none,
  ].sort((a, b) => a.id - b.id);
}

/** What *Verdicts* gives if this is decided. */
const given = (...all: Decided[]) =>
  items({
    template: all.filter(({ way }) => way === 'template'),
    text: all.filter(({ way }) => way === 'text'),
    none: all.filter(({ way }) => !way),
  });

/** What is asked about these rows, and the rows of the table that it finds. */
function askedOf(own: Row[], table: Row[], now = NOON, others: object = {}) {
  const nodes = {
    ...{ Rules: [], 'Counted days ago': items({}), ...others },
    'Take a place in the line': items(...own),
  };
  const [{ json: $json }] = runCode(questions, [], { nodes, $now: now }) as [Item];
  const found = foundBy('outbox', 'Who stands before', table, { $json });
  return { asked: JSON.parse(String($json.rows)) as Question[], found: items(...found) };
}

/** What is decided about our rows when these are in the table beside them. */
function decided(own: Row[], others: Row[], { rules = [], optOuts = [], now = NOON }: World = {}) {
  const { found } = askedOf(own, [...own, ...others], now, { Rules: items(...rules) });
  const nodes = {
    Rules: items(...rules),
    'Who opted out': items(...optOuts),
    'Who stands before': found,
    'Take a place in the line': items(...own),
  };
  return verdictsOf(nodes, now).map(({ status, way }) => status ?? way);
}

test('a code stands in no row of the table, and is sent all the same', () => {
  const message = { phone: PHONE, class: 'Code', template_id: 301, parameters: { code: '482193' } };
  const { nodes, stored } = storedOf(message);
  expect(JSON.stringify(stored)).not.toContain('482193');
  const inLine = items({ ...row(1), ...stored[0] });
  const [sent] = verdictsOf({ ...nodes, 'Take a place in the line': inLine });
  expect(sent).toMatchObject({ way: 'template', parameters: '{"code":"482193"}' });
});

test.each([
  ['template', 'Send by template', { template_id: '301' }],
  ['text', 'Send a text', { content: 'Hi' }],
])('no path of a %s that is sent leads to nothing', (way, name, message) => {
  const { nodes, stored } = storedOf({ phone: PHONE, ...message });
  const inLine = items({ ...row(1), ...stored[0] });
  const [sent] = verdictsOf({ ...nodes, 'Take a place in the line': inLine });
  expect(sent?.way).toBe(way);
  const { parameters } = readDesk('outbox').nodes.find((each) => each.name === name) ?? {};
  const paths = [...JSON.stringify(parameters).matchAll(/{{ \$json\.(\w+) }}/g)];
  expect(paths.length).toBeGreaterThan(3);
  for (const [, path] of paths) expect(sent?.[path as 'content']).toMatch(/./);
});

test('a text is stored as the customer gets it, and what is sent later is what was asked for', () => {
  const { stored } = storedOf(
    { phone: PHONE, template_id: '301', signature_id: 201, parameters: { code: 'A1' } },
    { phone: PHONE, content: '【Hi】 ${x}', signature_id: '201' },
  );
  const waiting = stored.map((each, index) => ({ ...row(index + 1), ...each }));
  expect(waiting.map(({ text }) => text)).toEqual([
    '【Shop】Your code is A1',
    '【Shop】【Hi】 ${x}',
  ]);
  const later = { Messages: items({ waited_up_to: 9 }), 'Claim what waits': items(...waiting) };
  expect(verdictsOf(later)).toMatchObject([
    { way: 'template', template: '301', parameters: '{"code":"A1"}' },
    { way: 'text', content: '【Hi】 ${x}' },
  ]);
});

test('a message waits for the text of its template, whether a code needs it too or not', () => {
  for (const classes of [
    ['code', 'notice'],
    ['notice', 'code'],
  ]) {
    const messages = items(...classes.map((name) => ({ class: name, template_id: '302' })));
    const nodes = { Messages: messages, 'Known templates': KNOWN };
    const wanted = runCode(whatIsMissing, [], { nodes, $now: NOON }).map(({ json }) => json);
    expect(wanted).toEqual([{ want: 'template', record_id: '302', waits: true }]);
  }
});

describe('who may go', () => {
  test.each<[string, Partial<Row>]>([
    ['skipped', { status: 'accepted' }],
    ['skipped', { status: 'waiting' }],
    ['skipped', { status: 'accepted', sent_at: ago({ days: 30 }) }],
    ['skipped', { status: 'claimed' }],
    ['unknown', { status: 'unknown' }],
    ['unknown', { status: 'claimed', sent_at: ago({ minutes: 11 }) }],
    // Those were certainly not sent.
    ['template', { status: 'rejected' }],
    ['template', { status: 'refused' }],
    ['template', { id: 9 }],
  ])('of the rows of one key, a message is %s behind %j', (way, before) => {
    const first = row(5, { key: 'k', phone_number: '13900000000', ...before });
    expect(decided([row(7, { key: 'k' })], [first])).toEqual([way]);
  });

  test('all numbers of a message have its key, and another message of the call does not', () => {
    const own = [
      row(1, { key: 'k', run: '9:0' }),
      row(2, { key: 'k', run: '9:0', phone_number: '13810000002' }),
      row(3, { key: 'k', run: '9:1', phone_number: '13810000003' }),
    ];
    expect(decided(own, [])).toEqual(['template', 'template', 'skipped']);
  });

  test.each([
    [[{ minutes: 50 }, { hours: 2 }], 'template'],
    [[{ minutes: 50 }, { minutes: 1 }], 'refused'],
    [[{ hours: 23 }, { hours: 2 }, { hours: 3 }], 'refused'],
    [[{ hours: 25 }, { hours: 2 }, { hours: 3 }], 'template'],
  ])('with 2 in an hour and 3 in 24 hours, after %j a message is: %s', (times, comesTo) => {
    const before = times.map((time, index) =>
      row(index + 1, { status: 'accepted', sent_at: ago(time) }),
    );
    const rules = [{ class: 'code', per_hour: 2, per_day: 3 }];
    expect(decided([row(9)], before, { rules })).toEqual([comesTo]);
  });

  test('of others those count that stand before, were not turned away, and are of the class', () => {
    const rules = [{ class: 'code', per_hour: 2 }];
    const refused = [row(1, { status: 'refused' }), row(2, { status: 'rejected' })];
    const others = [row(10), row(11), ...refused, row(3, { class: 'notice' })];
    expect(decided([row(9)], others, { rules })).toEqual(['template']);
    // Of our own those that go.
    const own = [row(1), row(2), row(3)];
    expect(decided(own, [], { rules })).toEqual(['template', 'template', 'refused']);
  });

  test('a number gets no more messages if their class is written in other ways', () => {
    const names = ['notice', 'Notice', 'NOTICE ', 'notices', 'notice.', 'ｎotice', 'nоtice', 'x'];
    const messages = names.map((name) => ({ phone: PHONE, template_id: '301', class: name }));
    const own = storedOf(...messages).stored.map((each, index) => ({ ...row(index + 1), ...each }));
    const rules = [{ class: 'notice', per_hour: 3 }];
    expect(decided(own.slice(0, 5), [], { rules })).toEqual([
      ...['template', 'template', 'template', 'refused', 'refused'],
    ]);
    expect(decided(own, [], { rules }).filter((way) => way === 'template')).toHaveLength(3);
    // Those that stand before, too. A class that has a rule of its own counts for itself.
    const before = own.slice(3, 6).map((each, index) => ({ ...each, id: index + 1 }));
    expect(decided([row(9, { class: 'notice' })], before, { rules })).toEqual(['refused']);
    const withX = [...rules, { class: 'x', per_hour: 1 }];
    expect(decided([row(9, { class: 'x' })], before, { rules: withX })).toEqual(['template']);
  });

  test('"all" is no class of messages: it is a notice', () => {
    const rules = [
      { class: 'notice', per_hour: 1 },
      { class: 'all', per_day: 10 },
    ];
    const optOuts = [{ phone_number: '13810000002', word: 'TD', since: '2026-06-01' }];
    const own = [1, 2, 3].map((id) => row(id, { class: 'all' }));
    const other = row(4, { class: 'all', phone_number: '13810000002' });
    expect(decided([...own, other], [], { rules, optOuts })).toEqual([
      ...['template', 'refused', 'refused', 'refused'],
    ]);
  });

  test('opt-outs and the night: codes go, a notice waits, marketing does not, an unknown class is a notice', () => {
    const optOuts = [{ phone_number: PHONE, word: 'TD', since: '2026-06-01T10:00:00.000Z' }];
    const own = ['notice', 'marketing', 'code', 'nonsense'].map((name, index) =>
      row(index + 1, { class: name }),
    );
    expect(decided(own, [], { optOuts })).toEqual(['refused', 'refused', 'template', 'refused']);
    expect(decided(own, [], { now: NIGHT })).toEqual(['waiting', 'refused', 'template', 'waiting']);
  });

  test.each([
    ['over midnight', 20, 6, 'waiting', 'template'],
    // It would wait for ever.
    ['none', 9, 9, 'refused', 'refused'],
    ['none', 24, 0, 'refused', 'refused'],
    ['one', 23, 24, 'waiting', 'waiting'],
  ])('hours: %s, from %i to %i', (_, from_hour, to_hour, noon, night) => {
    const rules = [{ class: 'notice', from_hour, to_hour }];
    const at = (now: DateTime<true>) => decided([row(1, { class: 'notice' })], [], { now, rules });
    expect([at(NOON), at(NIGHT)]).toEqual([[noon], [night]]);
  });

  test('a code never waits, because it is not stored', () => {
    const rules = [{ class: 'code', from_hour: 8, to_hour: 21, outside_hours: 'wait' }];
    expect(decided([row(1)], [], { now: NIGHT, rules })).toEqual(['refused']);
  });

  test('those that wait count for the hour in which they go', () => {
    const rules = [{ class: 'notice', per_hour: 1 }];
    const morning = NOON.plus({ days: 1 }).set({ hour: 8 }).toISO();
    const before = [row(1, { class: 'notice', status: 'waiting', sent_at: morning })];
    expect(decided([row(2, { class: 'notice' })], before, { rules, now: NIGHT })).toEqual([
      'refused',
    ]);
    // Also those of the same call.
    const own = [1, 2].map((id) => row(id, { class: 'notice' }));
    const daily = [{ class: 'notice', per_day: 1 }];
    expect(decided(own, [], { rules: daily, now: NIGHT })).toEqual(['waiting', 'refused']);
    const evening = NIGHT.minus({ minutes: 30 }).toISO();
    const sent = [row(1, { class: 'notice', status: 'accepted', sent_at: evening })];
    expect(decided([row(2, { class: 'notice' })], sent, { rules, now: NIGHT })).toEqual([
      'waiting',
    ]);
  });
});

test('all go whose hour has come', () => {
  const outbox = [1, 2, 3].map((id) => ({
    ...{ id, status: 'waiting', sent_at: ago({ hours: 3 - id }) },
  }));
  const world = { tables: { 'sms.outbox': outbox }, given: { 'Send what waited': [] }, now: NOON };
  const nodes = runDesk('outbox', 'Every minute', {}, world);
  expect(nodes['Up to which row']).toEqual([{ waited_up_to: 3 }]);
});

test('the day ends at its limit: the messages of everybody since midnight', () => {
  const table = [
    row(1, { createdAt: ago({ hours: 13 }) }),
    row(2, { status: 'refused' }),
    row(3, { status: 'accepted', phone_number: '13900000000' }),
    row(4),
    row(5, { phone_number: '13810000005' }),
    row(6, { phone_number: '13810000006' }),
  ];
  const nodes = { 'Take a place in the line': table.slice(3) };
  const sight = { $json: table[2], $now: NOON, nodes };
  const all = verdictsOf({
    Rules: items({ class: 'all', per_day: 3 }),
    'Sent today': items(...ran('outbox', 'Sent today', table, sight)),
    'Take a place in the line': items(...table.slice(3)),
  });
  expect(all.map(({ reason }) => reason)).toEqual([
    undefined,
    undefined,
    "The day's limit of 3 messages is reached: see the table sms.rules.",
  ]);
});

test('the last part of the day is for codes and alarms', () => {
  /** What becomes of a message of a class, with so many before it on this day. */
  const became = (name: string, sent: number, ...rules: Partial<Rule>[]) => {
    const own = row(sent + 1, { class: name });
    return verdictsOf({
      Rules: items({ class: 'all', per_day: 20 }, { class: name, check_opt_outs: false }, ...rules),
      'Sent today': items({ count: sent, ids: [own.id] }),
      'Take a place in the line': items(own),
    })[0];
  };
  for (const name of ['notice', 'marketing', 'x']) {
    expect(became(name, 17)?.status).toBeUndefined();
    expect(became(name, 18)).toMatchObject({ status: 'refused', reason_code: 'days_limit' });
    expect(became(name, 18)?.reason).toBe(
      "Of the day's limit of 20 messages, the last 2 are for codes and alarms: see the table sms.rules.",
    );
    // Its owner says how many.
    expect(became(name, 14, { class: 'reserved', per_day: 5 })?.status).toBeUndefined();
    expect(became(name, 15, { class: 'reserved', per_day: 5 })?.status).toBe('refused');
    expect(became(name, 0, { class: 'reserved', per_day: 30 })?.status).toBe('refused');
    expect(became(name, 19, { class: 'reserved', per_day: 0 })?.status).toBeUndefined();
    expect(became(name, 20, { class: 'reserved', per_day: -5 })?.status).toBe('refused');
  }
  for (const name of ['code', 'alarm']) {
    expect(became(name, 19, { class: 'reserved', per_day: 30 })?.status).toBeUndefined();
    expect(became(name, 20)?.reason).toMatch(/^The day's limit of 20 messages is reached/);
  }
});

test.each<[number, ...object[]]>([
  // The row from which on there may be no more room: 9,000 before, without rules.
  [11_000],
  [19_910, { class: 'all', per_day: 100 }],
  [19_901, { class: ' All', per_day: 109 }],
  [19_930, { class: 'all', per_day: 100 }, { class: 'reserved', per_day: 30 }],
  [20_000, { class: 'all', per_day: 100 }, { class: 'reserved', per_day: 300 }],
  [19_900, { class: 'all', per_day: 100 }, { class: 'reserved', per_day: -50 }],
  // Of two rows of a name, the last that says something holds.
  [19_910, { class: 'all', per_day: 900 }, { class: 'all', per_day: 100 }, { class: 'all' }],
])('the day may be full if row %i is of today: %j %j', (far, ...rules) => {
  const name = 'Take a place in the line';
  const found = (ids: number[], ...classes: string[]) => {
    const own = classes.map((each, index) => ({
      class: each,
      id: 20_001 - classes.length + index,
    }));
    const nodes = { Rules: rules as object[], [name]: own };
    const sight = { nodes, $prevNode: { name } } as never;
    const rows = ids.map((id) => ({ id }));
    return foundBy('outbox', "Row at the day's limit", rows, sight).map(({ id }) => id);
  };
  expect(found([far - 1, far, far + 1], 'notice', 'code')).toEqual([far]);
  // For codes and alarms alone, at the limit itself.
  const all = new Rules(rules.map((json) => ({ json }))).messagesPerDay;
  const last = 20_000 - all;
  expect(found([last - 1, last, last + 1], 'alarm', 'code')).toEqual([last]);
  // Or the last one before a gap.
  expect(found([far - 5_000, far + 1], 'notice')).toEqual([far - 5_000]);
});

describe('what had waited and certainly was not sent', () => {
  const HOURS = { class: 'notice', from_hour: 8, to_hour: 21, outside_hours: 'wait' };
  const evening = NOON.minus({ days: 1 }).set({ hour: 22 });

  /** What the row of a notice of last night comes to, if a send at this time ends so. */
  const after = (
    at: string,
    sent: object = { status: 'rejected', msg: 'No connection' },
    { taken = evening, rule = HOURS }: { taken?: DateTime; rule?: object } = {},
  ) => {
    const waited = row(7, { class: 'notice', createdAt: taken.toUTC().toISO() ?? '' });
    const $now = DateTime.fromISO(at, { zone: 'Asia/Shanghai' }) as DateTime<true>;
    const nodes = {
      ...{ Rules: items(rule), 'Claim what waits': items(waited) },
      Verdicts: given({ ...waited, status: undefined, way: 'template' }),
      'Send by template': [],
    };
    const second = { 'Send by template': [{ json: { details: sent }, pairedItem: { item: 0 } }] };
    const [range] = runCode<Outcome>(outcomes, [], { nodes: nodes as never, second, $now });
    const { status, reason, sent_at } = range?.json ?? ({} as Outcome);
    return {
      status,
      reason,
      at: DateTime.fromISO(sent_at, { zone: $now.zone }).toFormat('dd HH:mm'),
    };
  };

  test.each([
    ['2026-06-03T08:00:20', '03 08:01'],
    // As long again as it is late.
    ['2026-06-03T08:04:00', '03 08:08'],
    ['2026-06-03T08:30:00', '03 09:00'],
    ['2026-06-03T12:00:00', '03 13:00'],
    // The next day's hours.
    ['2026-06-03T20:30:00', '04 08:00'],
  ])('at %s, is tried again at %s', (at, next) => {
    expect(after(at)).toEqual({
      status: 'waiting',
      reason: `Not sent, and tried again at 2026-06-${next}: No connection`,
      at: next,
    });
  });

  test('is refused a day after its hour', () => {
    expect(after('2026-06-04T08:00:20')).toMatchObject({
      status: 'refused',
      reason: 'Not sent within a day of its hour: No connection',
    });
    // Its hour is when it was taken if the class is open then by now.
    const open = { ...HOURS, from_hour: 0, to_hour: 24 };
    const taken = NOON.set({ hour: 3 });
    expect(after('2026-06-04T01:59:00', undefined, { taken, rule: open }).status).toBe('waiting');
    expect(after('2026-06-04T02:01:00', undefined, { taken, rule: open }).status).toBe('refused');
  });

  test('goes within its hours, ever more seldom, and for a day at most', () => {
    const input = fc.record({
      taken: fc.integer({ min: 0, max: 1439 }),
      from_hour: fc.integer({ min: 0, max: 23 }),
      to_hour: fc.integer({ min: 0, max: 24 }),
      lag: fc.array(fc.integer({ min: 1, max: 240 }), { minLength: 1 }),
    });
    fc.assert(
      fc.property(input, ({ taken, from_hour, to_hour, lag }) => {
        const rule = { ...new Rules([]).of('notice'), from_hour, to_hour };
        fc.pre(canOpen(rule));
        const createdAt = NOON.startOf('day').plus({ minutes: taken });
        const hour = openingOf(rule, createdAt) ?? createdAt;
        const waited = row(1, { createdAt: createdAt.toISO() ?? '' });
        let [now, pause, tries] = [hour, 0, 0];
        for (; ; tries += 1) {
          // Each minute, one look finds what is due; and the send takes its time.
          now = now.plus({ seconds: lag[tries % lag.length] ?? 0 });
          const next = again({ ...waited, status: 'rejected' }, waited, rule, now);
          if (next.status === 'refused') break;
          const at = DateTime.fromISO(next.sent_at, { zone: now.zone }) as DateTime<true>;
          expect(next.status).toBe('waiting');
          expect(openingOf(rule, at)).toBeUndefined();
          expect(at <= hour.plus({ days: 1 })).toBe(true);
          expect(at.diff(now).as('minutes')).toBeGreaterThanOrEqual(Math.min(pause, 60) || 1);
          pause = at.diff(now).as('minutes');
          now = at;
        }
        expect(tries).toBeLessThan(40);
      }),
      settings(300),
    );
  });

  test.each(['accepted', 'unknown', ''])('is nothing that is "%s"', (status) => {
    expect(after('2026-06-03T08:00:20', { status, msg: 'HTTP 502' }).status).toBe(
      status || 'unknown',
    );
  });

  test('at the next try, opt-outs, limits and hours hold again', () => {
    const nodes = (others: Record<string, Item[]>) => ({
      Messages: items({ waited_up_to: 9 }),
      'Claim what waits': items(row(7, { class: 'notice' })),
      ...others,
    });
    const statusOf = (others: Record<string, Item[]>, now = NOON) =>
      verdictsOf(nodes(others), now)[0]?.status;
    expect(statusOf({})).toBeUndefined();
    expect(statusOf({ 'Who opted out': items({ phone_number: PHONE }) })).toBe('refused');
    const before = row(6, { class: 'notice', status: 'accepted' });
    expect(
      statusOf({
        'Who stands before': items(before),
        Rules: items({ class: 'notice', per_hour: 1 }),
      }),
    ).toBe('refused');
    expect(statusOf({}, NIGHT)).toBe('waiting');
  });

  /** Sends what waits in this table at this time, and gives back its statuses. Only these numbers are accepted. */
  const tick = (outbox: object[], now: DateTime, accepts: string[], rules: object[] = []) => {
    const send = (rows: Record<string, unknown>[]) =>
      rows.map(({ phone_number }) =>
        accepts.includes(String(phone_number))
          ? { status: 'accepted', batch_id: 'b' }
          : { status: 'rejected', msg: 'Too fast' },
      );
    const tables = { 'sms.outbox': outbox, 'sms.rules': rules } as Record<
      string,
      Record<string, unknown>[]
    >;
    const given = { 'Send by template': send };
    const execution = String(now.toMillis());
    runDesk('outbox', 'Messages', { waited_up_to: 99 }, { tables, given, now, execution });
    return tables['sms.outbox']?.map(({ status }) => status);
  };
  const waiting = (id: number, fields: Partial<Row>) =>
    row(id, { class: 'notice', status: 'waiting', sent_at: ago({ minutes: 1 }), ...fields });

  test('of a message with a key to two numbers, the one that was not sent is tried again', () => {
    const table = ['13810000001', '13810000002'].map((phone_number, index) =>
      waiting(index + 1, { phone_number, key: 'k', run: '9:0', createdAt: ago({ hours: 14 }) }),
    );
    expect(tick(table, NOON, ['13810000001'])).toEqual(['accepted', 'waiting']);
    const later = NOON.plus({ hours: 1, minutes: 1 });
    expect(tick(table, later, ['13810000002'])).toEqual(['accepted', 'accepted']);
  });

  test('is not sent a day after its hour, whatever kept it', () => {
    const late = (hours: object) => [
      waiting(1, { createdAt: evening.plus(hours).toUTC().toISO() ?? '', reason: 'Why' }),
    ];
    // Its hour was eight in the morning.
    expect(tick(late({}), NOON.plus({ hours: 19 }), [PHONE])).toEqual(['waiting']);
    expect(tick(late({}), NOON.plus({ hours: 20, seconds: 40 }), [PHONE])).toEqual(['accepted']);
    const table = late({});
    expect(tick(table, NOON.plus({ hours: 21 }), [PHONE])).toEqual(['refused']);
    expect(table[0]?.reason).toBe('Not sent within a day of its hour: Why');
  });

  test('counts for its number as long as it may go', () => {
    const rules = [{ class: 'notice', per_hour: 1 }];
    const before = [waiting(1, { sent_at: ago({ hours: 2 }) })];
    expect(decided([row(2, { class: 'notice' })], before, { rules })).toEqual(['refused']);
  });

  test('a message of a caller is rejected at once', () => {
    const own = row(7, { class: 'notice' });
    const nodes = {
      ...{ Rules: [], 'Take a place in the line': items(own) },
      Verdicts: given({ ...own, status: undefined, way: 'template' }),
      'Send by template': [],
    };
    const said = { details: { status: 'rejected', msg: 'No connection' } };
    const second = { 'Send by template': [{ json: said, pairedItem: { item: 0 } }] };
    const all = { nodes: nodes as never, second, $now: NOON };
    expect(runCode<Outcome>(outcomes, [], all)).toMatchObject([{ json: { status: 'rejected' } }]);
  });
});

describe('what is looked at', () => {
  test('each number lately, if its class has a limit, and each key in the whole table', () => {
    const rules = items({ class: 'alarm', per_hour: 0, per_day: 0 });
    const own = [row(7), row(8), row(9, { key: 'k' }), row(10, { class: 'alarm', key: 'k' })];
    own.push(row(11, { class: 'alarm', phone_number: '13810000002' }));
    const others = { 'Counted days ago': items({ outbox_id: 5 }), Rules: rules };
    const { asked } = askedOf(own, [], NOON, others);
    expect(
      asked.map(({ which, from, to, phone_number }) => [which.value, from, to, phone_number]),
    ).toEqual([
      [PHONE, 5, 9, PHONE],
      ['k', 0, 10, ''],
      ['13810000002', 5, 0, '13810000002'],
    ]);
  });

  test('of calls at once, also a row between those of this one has the key', () => {
    const own = [0, 1, 2, 3, 4].map((index) => row(10 + 2 * index, { key: `k${index}` }));
    const other = row(17, { key: 'k4', phone_number: '13900000000' });
    expect(askedOf(own, [other]).found.map(({ json }) => json.id)).toEqual([17]);
  });

  test('the verdicts are those of the whole table', () => {
    const some = <T>(...all: T[]) => fc.constantFrom(...all);
    const numbers = ['13810000001', '13810000002', '13810000003'];
    const fields = {
      phone_number: some(...numbers),
      class: some('marketing', 'notice', 'code', 'x'),
      key: some('', 'a', 'Spring', 'Spring|', 'Summer|'),
      source: some('', 'Spring'),
    };
    const time = fc.integer({ min: 0, max: 120 }).map((hours) => ago({ hours }) ?? '');
    const others = fc.array(
      fc.record({
        ...fields,
        status: some('accepted', 'unknown', 'waiting', 'claimed', 'refused', 'rejected'),
        ...{ sent_at: time, createdAt: time },
      }),
      { maxLength: 12 },
    );
    const input = fc.record({
      others,
      own: fc.array(fc.record(fields), { minLength: 1, maxLength: 5 }),
      limits: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 4 }),
      inList: fc.boolean(),
    });
    const keyOf = (key: string, phone: string) => (key.endsWith('|') ? key + phone : key);
    fc.assert(
      fc.property(input, ({ others: before, own: asking, limits: [a, b, c, d], inList }) => {
        // What has waited for longer cannot go: it is refused when its turn comes.
        const longest = ago({ hours: 49 }) ?? '';
        const table = before.map(({ status, ...each }, index) => {
          const isLate = status === 'waiting' && each.sent_at < longest;
          const sent_at = isLate ? longest : each.sent_at;
          const createdAt = each.createdAt < sent_at ? each.createdAt : sent_at;
          const key = keyOf(each.key, each.phone_number);
          return row(index + 1, { ...each, status, key, sent_at, createdAt });
        });
        const own = asking.map((each, index) => {
          const all = inList ? { ...each, key: 'Spring|', class: 'marketing' } : each;
          const key = keyOf(all.key, all.phone_number);
          return row(100 + index, { ...all, key, run: `9:${index}` });
        });
        const Rules = items(
          { class: 'marketing', per_hour: a, per_day: b, to_hour: 24 },
          { class: 'notice', per_hour: c, per_day: d, to_hour: 24 },
        );
        const verdictsWith = (mine: Row[], found: Record<string, Item[]>) =>
          verdictsOf({
            ...{ Rules, ...found },
            'Take a place in the line': items(...mine),
          }).map(({ id, way, status, reason }) => [id, way, status, reason]);
        const active = table.filter(({ status }) => !['refused', 'rejected'].includes(status));
        const expected = verdictsWith(own, { 'Who stands before': items(...active) });
        const { found } = askedOf(own, [...table, ...own], NOON, { Rules });
        expect(verdictsWith(own, { 'Who stands before': found })).toEqual(expected);
      }),
      settings(40),
    );
  });
});

describe('messages', () => {
  const { nodes, stored } = storedOf(
    { phone: '+86 138 1000 0001; 13810000001, 138-1000-0002', template_id: 301, order: 1 },
    { phone: 'to be added', template_id: '301' },
    { template_id: '301' },
    { phone: PHONE },
    { phone: PHONE, template_id: '=301' },
    { phone: PHONE, template_id: '301', parameters: '["a"]' },
    { phone: PHONE, content: 'Hello\0', signature_id: 201, class: ' Marketing ', key: 5 },
  );

  test('become a row for each number', () => {
    expect(stored.map((each) => [each.phone_number, each.run, each.class, each.key])).toEqual([
      ['13810000001', '9:0', 'notice', ''],
      ['13810000002', '9:0', 'notice', ''],
      [PHONE, '9:6', 'marketing', '5'],
    ]);
    const [, , text] = stored;
    expect(text).toMatchObject({ template: '', text: '【Shop】Hello', signature: '201' });
  });

  /** What each row came to. The rows have the ids 11 to 13. */
  const inLine = stored.map((each, index) => ({ ...each, id: 11 + index }));
  const world = (
    all: Omit<Decided, 'id' | 'sent_at'>[],
    sent: Record<string, Item[]>,
    second = {},
  ) => ({
    nodes: {
      ...nodes,
      'Take a place in the line': items(...inLine),
      Verdicts: given(...all.map((each, index) => ({ ...each, id: 11 + index, sent_at: '' }))),
      ...sent,
    },
    second,
  });
  /** What a send node says of one of its items. */
  const said = (item: number, json: Item['json']): Item => ({ json, pairedItem: { item } });
  const accepted = { status: 'accepted', batch_id: 'b1' };

  test('come back in their order, with what became of each', () => {
    const refusal = { message: 'No', details: { status: 'rejected', msg: 'No' } };
    const sends = world(
      [{ way: 'template' }, { way: 'template' }, { way: 'text' }],
      { 'Send by template': [said(1, accepted)], 'Send a text': [] },
      {
        'Send by template': [said(0, refusal)],
        'Send a text': [said(0, { error: 'Out of memory' })],
      },
    );
    const got = runCode(results, [], sends);
    expect(
      got.map(({ json, pairedItem }) => [pairedItem, json.status, json.outbox_id, json.reason]),
    ).toEqual([
      [0, 'rejected', 11, 'No'],
      [0, 'accepted', 12, ''],
      [1, 'rejected', null, '"to be added" is not a mobile number.'],
      [2, 'rejected', null, 'There is no phone number.'],
      [3, 'rejected', null, 'The message has no template_id, and no content.'],
      [4, 'rejected', null, 'template_id is not the ID of a template.'],
      [5, 'rejected', null, 'parameters is not an object with the parameters of the template.'],
      // Nothing proves that it was not sent.
      [6, 'unknown', 13, 'Out of memory'],
    ]);
    expect(got[1]?.json).toMatchObject({ order: 1, batch_id: 'b1', phone_number: '13810000002' });
  });

  test('are settled in ranges, and what was skipped is a refused row', () => {
    const verdict = { status: 'skipped' as const, reason: 'Twice', batch_id: '' };
    const sends = world([{ way: 'template' }, { way: 'template' }, verdict], {
      'Send by template': [said(0, accepted), said(1, accepted)],
    });
    const ranges = runCode<Outcome & { from: number; to: number }>(outcomes, [], sends);
    expect(ranges.map(({ json }) => [json.from, json.to, json.status, json.reason])).toEqual([
      [11, 12, 'accepted', ''],
      [13, 13, 'refused', 'Twice'],
    ]);
  });
});
