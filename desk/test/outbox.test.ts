/** The outbox: who may be sent to, and what became of it. */
import fc from 'fast-check';
import { DateTime } from 'luxon';

import results from '../src/outbox/results';
import rows from '../src/outbox/rows';
import whatGoes, { type Sends } from '../src/outbox/what-goes';
import { canOpen, openingOf } from '../src/common/messages/hours';
import { reasonIn } from '../src/common/messages/reasons';
import { Rules } from '../src/common/messages/rules';
import { settings } from '../../test/kit/search/settings';
import { items, runCode, type Item } from '../../test/kit/workflows/codeNode';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import { database } from './database';
import { settled, taken, type Message, type World } from './take';
import { runDesk } from './workflow';

const NOON = DateTime.fromISO('2026-06-03T12:00:00', { zone: 'Asia/Shanghai' }) as DateTime<true>;
const NIGHT = NOON.set({ hour: 22 });
const PHONE = '13810000001';

const ago = (time: object) => NOON.minus(time).toISO();
const LONG_AGO = { createdAt: ago({ days: 9 }), sent_at: ago({ days: 9 }) };

/** What the table sms.templates has. */
const KNOWN = items(
  known('template', '301', 'Code', 'Your code is ${code}'),
  known('signature', '201', 'Shop', ''),
);

function known(kind: string, record_id: string, name: string, content: string) {
  return { kind, record_id, name, content, updatedAt: NOON.minus({ minutes: 59 }).toISO() };
}

/** A row of the table, claimed now. */
function row(id: number, fields: Partial<Message> = {}): Message {
  return {
    ...{ id, createdAt: NOON.toISO(), phone_number: PHONE, class: 'code', status: 'claimed' },
    ...{ reason: '', batch_id: '', template: '301', text: '', parameters: '', key: '' },
    ...{ run: `${id}:0`, sent_at: NOON.toISO(), ...fields },
  } as Message;
}

/** The rows that these messages become, and the nodes that have run then. */
function storedOf(...messages: object[]) {
  const nodes = { Messages: items(...messages), 'Known templates': KNOWN };
  const [made] = runCode<{ messages: string }>(rows as never, [], {
    nodes,
    $execution: { id: '9' },
  });
  return { nodes, stored: JSON.parse(made?.json.messages ?? '[]') as Message[] };
}

/** What of these rows is sent, in their order. */
function sentOf(nodes: Record<string, Item[]>, ...taken: object[]) {
  const [sends] = runCode<Sends>(whatGoes, items(...taken), { nodes });
  const { template = [], text = [] } = sends?.json ?? {};
  return [
    ...template.map((each) => ({ ...each, way: 'template' })),
    ...text.map((each) => ({ ...each, way: 'text' })),
  ].sort((a, b) => a.id - b.id);
}

/** What becomes of our messages when these are in the table. */
const decided = (
  own: Message[],
  outbox: Message[],
  { now = NOON, ...others }: Partial<World> = {},
) =>
  taken(
    own.map((each) => ({ ...each, id: null, status: null, sent_at: null, createdAt: null })),
    { outbox, now, ...others },
  ).map(({ status, reason_code }) =>
    reason_code === 'key_used' && status === 'refused' ? 'skipped' : status,
  );

test('a code stands in no row of the table, and is sent all the same', () => {
  const message = { phone: PHONE, class: 'Code', template_id: 301, parameters: { code: '482193' } };
  const { nodes, stored } = storedOf(message);
  expect(JSON.stringify(stored)).not.toContain('482193');
  const [sent] = sentOf(nodes, { ...row(1), ...stored[0] });
  expect(sent).toMatchObject({ way: 'template', parameters: '{"code":"482193"}' });
});

test.each([
  ['template', 'Send by template', { template_id: '301' }],
  ['text', 'Send a text', { content: 'Hi' }],
])('no path of a %s that is sent leads to nothing', (way, name, message) => {
  const { nodes, stored } = storedOf({ phone: PHONE, ...message });
  const [sent] = sentOf(nodes, { ...row(1), ...stored[0] });
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
  expect(sentOf({}, ...waiting)).toMatchObject([
    { way: 'template', template: '301', parameters: '{"code":"A1"}' },
    { way: 'text', content: '【Hi】 ${x}' },
  ]);
});

