/** The outbox: who may be sent to, and what became of it. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { canOpen, openingOf } from '../src/common/messages/hours';
import type { Row as RowOf } from '../src/tables';
import { reasonIn, said, why, type Why } from '../src/common/messages/reasons';
import { VERSION } from '../src/declared';
import { useGateway } from '../../test/kit/engine/gateway';
import { settings, type Made } from '../../test/kit/search/settings';
import { parametersOf } from '../../test/kit/workflows/expression';
import { database, quoted } from './database';
import { ago, itemsOfDesk, NOW, runDesk, type Row } from './workflow';

const { gateway, execute } = useGateway();

const NIGHT = NOW.set({ hour: 22 });
const PHONE = '13810000001';

const KNOWN = [
  { kind: 'template', record_id: '301', name: 'Code', content: 'Your code is ${code}' },
  { kind: 'signature', record_id: '201', name: 'Shop', content: '' },
];

type Message = RowOf<'sms.outbox'>;

/** A row of the table, claimed now. */
function row(id: number, fields: Partial<Message> = {}): Message {
  return {
    ...{ id, createdAt: NOW.toISO(), phone_number: PHONE, class: 'code', status: 'claimed' },
    ...{ reason: '', batch_id: '', template: '301', text: '', parameters: '', key: '' },
    ...{ run: `${id}:0`, sent_at: NOW.toISO(), ...fields },
  } as Message;
}

interface World {
  /** The rows of sms.outbox, sms.rules and sms.opt_outs. */
  outbox?: object[];
  rules?: object[];
  optOuts?: object[];
  now: DateTime;
}

/** The rows that a function gives, called with its version, these values and the time zone. */
function called(query: string, values: object[] | null, { now, ...world }: World): Message[] {
  const { outbox = [], rules = [], optOuts = [] } = world;
  const tables = { 'sms.outbox': outbox, 'sms.rules': rules, 'sms.opt_outs': optOuts };
  database().fill(structuredClone(tables) as Record<string, Row[]>, String(now.toISO()));
  const list = values ? quoted(JSON.stringify(values)) : 'NULL';
  return database().rows(
    query.replace('()', `(${VERSION}, ${list}, '${now.zoneName}')`),
  ) as unknown as Message[];
}

/** Takes these messages, or without any what waited, and gives their rows. */
const taken = (messages: object[] | null, world: World) =>
  called('SELECT * FROM sms.message_take() ORDER BY id', messages, world);

/** The outbox over these tables. `sent` is what its nodes that send get. */
function outboxOver(tables: Record<string, Row[]>) {
  const sent: Row[] = [];
  const send = (rows: Row[]) => {
    sent.push(...rows);
    return rows.map(() => ({ status: 'accepted', batch_id: 'b' }));
  };
  const given = { 'Send by template': send, 'Send a text': send };
  /** It is called with these messages; or sends what has waited. */
  const run = async (now: DateTime, messages?: Row[]) => {
    const world = { tables, given, now, execution: String(now.toMillis()) };
    return await runDesk('outbox', messages ? 'Messages' : 'Every minute', messages ?? {}, world);
  };
  return { run, sent };
}

test('a code stands in no row of the table, and is sent all the same', async () => {
  const tables: Record<string, Row[]> = { 'sms.templates': KNOWN };
  const { run, sent } = outboxOver(tables);
  await run(NOW, [
    { phone: PHONE, class: 'Code', template_id: 301, parameters: { code: '482193' } },
  ]);
  expect(tables['sms.outbox']).toMatchObject([{ status: 'accepted', class: 'code' }]);
  expect(JSON.stringify(tables)).not.toContain('482193');
  expect(sent).toMatchObject([{ template: '301', parameters: '{"code":"482193"}' }]);
  const later = NOW.plus({ minutes: 1 });
  await run(later, [{ phone: PHONE, class: 'code', content: 'x'.repeat(72) }]);
  expect(tables['sms.outbox']?.[1]).toMatchObject({ estimate: 2, text: '', parameters: '' });
});