describe('who may go', () => {
  test.each<[string, Partial<Message>]>([
    ['skipped', { status: 'accepted' }],
    ['skipped', { status: 'waiting' }],
    ['skipped', { status: 'accepted', sent_at: ago({ days: 30 }) }],
    ['skipped', { status: 'claimed' }],
    ['unknown', { status: 'unknown' }],
    ['unknown', { status: 'claimed', sent_at: ago({ minutes: 11 }) }],
    // Those were certainly not sent.
    ['claimed', { status: 'rejected' }],
    ['claimed', { status: 'refused' }],
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
    expect(decided(own, [])).toEqual(['claimed', 'claimed', 'skipped']);
  });

  test.each([
    [[{ minutes: 50 }, { hours: 2 }], 'claimed'],
    [[{ minutes: 50 }, { minutes: 1 }], 'refused'],
    [[{ hours: 23 }, { hours: 2 }, { hours: 3 }], 'refused'],
    [[{ hours: 25 }, { hours: 2 }, { hours: 3 }], 'claimed'],
  ])('with 2 in an hour and 3 in 24 hours, after %j a message is: %s', (times, comesTo) => {
    const before = times.map((time, index) =>
      row(index + 1, { status: 'accepted', sent_at: ago(time) }),
    );
    const rules = [{ class: 'code', per_hour: 2, per_day: 3 }];
    expect(decided([row(9)], before, { rules })).toEqual([comesTo]);
  });

  test('those count that were not turned away, and are of the class', () => {
    const rules = [{ class: 'code', per_hour: 2 }];
    const refused = [row(1, { status: 'refused' }), row(2, { status: 'rejected' })];
    expect(decided([row(9)], [...refused, row(3, { class: 'notice' })], { rules })).toEqual([
      'claimed',
    ]);
    // And our own that go.
    const own = [row(1), row(2), row(3)];
    expect(decided(own, [], { rules })).toEqual(['claimed', 'claimed', 'refused']);
  });

  test('a number gets no more messages if their class is written in other ways', () => {
    const names = ['notice', 'Notice', 'NOTICE ', 'notices', 'notice.', 'ｎotice', 'nоtice', 'x'];
    const messages = names.map((name) => ({ phone: PHONE, template_id: '301', class: name }));
    const own = storedOf(...messages).stored.map((each, index) => ({ ...row(index + 1), ...each }));
    const rules = [{ class: 'notice', per_hour: 3 }];
    expect(decided(own.slice(0, 5), [], { rules })).toEqual([
      ...['claimed', 'claimed', 'claimed', 'refused', 'refused'],
    ]);
    expect(decided(own, [], { rules }).filter((status) => status === 'claimed')).toHaveLength(3);
    // Those that stand before, too. A class that has a rule of its own counts for itself.
    const before = own.slice(3, 6).map((each, index) => ({ ...each, id: index + 1 }));
    expect(decided([row(9, { class: 'notice' })], before, { rules })).toEqual(['refused']);
    const withX = [...rules, { class: 'x', per_hour: 1 }];
    expect(decided([row(9, { class: 'x' })], before, { rules: withX })).toEqual(['claimed']);
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
      ...['claimed', 'refused', 'refused', 'refused'],
    ]);
  });

  test('opt-outs and the night: codes go, a notice waits, marketing does not, an unknown class is a notice', () => {
    const optOuts = [{ phone_number: PHONE, word: 'TD', since: '2026-06-01T10:00:00.000Z' }];
    const own = ['notice', 'marketing', 'code', 'nonsense'].map((name, index) =>
      row(index + 1, { class: name }),
    );
    expect(decided(own, [], { optOuts })).toEqual(['refused', 'refused', 'claimed', 'refused']);
    expect(decided(own, [], { now: NIGHT })).toEqual(['waiting', 'refused', 'claimed', 'waiting']);
  });

  test.each([
    ['over midnight', 20, 6, 'waiting', 'claimed'],
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

test('what waits goes when its hour has come, 500 of it at a time', () => {
  const outbox = Array.from({ length: 502 }, (_, index) =>
    row(index + 1, {
      ...{ status: 'waiting', phone_number: String(13_800_000_000 + index), class: 'alarm' },
      sent_at: index === 0 ? NOON.plus({ minutes: 1 }).toISO() : ago({ minutes: 1 }),
    }),
  );
  const due = taken(null, { outbox, now: NOON });
  expect(due.map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, index) => index + 2));
  expect(new Set(due.map(({ status }) => status))).toEqual(new Set(['claimed']));
});