test.each([
  [{ code: 21, http_status: 200 }, 'code 21'],
  [{ code: 'PARAM_K9P2', http_status: 400 }, 'HTTP 400'],
  [{ http_status: 503 }, 'HTTP 503'],
  [{}, ''],
])(
  'a code that the service quotes stands in no row, and its caller gets the words (%j)',
  async (numbers, reason) => {
    const tables: Record<string, Row[]> = {};
    const details = {
      status: 'rejected',
      batch_id: '',
      msg: '参数 code=K9P2 含敏感词',
      ...numbers,
    };
    const given = { 'Send a text': () => [{ error: details.msg, details }] };
    const start = [{ phone: PHONE, class: 'code', content: 'Code K9P2' }];
    const { Results } = await runDesk('outbox', 'Messages', start, { tables, given });
    expect(tables['sms.outbox']).toMatchObject([{ status: 'rejected', reason }]);
    expect(JSON.stringify(tables)).not.toContain('K9P2');
    expect(Results).toMatchObject([{ status: 'rejected', reason: details.msg }]);
  },
);

const CODE = { template_id: '301', parameters: { code: '4821', minutes: '5' } };

test.each<Row>([
  { ...CODE, class: 'code' },
  { ...CODE, class: 'code', signature_id: '201' },
  { ...CODE, signature_id: 201, phone_data: 'a', key: 'b', source: 'c', reference: 'd' },
  { content: 'The shop is closed', signature_id: '201' },
  { content: 'The shop is closed', signature_id: '201', phone_data: 'a' },
])('what its nodes get is sent by the real ones: %j', async (message) => {
  const { run, sent } = outboxOver({});
  await run(NOW, [{ phone: PHONE, ...message }]);
  const node = message.content ? 'Send a text' : 'Send by template';
  const parameters = parametersOf('outbox', node) as INodeParameters;
  const { json } = await execute(parameters, sent as IDataObject[]);
  expect(json).toEqual([expect.objectContaining({ phone_number: PHONE, status: 'accepted' })]);
  expect([...gateway.deliveries().values()]).toEqual([1]);
});

test('a text is stored as the customer gets it, and what is sent later is what was asked for', async () => {
  const tables: Record<string, Row[]> = { 'sms.templates': KNOWN };
  const { run, sent } = outboxOver(tables);
  await run(NIGHT, [
    { phone: PHONE, template_id: '301', signature_id: 201, parameters: { code: 'A1' } },
    { phone: PHONE, content: '【Hi】 ${x}', signature_id: '201' },
  ]);
  const texts = ['【Shop】Your code is A1', '【Shop】【Hi】 ${x}'];
  expect(tables['sms.outbox']?.map(({ text }) => text)).toEqual(texts);
  expect(sent).toEqual([]);
  await run(NOW.plus({ days: 1 }));
  expect(sent).toMatchObject([
    { template: '301', parameters: '{"code":"A1"}' },
    { content: '【Hi】 ${x}' },
  ]);
});

describe('who may go', () => {
  const limit = fc.constantFrom(0, 0, 1, 2);
  const rule = fc.record({
    ...{ from_hour: fc.constantFrom(0, 8, 9, 20, 24), to_hour: fc.constantFrom(0, 6, 9, 21, 24) },
    ...{ outside_hours: fc.constantFrom('wait', 'refuse'), check_opt_outs: fc.boolean() },
    ...{ per_hour: limit, per_day: limit },
  });
  const message = {
    class: fc.constantFrom('notice', 'notice', 'x', 'nоtice', 'code', 'all'),
    key: fc.constantFrom('', '', 'k'),
  };
  const input = fc.record({
    ...{ now: fc.constantFrom(NOW, NIGHT), phone_data: fc.constantFrom('', 'sms_recipients:1') },
    rules: fc.record({ notice: rule, code: rule, x: fc.option(rule, { nil: undefined }) }),
    all: fc.constantFrom(0, 3, 20, 1_001),
    reserved: fc.constantFrom(null, 0, -3, 2, 500, 1_000),
    optedOut: fc.constantFrom(undefined, '', '2026-06-01T10:00:00.000Z'),
    // Those of others on this day, and the gaps that failed inserts have left.
    ...{ others: fc.constantFrom(0, 1, 2, 17, 18, 19, 20), gap: fc.constantFrom(1, 5_000) },
    // They may be of one take, in any order in the table.
    ...{ areOfOneTake: fc.boolean(), isReversed: fc.boolean() },
    before: fc.uniqueArray(
      fc.record({
        ...message,
        // What waits has its hour to come, or is late.
        minutes: fc.constantFrom(-600, 1, 9, 11, 50, 70, 23 * 60, 25 * 60, 30 * 24 * 60),
        status: fc.constantFrom('accepted', 'claimed', 'waiting', 'unknown', 'refused', 'rejected'),
        ...{ reason: fc.constantFrom('', 'HTTP 502'), run: fc.constantFrom('before', null) },
      }),
      // Of a key, one row is open.
      { maxLength: 3, selector: (each) => (/k(cl|wa)/.test(each.key + each.status) ? 'k' : each) },
    ),
    messages: fc.array(fc.record({ ...message, phones: fc.integer({ min: 1, max: 2 }) }), {
      ...{ minLength: 1, maxLength: 3 },
    }),
  });

  /** What becomes of each row behind those that stand before it, and why, as the README says it. */
  function expected(own: Message[], stored: Message[], given: Made<typeof input>): [string, Why][] {
    const { now, rules, all, reserved, optedOut, phone_data } = given;
    const before = stored.filter(({ status }) => !/refused|rejected/.test(String(status)));
    const classOf = (each: Message) =>
      /^(notice|code)$/.test(String(each.class)) || (each.class === 'x' && rules.x)
        ? (each.class as keyof typeof rules)
        : 'notice';
    const isAfter = (at: unknown, time: DateTime) => Date.parse(String(at)) >= time.toMillis();
    /** What a key says that this message had. */
    const used = ({ key, status, sent_at, reason }: Message): [string, Why] => {
      const isUnderWay = status === 'claimed' && isAfter(sent_at, now.minus({ minutes: 10 }));
      const first = { accepted: why('first_accepted'), waiting: why('first_waiting') }[status];
      if (first || isUnderWay)
        return ['refused', why('key_used', { key, reason: first ?? why('first_under_way') })];
      const gone = status === 'claimed' ? why('interrupted') : said(reason);
      return ['refused', why('key_used', { key, reason: gone })];
    };
    /** Why a number has had enough, or the day. */
    const limitOf = (each: Message, name: string, opens: DateTime | undefined): Why | undefined => {
      const { per_hour, per_day } = rules[name as 'notice'];
      const had = (hours: number) =>
        before.filter(
          (one) =>
            one.phone_number === each.phone_number &&
            classOf(one) === name &&
            (one.status === 'waiting'
              ? isAfter(one.sent_at, now.minus({ hours: 50 }))
              : isAfter(one.sent_at, (opens ?? now).minus({ hours }))),
        ).length;
      for (const [hours, count] of [
        [1, per_hour],
        [24, per_day],
      ] as const)
        if (count > 0 && had(hours) >= count) return why('limit', { count, class: name, hours });
      const today = before.filter(({ createdAt }) => isAfter(createdAt, now.startOf('day'))).length;
      const kept = name === 'code' ? 0 : Math.max(0, reserved ?? Math.floor(all / 10));
      const most = Math.max(0, all - kept);
      if (all === 0 || today < most) return undefined;
      const [limit, rest] = [all, all - most].map((each) => each.toLocaleString('en')) as [
        string,
        string,
      ];
      return why('days_limit', { limit, ...(today < all && { kept: rest }) });
    };
    const decide = (each: Message, name: keyof typeof rules): [string, Why] => {
      const same = before.find(
        ({ key, run }) => key !== '' && key === each.key && run !== each.run,
      );
      if (same) return used(same);
      const { outside_hours, check_opt_outs, ...its } = rules[name] ?? rules.notice;
      const { from_hour: from, to_hour: to } = its;
      const opens = openingOf(its, now);
      if (!canOpen(its)) return ['refused', why('hours', { class: name, never: from, to })];
      // A code is not stored, so it never waits. Who is in a campaign waits there.
      if (opens && (outside_hours === 'refuse' || name === 'code' || phone_data !== ''))
        return ['refused', why('hours', { class: name, from, to })];
      if (check_opt_outs && optedOut !== undefined && each.phone_number === PHONE)
        return ['refused', why('opted_out', optedOut ? { day: '2026-06-01' } : {})];
      const limit = limitOf(each, name, opens);
      if (limit) return ['refused', limit];
      if (!opens) return ['claimed', said()];
      return ['waiting', why('hours', { time: opens.toFormat('yyyy-MM-dd HH:mm') })];
    };
    return own.map((each) => {
      const made = decide(each, classOf(each));
      const [status] = made;
      const opens = openingOf(rules[classOf(each)] ?? rules.notice, now);
      if (/claimed|waiting/.test(status))
        before.push({ ...each, status, sent_at: String(opens ?? now), createdAt: String(now) });
      return made;
    });
  }

  /** A reason says all its values in both languages, and one of a thing in the singular. */
  function checkWords(row: Why): void {
    const { reason, ...values } = JSON.parse(row.reason_values || '{}') as Row;
    for (const lang of ['en', 'zh'] as const) {
      const text = reasonIn(lang, row);
      expect(text).not.toMatch(
        /[{}]|\b1 (messages|hours|are)\b|\b([02-9]|\d\d+) (message|hour|is)\b/,
      );
      for (const value of [...Object.values(values), reasonIn(lang, reason ?? {})])
        expect(text).toContain(String(value));
      expect(/[一-龥]/.test(text)).toBe(lang === 'zh' && row.reason_code !== '');
    }
  }

  test('whatever stands before it, a message is decided as the README says', () => {
    fc.assert(
      fc.property(input, (given) => {
        const { now, before, others, gap, messages, optedOut, areOfOneTake, isReversed } = given;
        const { phone_data } = given;
        // IDs are in the order of time.
        const seconds = Array.from({ length: others }, (_, i) => (areOfOneTake ? 30 : others - i));
        const outbox = [
          ...before.map(({ minutes, ...each }) => ({ ...each, ago: minutes * 60 })),
          ...seconds.map((ago) => ({ ago, status: 'accepted', phone_number: '13900000000' })),
        ]
          .sort((a, b) => Math.abs(b.ago) - Math.abs(a.ago))
          .map(({ ago, ...each }, index) => {
            const sent_at = now.minus({ seconds: ago }).toISO();
            const createdAt = now
              .minus({ seconds: Math.abs(ago) })
              .plus(areOfOneTake && ago === 30 ? 0 : index)
              .toISO();
            return row(gap * index + 1, { ...each, sent_at, createdAt } as Partial<Message>);
          });
        const own = messages.flatMap(({ phones, ...each }, index) =>
          [PHONE, '13810000002']
            .slice(0, phones)
            .map((phone_number) =>
              row(0, { ...each, phone_number, phone_data, run: `9:${index}` }),
            ),
        );
        const rules = Object.entries(given.rules).flatMap(([name, rule]) =>
          rule ? { ...rule, class: name } : [],
        );
        const days = { all: given.all, reserved: given.reserved };
        const rows = taken(
          own.map((each) => ({ ...each, id: null })),
          {
            ...{ outbox: isReversed ? outbox.toReversed() : outbox, now },
            optOuts: optedOut === undefined ? [] : [{ phone_number: PHONE, since: optedOut }],
            rules: [
              ...rules,
              ...Object.entries(days).map(([name, per_day]) => ({ class: name, per_day })),
            ],
          },
        );
        const told = expected(own, outbox, given);
        expect(rows.map((each) => [each.status, reasonIn('en', each)])).toEqual(
          told.map(([status, each]) => [status, reasonIn('en', each)]),
        );
        rows.forEach(checkWords);
      }),
      settings(200),
    );
  });
});