test('a message that is taken again, because the answer was lost, is no second one', () => {
  const own = [{ ...row(0), id: null, key: 'k' }];
  const world = { now: NOON };
  const [first] = taken(own, world);
  expect(first?.status).toBe('claimed');
  expect(taken(own, { outbox: [first as Message], now: NOON })).toEqual([first]);
  expect(
    taken([{ ...own[0], run: '8:0' }], { outbox: [first as Message], now: NOON }),
  ).toMatchObject([{ status: 'refused', reason_code: 'key_used' }]);
});

test('a key holds, though another n8n counts its executions from one again', () => {
  const before = { ...row(1, { key: 'k', status: 'accepted', run: '1:0' }), ...LONG_AGO };
  const own = [{ ...row(0), id: null, key: 'k', run: '1:0' }];
  expect(taken(own, { outbox: [before], now: NOON })).toMatchObject([{ reason_code: 'key_used' }]);
});

test('a workflow of another version takes nothing', () => {
  const call = `SELECT * FROM sms.message_take(2, '[{"phone_number":"13810000001"}]', 'UTC')`;
  expect(() => database().rows(call)).toThrow('this workflow is of version 2');
});

test('the day ends at its limit: the messages of everybody since midnight', () => {
  const outbox = [
    row(1, { createdAt: ago({ hours: 13 }) }),
    row(2, { status: 'refused' }),
    row(3, { status: 'accepted', phone_number: '13900000000' }),
    row(4, { status: 'rejected' }),
  ];
  const own = [5, 6, 7].map((id) => row(id, { phone_number: `1381000000${id}` }));
  const found = taken(
    own.map((each) => ({ ...each, id: null })),
    { outbox, rules: [{ class: 'all', per_day: 3 }], now: NOON },
  );
  expect(found.map((each) => reasonIn('en', each))).toEqual([
    ...['', ''],
    "The day's limit of 3 messages is reached: see the table sms.rules.",
  ]);
});