test('what waits goes when its hour has come, 500 of it at a time', () => {
  const outbox = Array.from({ length: 502 }, (_, index) =>
    row(index + 1, {
      ...{ status: 'waiting', phone_number: String(13_800_000_000 + index), class: 'alarm' },
      sent_at: index === 0 ? NOW.plus({ minutes: 1 }).toISO() : ago(1),
    }),
  );
  const due = taken(null, { outbox, now: NOW });
  expect(due.map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, index) => index + 2));
  expect(new Set(due.map(({ status }) => status))).toEqual(new Set(['claimed']));
});

describe('what waits', () => {
  // Of the clock that is changed, not the hour that it has twice.
  const hour = fc.nat(24).filter((each) => each !== 2);
  const input = fc.record({
    zone: fc.constantFrom('Asia/Shanghai', 'Europe/Berlin', 'America/New_York', 'utc'),
    // Also days on which the clock is changed.
    start: fc.constantFrom(
      ...['2026-03-28T19:00', '2026-10-24T19:30', '2026-06-03T10:00', '2026-03-07T23:30'],
    ),
    // The desk may be away behind its hour, and the rule may be another one then.
    seconds: fc.oneof(
      ...[120, 100_000].map((max) => fc.integer({ min: 1, max })),
      fc.integer({ min: 82_000, max: 87_200 }),
    ),
    hours: fc.record({ from_hour: hour, to_hour: hour }),
    limits: fc.record({ per_hour: fc.nat(2), per_day: fc.nat(2) }),
    // The other number of its message, or one more message to its number, so many minutes before.
    ...{ isOther: fc.boolean(), minutes: fc.constantFrom(30, 90, 1_500) },
    ...{ isTried: fc.boolean(), isOptedOut: fc.constantFrom(false, false, true) },
    // Its execution takes longer than ten minutes.
    isSlow: fc.boolean(),
    fate: fc.constantFrom('accepted', 'rejected', 'rejected', 'rejected', 'unknown', ''),
  });
  const timeOf = (at: DateTime) => at.toFormat('yyyy-MM-dd HH:mm');

  test('goes in its hours, and is tried again if it was certainly not sent, for a day', () => {
    fc.assert(
      fc.property(input, ({ zone, start, seconds, hours, limits, ...given }) => {
        const { isOther, minutes, isTried, isOptedOut, isSlow, fate } = given;
        const createdAt = DateTime.fromISO(start, { zone });
        // If its class was open when it was taken, its hour is that time.
        const first = openingOf(hours, createdAt) ?? createdAt;
        const now = first.plus({ seconds });
        const last = first.plus({ days: 1 });
        const time = timeOf(first);
        const its = isTried
          ? why('tried_again', { time, reason: said('Busy') })
          : why('hours', { time });
        const own = { class: 'notice', key: 'k', run: '1:0', createdAt: String(createdAt) };
        const outbox = [
          row(1, {
            ...{ ...own, status: 'accepted', sent_at: String(now.minus({ minutes })) },
            phone_number: isOther ? '13810000002' : PHONE,
          }),
          row(2, { ...own, ...its, status: 'waiting', sent_at: String(first) }),
        ];
        const world = {
          ...{
            now,
            rules: [
              { class: 'notice', ...hours, ...limits },
              { class: 'all', per_day: 1 },
            ],
          },
          optOuts: isOptedOut ? [{ phone_number: PHONE, since: '' }] : [],
        };
        const opens = openingOf(hours, now);
        const isOver = (within: number, most: number) =>
          !isOther &&
          most === 1 &&
          now.minus({ minutes }) > (opens ?? now).minus({ hours: within });
        const decide = (): [string, Why] => {
          const { from_hour: never, to_hour: to } = hours;
          if (!canOpen(hours)) return ['refused', why('hours', { class: 'notice', never, to })];
          if (now > last.plus({ minutes: 10 }))
            return ['refused', why('too_late', { reason: its })];
          if (isOptedOut) return ['refused', why('opted_out')];
          const over = isOver(1, limits.per_hour) ? 1 : isOver(24, limits.per_day) ? 24 : 0;
          if (over) return ['refused', why('limit', { count: 1, class: 'notice', hours: over })];
          if (!opens) return ['claimed', its];
          // What was tried stays so: its report may still come.
          return ['waiting', isTried ? its : why('hours', { time: timeOf(opens) })];
        };
        const isNow = (found: Row | undefined, status: string, reason: Why, at?: DateTime) => {
          expect([found?.status, reasonIn('en', found ?? {})]).toEqual([
            status,
            reasonIn('en', reason),
          ]);
          if (status === 'waiting') expect(Date.parse(String(found?.sent_at))).toBe(at?.toMillis());
        };
        const [due] = taken(null, { ...world, outbox });
        isNow(due, ...decide(), opens);
        if (due?.status !== 'claimed') return;
        const outcomes = [{ ...due, status: fate, msg: 'Why' }];
        const slow = isSlow ? { ...due, status: 'unknown', ...why('interrupted') } : due;
        called('SELECT sms.message_settle()', outcomes, { ...world, outbox: [slow] });
        const [settled] = database().rows('SELECT * FROM sms.outbox');
        // After as long as it is late, ever more seldom.
        const late = Math.min(Math.max(seconds, 60), 3_600);
        const soon = now.plus({ seconds: late });
        const next = openingOf(hours, soon) ?? soon;
        const reason = said(fate === 'accepted' ? '' : 'Why');
        if (fate !== 'rejected') isNow(settled, fate || 'unknown', reason);
        else if (next > last) isNow(settled, 'refused', why('too_late', { reason }));
        else isNow(settled, 'waiting', why('tried_again', { time: timeOf(next), reason }), next);
      }),
      settings(300),
    );
  });
});