test('the last part of the day is for codes and alarms', () => {
  /** What becomes of a message of a class, with so many before it on this day. */
  const became = (name: string, sent: number, ...rules: object[]) => {
    const outbox = Array.from({ length: sent }, (_, index) =>
      row(index + 1, { status: 'accepted', phone_number: '13900000000' }),
    );
    const own = { ...row(0, { class: name }), id: null };
    const all = [{ class: 'all', per_day: 20 }, { class: name, check_opt_outs: false }, ...rules];
    const [found] = taken([own], { outbox, rules: all, now: NOON });
    return { status: found?.status, reason: reasonIn('en', found ?? {}) };
  };
  for (const name of ['notice', 'marketing', 'x']) {
    expect(became(name, 17).status).toBe('claimed');
    expect(became(name, 18)).toEqual({
      status: 'refused',
      reason:
        "Of the day's limit of 20 messages, the last 2 are for codes and alarms: see the table sms.rules.",
    });
    // Its owner says how many.
    expect(became(name, 14, { class: 'reserved', per_day: 5 }).status).toBe('claimed');
    expect(became(name, 15, { class: 'reserved', per_day: 5 }).status).toBe('refused');
    expect(became(name, 0, { class: 'reserved', per_day: 30 }).status).toBe('refused');
    expect(became(name, 19, { class: 'reserved', per_day: 0 }).status).toBe('claimed');
    expect(became(name, 20, { class: 'reserved', per_day: -5 }).status).toBe('refused');
  }
  for (const name of ['code', 'alarm']) {
    expect(became(name, 19, { class: 'reserved', per_day: 30 }).status).toBe('claimed');
    expect(became(name, 20).reason).toMatch(/^The day's limit of 20 messages is reached/);
  }
});

test.each<[number, string, ...object[]]>([
  [9, 'claimed', { class: 'all', per_day: 11 }],
  [10, 'refused', { class: ' All', per_day: 11 }],
  // Of two rows of a name, the last that says something holds.
  [9, 'claimed', { class: 'all', per_day: 1 }, { class: 'All', per_day: 11 }, { class: 'ALL' }],
  [10, 'refused', { class: 'all', per_day: 90 }, { class: 'All', per_day: 11 }, { class: 'ALL' }],
  [10, 'claimed', { class: 'all', per_day: 0 }],
])('behind %i messages of the day, a notice is %s: %j %j', (sent, status, ...rules) => {
  // Failed inserts leave gaps of any length.
  const outbox = Array.from({ length: sent }, (_, index) =>
    row(index * 5_000 + 1, { status: 'accepted', phone_number: '13900000000' }),
  );
  const own = [{ ...row(0, { class: 'notice' }), id: null }];
  expect(taken(own, { outbox, rules, now: NOON })).toMatchObject([{ status }]);
});

describe('what had waited and certainly was not sent', () => {
  const HOURS = { class: 'notice', from_hour: 8, to_hour: 21, outside_hours: 'wait' };
  const evening = NOON.minus({ days: 1 }).set({ hour: 22 });
  const WAITED = { class: 'notice', reason_code: 'hours', reason_values: '{"time":"x"}' };

  /** What the row of a notice of last night comes to, if a send at this time ends so. */
  const after = (
    at: string,
    sent: object = { status: 'rejected', msg: 'No connection' },
    { taken: createdAt = evening, rule = HOURS }: { taken?: DateTime; rule?: object } = {},
  ) => {
    const now = DateTime.fromISO(at, { zone: 'Asia/Shanghai' });
    const waited = row(7, { ...WAITED, createdAt: createdAt.toUTC().toISO() ?? '' });
    const [found] = settled([{ id: 7, ...sent }], { outbox: [waited], rules: [rule], now });
    return {
      status: found?.status,
      reason: reasonIn('en', found ?? {}),
      at: DateTime.fromISO(found?.sent_at ?? '', { zone: now.zone }).toFormat('dd HH:mm'),
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
      begin: fc.integer({ min: 0, max: 1439 }),
      from_hour: fc.integer({ min: 0, max: 23 }),
      to_hour: fc.integer({ min: 0, max: 24 }),
      lag: fc.array(fc.integer({ min: 1, max: 240 }), { minLength: 1 }),
    });
    fc.assert(
      fc.property(input, ({ begin, lag, ...hours }) => {
        const rule = { ...new Rules([]).of('notice'), ...hours };
        fc.pre(canOpen(rule));
        const createdAt = NOON.startOf('day').plus({ minutes: begin });
        const hour = openingOf(rule, createdAt) ?? createdAt;
        const waited = row(1, { ...WAITED, createdAt: createdAt.toISO() });
        let [now, pause, tries] = [hour, 0, 0];
        for (; ; tries += 1) {
          // Each minute, one look finds what is due; and the send takes its time.
          now = now.plus({ seconds: lag[tries % lag.length] ?? 0 });
          const world = { outbox: [waited], rules: [rule], now };
          const [next] = settled([{ id: 1, status: 'rejected', msg: 'x' }], world);
          if (next?.status === 'refused') break;
          const at = DateTime.fromISO(next?.sent_at ?? '', { zone: now.zone }) as DateTime<true>;
          expect(next?.status).toBe('waiting');
          expect(openingOf(rule, at)).toBeUndefined();
          expect(at <= hour.plus({ days: 1 })).toBe(true);
          expect(at.diff(now).as('minutes')).toBeGreaterThanOrEqual(Math.min(pause, 60) || 1);
          pause = at.diff(now).as('minutes');
          now = at;
        }
        expect(tries).toBeLessThan(40);
      }),
      settings(40),
    );
  });

  test.each(['accepted', 'unknown', ''])('is nothing that is "%s"', (status) => {
    expect(after('2026-06-03T08:00:20', { status, msg: 'HTTP 502' }).status).toBe(
      status || 'unknown',
    );
  });

  test('at the next try, opt-outs, limits and hours hold again', () => {
    const waits = row(7, { ...WAITED, status: 'waiting', sent_at: ago({ minutes: 1 }) });
    const statusOf = (world: Partial<World> = {}) =>
      taken(null, { now: NOON, ...world, outbox: [...(world.outbox ?? []), waits] })[0]?.status;
    expect(statusOf()).toBe('claimed');
    expect(statusOf({ optOuts: [{ phone_number: PHONE }] })).toBe('refused');
    const outbox = [row(6, { class: 'notice', status: 'accepted' })];
    expect(statusOf({ outbox, rules: [{ class: 'notice', per_hour: 1 }] })).toBe('refused');
    expect(statusOf({ now: NIGHT })).toBe('waiting');
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
    runDesk('outbox', 'Every minute', {}, { tables, given, now, execution });
    return tables['sms.outbox']?.map(({ status }) => status);
  };
  const waiting = (id: number, fields: Partial<Message>) =>
    row(id, { ...WAITED, status: 'waiting', sent_at: ago({ minutes: 1 }), ...fields });

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
      waiting(1, {
        createdAt: evening.plus(hours).toUTC().toISO() ?? '',
        reason_code: '',
        reason: 'Why',
      }),
    ];
    // Its hour was eight in the morning.
    expect(tick(late({}), NOON.plus({ hours: 19 }), [PHONE])).toEqual(['waiting']);
    expect(tick(late({}), NOON.plus({ hours: 20, seconds: 40 }), [PHONE])).toEqual(['accepted']);
    const table = late({});
    expect(tick(table, NOON.plus({ hours: 21 }), [PHONE])).toEqual(['refused']);
    expect(reasonIn('en', table[0] ?? {})).toBe('Not sent within a day of its hour: Why');
  });

  test('counts for its number as long as it may go', () => {
    const rules = [{ class: 'notice', per_hour: 1 }];
    const before = [waiting(1, { sent_at: ago({ hours: 2 }) })];
    expect(decided([row(2, { class: 'notice' })], before, { rules })).toEqual(['refused']);
  });

  test('a message of a caller is rejected at once, and said again, nothing changes', () => {
    const outbox = [row(7, { class: 'notice' })];
    const outcomes = [{ id: 7, status: 'rejected', msg: 'No connection' }];
    const once = settled(outcomes, { outbox, now: NOON });
    expect(once).toMatchObject([{ status: 'rejected', reason: 'No connection' }]);
    expect(settled(outcomes, { outbox: once, now: NOON.plus({ hours: 1 }) })).toEqual(once);
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

  test('of a code, the table has the segments and no text', () => {
    const long = { phone: PHONE, content: 'x'.repeat(66), signature_id: 201 };
    const { stored: both } = storedOf(long, { ...long, class: 'code' });
    expect(both).toMatchObject([{ estimate: 2 }, { estimate: 2, text: '', parameters: '' }]);
  });

  /** What each row came to. The rows have the ids 11 to 13. */
  const world = (all: object[], sent: Record<string, Item[]>, second = {}) => {
    const inLine = stored.map((each, index) => ({
      ...{ ...row(11 + index), ...each, reason_code: '', reason_values: '' },
      ...all[index],
    }));
    const own = { ...nodes, 'Take the messages': items(...inLine) };
    const [sends] = runCode(whatGoes, items(...inLine), { nodes: own });
    return { nodes: { ...own, 'What goes': items(sends?.json ?? {}), ...sent }, second };
  };
  /** What a send node says of one of its items. */
  const said = (item: number, json: Item['json']): Item => ({ json, pairedItem: { item } });
  const accepted = { status: 'accepted', batch_id: 'b1' };

  test('come back in their order, with what became of each', () => {
    const refusal = { message: 'No', details: { status: 'rejected', msg: 'No' } };
    const sends = world(
      [],
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

  test('of which the key was used are told apart', () => {
    const used = { status: 'refused', reason_code: 'key_used', reason_values: '{"key":"k"}' };
    const sends = world([{}, {}, used], {
      'Send by template': [said(0, accepted), said(1, accepted)],
    });
    expect(runCode(results, [], sends).map(({ json }) => json.status)).toEqual([
      ...['accepted', 'accepted', 'rejected', 'rejected', 'rejected', 'rejected', 'rejected'],
      'skipped',
    ]);
  });

  test('are none if nobody has called', () => {
    expect(runCode(results, [], { nodes: {} })).toEqual([]);
  });
});