test('a message that is taken again, because the answer was lost, is no second one, and its key holds', () => {
  const own = { ...row(0), id: null, key: 'k' };
  const [first = row(0)] = taken([own], { now: NOW });
  expect(first.status).toBe('claimed');
  expect(taken([own], { outbox: [first], now: NOW })).toEqual([first]);
  const used = [{ status: 'refused', reason_code: 'key_used' }];
  expect(taken([{ ...own, run: '8:0' }], { outbox: [first], now: NOW })).toMatchObject(used);
  // Another n8n counts its executions from one again.
  const at = ago(9 * 1440);
  for (const older of [
    { status: 'accepted', createdAt: at, sent_at: at },
    { status: 'waiting', createdAt: ago(720), sent_at: ago(-60) },
  ])
    expect(taken([own], { outbox: [{ ...first, ...older }], now: NOW })).toMatchObject(used);
});

test('a workflow of another version takes nothing', () => {
  const call = `SELECT * FROM sms.message_take(2, '[{"phone_number":"13810000001"}]', 'UTC')`;
  expect(() => database().rows(call)).toThrow('this workflow is of version 2');
});

test('a message of a caller that was not sent is rejected at once, and said again, nothing changes', () => {
  const outbox = [row(7, { class: 'notice' })];
  const outcomes = [{ ...outbox[0], status: 'rejected', msg: 'No connection' }];
  const settled = (world: World) => {
    called('SELECT sms.message_settle()', outcomes, world);
    return database().rows('SELECT * FROM sms.outbox');
  };
  const once = settled({ outbox, now: NOW });
  expect(once).toMatchObject([{ status: 'rejected', reason: 'No connection' }]);
  expect(settled({ outbox: once, now: NOW.plus({ hours: 1 }) })).toEqual(once);
});

test('what became of a claim says nothing about the next one', () => {
  const again = row(2, { reason_code: 'tried_again' });
  const late = [{ ...again, sent_at: ago(2), status: 'rejected', msg: 'Said once more' }];
  called('SELECT sms.message_settle()', late, { outbox: [again], now: NOW });
  expect(database().rows('SELECT * FROM sms.outbox')).toMatchObject([{ status: 'claimed' }]);
});

describe('messages', () => {
  const messages = [
    { phone: '+86 138 1000 0001; 13810000001, 138-1000-0002', template_id: 301, order: 1 },
    { phone: 'to be added', template_id: '301' },
    { template_id: '301' },
    { phone: PHONE },
    { phone: PHONE, template_id: '=301' },
    { phone: PHONE, template_id: '301', parameters: '["a"]' },
    { phone: PHONE, content: 'Hello\0', signature_id: 201, class: ' Marketing ', key: 5 },
    { phone: PHONE, content: 'Hello', signature_id: 'x' },
  ];

  test('become a row for each number, and come back in their order, with what became of each', async () => {
    const refusal = { error: 'No', details: { status: 'rejected', msg: 'No' } };
    const given = {
      'Send by template': [refusal, { status: 'accepted', batch_id: 'b1' }],
      'Send a text': [{ error: 'Out of memory' }],
    };
    const tables: Record<string, Row[]> = { 'sms.templates': KNOWN };
    const world = { tables, given, execution: '9' };
    const { Results: got = [] } = await itemsOfDesk('outbox', 'Messages', messages, world);
    const stored = tables['sms.outbox'] ?? [];
    expect(stored.map((each) => [each.phone_number, each.run, each.class, each.key])).toEqual([
      ['13810000001', '9:0', 'notice', ''],
      ['13810000002', '9:0', 'notice', ''],
      [PHONE, '9:6', 'marketing', '5'],
    ]);
    expect(stored[2]).toMatchObject({ template: '', text: '【Shop】Hello', signature: '201' });
    const paired = ({ json, pairedItem }: INodeExecutionData) => [
      (pairedItem as { item: number }).item,
      ...[json.status, json.outbox_id, json.reason],
    ];
    expect(got.map(paired)).toEqual([
      [0, 'rejected', 1, 'No'],
      [0, 'accepted', 2, ''],
      [1, 'rejected', null, '"to be added" is not a mobile number.'],
      [2, 'rejected', null, 'There is no phone number.'],
      [3, 'rejected', null, 'The message has no template_id, and no content.'],
      [4, 'rejected', null, 'template_id is not the ID of a template.'],
      [5, 'rejected', null, 'parameters is not an object with the parameters of the template.'],
      // Nothing proves that it was not sent.
      [6, 'unknown', 3, 'Out of memory'],
      [7, 'rejected', null, 'signature_id is not the ID of a signature.'],
    ]);
    for (const { json } of got.filter((each) => each.json.outbox_id === null))
      expect(reasonIn('zh', json)).toMatch(/[一-龥]/);
    expect(got[1]?.json).toMatchObject({ order: 1, batch_id: 'b1', phone_number: '13810000002' });
  });

  test('of which the key was used are told apart', async () => {
    const message = { phone: PHONE, template_id: '301', key: 'k' };
    const statuses = async (tables: Record<string, Row[]>, ...messages: Row[]) => {
      const { Results: answers = [] } = await outboxOver(tables).run(NOW, messages);
      return answers.map(({ status }) => status);
    };
    expect(await statuses({}, message, message)).toEqual(['accepted', 'skipped']);
    const first = { ...row(1), status: 'unknown', key: 'k' };
    const tables: Record<string, Row[]> = { 'sms.outbox': [{ ...first }] };
    expect(await statuses(tables, message)).toEqual(['unknown']);
    // Only the first of them may have been sent: its report says all.
    expect(tables['sms.outbox']?.map(({ status }) => status)).toEqual(['unknown', 'refused']);
    // Certainly not sent, it is sent.
    tables['sms.outbox'] = [{ ...first, status: 'rejected' }];
    expect(await statuses(tables, message)).toEqual(['accepted']);
    expect(await statuses({}, { ...message, key: 'k'.repeat(501) })).toEqual(['rejected']);
  });
});
