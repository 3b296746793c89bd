import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { GenericValue, IDataObject } from 'n8n-workflow';

import appointments from '../../examples/src/appointment-reminder/appointments-of-tomorrow';
import { numbersIn, saysOff } from '../../examples/src/appointment-reminder/prose';
import { MOBILE, SPELLINGS } from '../kit/phoneCells';
import { picked } from '../kit/workflows/workflowFiles';
import { settings, type Made } from '../kit/search/settings';
import { ADDRESS, AS_IMPORTED, has, OTHER, OWN, PHONE, useTemplate } from './run';

/** n8n's menu drops the settings of the file, so the time zone is n8n's: New York. */
const template = useTemplate(
  'appointment-reminder',
  { Remind: OWN, 'Not reminded': ADDRESS },
  '${name}您好，提醒您明天${time}的预约。',
  AS_IMPORTED,
);

const { n8n, gateway } = template;

/** An hour of Shanghai, on the day before. */
const hour = async (time = '12:00') => {
  template.itIs(`2026-06-02T${time}:00+08:00`);
  return await template.run('Every hour', {});
};

const appointment = (time: unknown, phone: unknown = PHONE, date: unknown = '2026-06-03') =>
  ({ phone, name: '李雷', date, time }) as IDataObject;

const event = (more: IDataObject = {}, begin = '2026-06-03T09:30:00+08:00'): IDataObject => ({
  ...{ id: begin, summary: '李雷', description: `Haircut, ${PHONE}`, status: 'confirmed' },
  ...{ organizer: { self: true }, start: { dateTime: begin } },
  ...more,
});

const timesOf = (phone = PHONE) => template.sentTo(phone).map(({ time }) => time);

/** The lines of the mails, without their subjects. */
const told = () => n8n.mails.flatMap((mail) => mail.split('\n').slice(1));

/** Puts rows into the table, and events into the calendar, which the user has activated then. */
function enter(all: IDataObject[]) {
  const isEvent = ({ start }: IDataObject) => Object(start) === start;
  n8n.events = all.filter(isEvent);
  n8n.tables.set(
    'sms_appointments',
    all.filter((each) => !isEvent(each)),
  );
  if (n8n.events.length > 0) template.choose({ Events: { calendar: picked('calendar') } });
}

test('an SMS has the time, and 20 characters of a title', async () => {
  const long = event({ summary: '李雷'.repeat(20) }, '2026-06-03T15:00:00+08:00');
  enter([appointment('09:30'), appointment('10:00', PHONE, '2026-06-04'), long]);
  await hour();
  expect(template.sentTo(PHONE)).toEqual([
    { name: '李雷', time: '09:30' },
    { name: '李雷'.repeat(10), time: '15:00' },
  ]);
});

/** Words that say that an appointment does not take place, in some forms. */
const OFF = ['取消', '改期', '改约', '改約', '推迟', '推遲', '延期', '延迟', '退约', '退約'];
const CANCELLED = ['cancelled', 'Canceled', 'postponed', 'rescheduled', 'called off'];

/** How people write tomorrow, 9:30 and 15:00. */
const DATES = [
  ...['2026-06-03', '2026/06/03', '2026/6/3', '2026.6.3', '2026年6月3日', '２０２６－０６－０３'],
  '2026-06-02T16:00:00.000Z',
];
const NINE_THIRTY = [
  '09:30',
  '上午9点半',
  '09:30-10:30',
  '9:30',
  '09:30:00',
  '9:30:00',
  '０９：３０',
];
const THREE = ['15:00', '15:00-16:00', '15:00 ~ 16:00', '下午3点', '下午三点', '3 pm', '03:00pm'];

/** What people write into a column, and why it is told. Otherwise it is reminded of. */
test.each<[column: string, cells: GenericValue[], problem: string]>([
  ['date', DATES, ''],
  [
    'date',
    ['06/03/2026', '6月3日', '明天', '46176', '', null, '2026-06-31', '2026-06', '12:00'],
    'its date cannot be read',
  ],
  ['time', [...NINE_THIRTY.slice(0, 3), ...THREE, '十一点半', '9点至10点'], ''],
  [
    'time',
    [
      ...['0.625', '25:00', '15:60', '2026-06-03T15:00', '', '#N/A', '########', '?', '-'],
      ...['取消', '待定', '15:00 取消', '下午', '改到16:00', 'cancelled', 'TBD', '明天15:00', '15'],
    ],
    'its time cannot be read',
  ],
  [
    'name',
    [
      ...[...OFF, ...CANCELLED].map((word) => `李雷（${word}）`),
      ...['待定', '李雷 推后', '李雷 不来了', '改到周五', '张三-改时间', '李雷（退）', '李雷 TBD'],
    ],
    'its name says that it does not take place',
  ],
  ['status', ['取消', 'no', '待确认', 'done'], 'its status is'],
  ['status', [' 确认 ', 'confirmed', '', null], ''],
  ['phone', ['13810000010, 13810000011', '13810000012 13810000013'], 'it has several numbers'],
  ['phone', ['see 13810000010', ''], 'rejected'],
  ['name', [''], 'rejected'],
  // A column of the owner, not of an event.
  ['start', ['09:30', null], ''],
])('a %s: %j', async (column, cells, problem) => {
  const phones = cells.map((_, index) => `138100000${20 + index}`);
  const rows = cells.map((cell, at) => ({ ...appointment('09:30', phones[at]), [column]: cell }));
  enter(rows);
  await hour();
  const sent = column === 'time' ? cells : cells.map(() => '09:30');
  expect(phones.map((phone) => timesOf(phone))).toEqual(
    sent.map((time) => (problem ? [] : [time])),
  );
  expect(told()).toEqual(
    (problem ? rows : []).map(({ phone, name, date, time, status }: IDataObject) => {
      const about = `${phone || 'No number'}: ${name}, ${date ?? ''} ${time}`.normalize('NFKC');
      return has(`${about}: ${problem}${column === 'status' ? ` ${status}` : ''}`);
    }),
  );
});

const from = (begin: string, end?: string) =>
  event(end === undefined ? {} : { end: { dateTime: end } }, begin);

const allDay = (date: string, description?: string) => {
  const days = { start: { date }, end: { date: '2026-06-04' } };
  return event({ id: date, summary: 'Holiday', description, ...days });
};

const stranger = { organizer: { email: 'stranger@example.com' } };
const answered = (responseStatus: string) => ({ attendees: [{ self: true, responseStatus }] });

/** What is the same in events of tomorrow, in which ☎ stands for the number, and why each is told. Otherwise it is reminded of. */
test.each<[events: IDataObject[], problem: string]>([
  [[{ status: 'tentative' }], 'its status is tentative'],
  [[{ summary: '取消 李雷' }], 'its name says that it does not take place'],
  [[{ description: '☎ 客户已取消' }], 'its description says that it does not take place'],
  [[{ description: '☎<br>如需取消，请提前一天来电' }], ''],
  [
    [{ self: true }, { email: 'guest@example.com' }].map((who) => ({
      attendees: [{ self: true }, { ...who, responseStatus: 'declined' }],
    })),
    'somebody has declined it',
  ],
  [
    [
      answered('needsAction'),
      answered('declined'),
      answered('tentative'),
      { attendees: [{ self: false, responseStatus: 'accepted' }, { self: true }] },
      { attendees: [{ responseStatus: 'accepted', email: 'me@example.com' }] },
      {},
      { organizer: { self: true }, eventType: 'fromGmail' },
    ].map((whose) => ({ ...stranger, ...whose })),
    'it is an invitation that you have not accepted',
  ],
  [[{ ...stranger, ...answered('accepted') }], ''],
  [
    [{ ...stranger, ...answered('accepted'), description: '☎\n13810000010' }],
    'its description has several numbers',
  ],
  [
    ['订单号 2013810000010', '订单号 ☎', '', undefined, '138 1000 001'].map((description) => ({
      description,
    })),
    'its description has no mobile number that stands alone or behind "tel"',
  ],
])('events with %j: %s', async (events, problem) => {
  const phones = events.map((_, index) => `138100000${20 + index}`);
  enter(
    events.map((more, index) => {
      const { description, ...others } = { description: 'Haircut, ☎', ...more };
      const text = description?.replace('☎', String(phones[index]));
      return event({ id: `${index}`, description: text, ...others });
    }),
  );
  await hour();
  expect([...gateway.deliveries().keys()]).toEqual(problem ? [] : phones);
  const line = has(new RegExp(`, 2026-06-03 09:30: ${problem}$`));
  expect(told()).toEqual(problem ? events.map(() => line) : []);
});

/** What is told at 16:00 of appointments of today that were changed at 15:40: nothing, if they have begun. */
test.each<[problem: string, times: string[]]>([
  ['', ['15:00', '15:00-16:00', '下午三点半', '3 pm', '3点', '10:00', '上午12点']],
  [
    'it was changed after the last look: it may have been',
    ['18:00', '晚上6点', '6 pm', '6点', '傍晚六点半'],
  ],
  ['its time cannot be read', ['周二上午', '2楼', '待定 3号']],
])('changed, and %p is told: %j', async (problem, times) => {
  const created = '2026-05-01T00:00:00.000Z';
  const updated = '2026-06-02T07:40:00.000Z';
  const all = times.flatMap((time) => [
    { ...appointment(time, PHONE, '2026-06-02'), createdAt: created, updatedAt: updated },
    // A calendar has a clock.
    ...(/^\d\d:\d\d$/.test(time)
      ? [event({ created, updated }, `2026-06-02T${time}:00+08:00`)]
      : []),
  ]);
  enter(all);
  await hour('16:00');
  expect(told()).toEqual((problem ? all : []).map(() => has(problem)));
  expect(gateway.deliveries().size).toBe(0);
});

/** Rows and events, the times that the phone is reminded of at noon, and what is told. */
test.each<[what: string, given: IDataObject[], times: string[], told?: (string | RegExp)[]]>([
  ['an empty row', [{ phone: '', name: '', date: '' }, appointment('09:30')], ['09:30']],
  [
    'one of the past that is entered now is nobody’s',
    [{ ...appointment('18:00', PHONE, '2026-06-01'), createdAt: '2026-06-02T03:00:00.000Z' }],
    [],
  ],
  [
    'one that begins today and ends tomorrow is not of tomorrow, but one that begins then is',
    [
      from('2026-06-02T23:00:00+08:00', '2026-06-03T00:30:00+08:00'),
      from('2026-06-03T23:00:00+08:00', '2026-06-04T00:30:00+08:00'),
    ],
    ['23:00'],
  ],
  [
    'times of other zones are told in this one',
    ['2026-06-02T21:30:00-04:00', '2026-06-03T01:00:00Z', '2026-06-03T20:00:00-04:00'].map((at) =>
      from(at),
    ),
    ['09:30', '09:00'],
  ],
  [
    'all day: a holiday is nobody’s; what has a number is told',
    [allDay('2026-06-03'), allDay('2026-06-03', `Haircut, ${PHONE}`), allDay('2026-06-01')],
    [],
    [`${PHONE}: Holiday, 2026-06-03 : it has no time`],
  ],
  [
    'a stranger’s meeting, a flight that Gmail has entered, and a day with an order are nobody’s',
    [
      event({ eventType: 'fromGmail', description: 'E-ticket number 7813810000010' }),
      allDay('2026-06-03', '订单号 201381000103456'),
      ...['Meeting', 'One tap mobile +16699006833,,83212345678#', 'E-ticket number 13810000010'],
      `订单号 201381000103456`,
    ].map((description) => event({ ...stranger, description })),
    [],
  ],
])('%s', async (_, given, times, lines = []) => {
  enter(given);
  await hour();
  const subject = `Not reminded, or not surely: ${lines.length}`;
  expect(n8n.mails.map((mail) => mail.split('\n')[0])).toEqual(lines.length > 0 ? [subject] : []);
  expect(timesOf()).toEqual(times);
  expect(told()).toEqual(lines.map(has));
  expect([...gateway.deliveries().keys()].filter((phone) => phone !== PHONE)).toEqual([]);
});

/** An appointment in one of its writings: what is entered is entered anew, and changed. */
const anyAppointment = fc.record({
  kind: fc.constantFrom('row', 'row', 'event', 'unreadable', 'of another day'),
  name: fc.constantFrom('李雷', '韩梅梅'),
  times: fc.constantFrom(NINE_THIRTY, THREE),
  writing: fc.nat(),
});

function written({ kind, name, times, writing }: Made<typeof anyAppointment>): IDataObject {
  const oneOf = (all: string[]) => all[writing % all.length] as string;
  const begin = times === THREE ? '15:00' : '09:30';
  if (kind === 'event') {
    const summary = oneOf([name, `${name} ✓`]);
    return event({ id: name, summary, description: OTHER }, `2026-06-03T${begin}:00+08:00`);
  }
  if (kind === 'of another day') return from(`2026-06-0${oneOf(['2', '4'])}T${begin}:00+08:00`);
  if (kind === 'unreadable') return { ...appointment(begin, PHONE, '06/03'), name };
  const phone = oneOf([PHONE, '+86 138 1000 0010', '１３８-1000-0010']);
  return { ...appointment(oneOf(times), phone, oneOf(DATES)), id: writing, name };
}

const FAULTS: Record<string, Parameters<typeof gateway.fault>[0]> = {
  rejected: { kind: 'businessCode', code: 15, msg: '余额不足' },
  unknown: { kind: 'resetAfterAccept' },
};

const anyHour = fc.record({
  given: fc.array(anyAppointment, { maxLength: 6 }),
  outcome: fc.constantFrom('accepted', 'accepted', 'rejected', 'unknown'),
  hasMail: fc.constantFrom(true, true, false),
});

test('random hours: each appointment of tomorrow is reminded once, or told, once', async () => {
  const property = fc.asyncProperty(fc.array(anyHour, { maxLength: 5 }), async (hours) => {
    template.forget();
    const reminded = new Set<string>();
    const sent = new Map<string, number>();
    const known = new Set<string>();
    for (const [index, { given, outcome, hasMail }] of hours.entries()) {
      // A row whose mail fails ends the execution, before it comes to the calendar.
      const all = given.filter(({ kind }) => hasMail || kind !== 'event');
      gateway.clearFaults();
      const fault = FAULTS[outcome];
      if (fault) gateway.fault({ ...fault, times: Infinity });
      n8n.refuses = () => !hasMail;
      enter(all.map(written));
      const { error } = await hour(`${12 + index}:00`);
      const news = new Map<string, RegExp>();
      for (const { kind, name, times } of all) {
        const key = `${kind} ${times[0]} ${name}`;
        if (kind === 'of another day' || reminded.has(key)) continue;
        const status = kind === 'unreadable' ? 'its date cannot be read' : outcome;
        if (status !== 'accepted' && !known.has(key + status))
          news.set(key + status, new RegExp(`: ${name}.* (?:${times.join('|')}): ${status}`));
        if (!/accepted|unknown/.test(status)) continue;
        reminded.add(key);
        const phone = kind === 'event' ? OTHER : PHONE;
        sent.set(phone, (sent.get(phone) ?? 0) + 1);
      }
      expect(Boolean(error)).toBe(news.size > 0 && !hasMail);
      expect(gateway.deliveries()).toEqual(sent);
      const patterns = hasMail ? [...news.values()] : [];
      expect(told()).toEqual(expect.arrayContaining(patterns.map(has)));
      expect(told().filter((line) => !patterns.some((each) => each.test(line)))).toEqual([]);
      n8n.mails.splice(0);
      if (hasMail) for (const key of news.keys()) known.add(key);
    }
  });
  await fc.assert(property, settings(20));
});

/** In Shanghai, while n8n is in New York: 10:00 there is 22:00 of the day before. */
test.each([
  [{}, ['10:00', '20:59'], ['03:00', '09:59', '21:00', '22:00']],
  [{ from: '9:00', until: '21:00' }, ['09:00', '20:59'], ['03:00', '08:59', '21:00']],
])('with %j, it reminds at %j, and not at %j', async (hours, opens, closes) => {
  template.enter('Zone and hours', hours);
  for (const [index, time] of [...opens, ...closes].entries()) {
    const phone = `1381000001${index}`;
    enter([appointment('09:30', phone)]);
    await hour(time);
    expect([time, template.sentTo(phone).length]).toEqual([time, opens.includes(time) ? 1 : 0]);
  }
});

test.each([
  [{ zone: 'Asia/Shangai' }, 'There is no time zone "Asia/Shangai"'],
  [{ zone: '' }, 'There is no time zone ""'],
  [{ from: '' }, 'No hours: "" to "21"'],
  [{ until: '' }, 'No hours: "10" to ""'],
  [{ from: '十' }, 'No hours: '],
  [{ from: '21', until: '10' }, 'No hours: '],
])('with %j it fails at any hour, rather than being silent', async (hours, says) => {
  template.enter('Zone and hours', hours);
  enter([appointment('09:30')]);
  for (const time of ['03:00', '12:00']) expect((await hour(time)).error).toContain(says);
  expect(template.sentTo(PHONE)).toEqual([]);
});

/** An appointment at some time, entered at another one, and looked at each hour. */
test('whenever it is entered, it is reminded of by day, or told: never both, and never nothing', () => {
  const zone = 'Asia/Shanghai';
  const [from, until] = [10, 21];
  const noon = DateTime.fromISO('2026-06-03T12:00', { zone });
  const settings = { zone, from: `${from}`, until: `${until}` };
  const $ = () => ({ first: () => ({ json: settings }) });
  const LATE: Record<string, string> = {
    createdAt: 'it was entered too late',
    updatedAt: 'it was changed after the last look: it may have been reminded before',
  };
  const play = (how: string, hours: number, entry: number, look: number) => {
    const entered = noon.plus({ hours }).set({ minute: entry });
    const json = { ...appointment('18:00'), [how]: entered.toUTC().toISO() };
    const $input = { all: () => [{ json }] };
    const first = entered.set({ minute: look }).plus({ hours: Number(look <= entry) });
    const looks = Array.from({ length: 64 }, (_, later) => first.plus({ hours: later })).filter(
      (time) => time < noon.set({ hour: 18 }),
    );
    const isInTime = looks.some(
      (time) => time.day === noon.day - 1 && time.hour >= from && time.hour < until,
    );
    const late = looks.length > 0 ? [LATE[how]] : [];
    const seen = looks.flatMap(($now) =>
      appointments({ $, $now, $input, DateTime } as never).map((each) => each.json.problem),
    );
    expect([...new Set(seen)]).toEqual(isInTime ? [''] : late);
  };
  // Each hour from the evening of the day before yesterday, looked at before its minute and behind it.
  for (let hours = -40; hours <= 11; hours++) {
    for (const [entry = 0, look = 0] of [
      [0, 0],
      [0, 59],
      [59, 0],
    ])
      for (const how of ['createdAt', 'updatedAt']) play(how, hours, entry, look);
  }
});

test.each([
  ...OFF.flatMap((word) => [
    ...[`客户已${word}，如需预约请来电`, `已经${word}（费用已退）`, `客户${word}了，请勿提醒`],
    ...[`状态：${word}`, `李雷、剪发、${word}`, `王小姐 ${PHONE} ${word}`, `- ${word}`],
    ...[`（${word}）`, `客户申请${word}`, `客户请求${word}`, `明天9点${word}`, `${word}——生病`],
  ]),
  ...CANCELLED.flatMap((word) => [
    ...[`${word} - if she calls, rebook`, `Please note: ${word}`, `A guest has ${word} (fee paid)`],
    `Her ${word} visit is refunded.`,
  ]),
  ...['<p>取消了</p>', '客人说不来了', '改到周五', '推迟到下周三', '延期到下周', '改时间'],
  ...['客户需要改期', '已作废', '可儿已取消', '客户提前取消了'],
])('the description says that it does not take place: %j', (description) =>
  expect(saysOff(description)).toBe(true),
);

test.each([
  ...OFF.flatMap((word) => [
    ...[`如需${word}，请提前一天来电`, `免费${word}`, `不可${word}`, `不支持${word}`],
    ...[`${word}规则`, `未${word}`, `若已${word}，请忽略`, `迟到自动${word}`, `迟到视为${word}`],
    ...[`最多${word}一次`, `${word}：请微信`, `提前24小时${word}`, `${word}收取50%费用`],
    ...[`${word}/${word}：021-12345678`, `<a href="https://example.com/${word}">${word}</a>`],
  ]),
  ...CANCELLED.flatMap((word) => [
    ...[`Late arrivals will be ${word}`, `It cannot be ${word}`, `A ${word} visit costs a fee.`],
    ...[`Not ${word}`, `Please call when ${word}`, `Visits are ${word} after 15 minutes`],
    ...[`${word} visits are charged`, `https://example.com/${word}/1`],
  ]),
  ...['推后背按摩', '不来请电话告知', '项目待定', 'You can reschedule online', 'Cancel: call us'],
])('the description only says how to, or when: %j', (description) =>
  expect(saysOff(description)).toBe(false),
);

describe('a number in prose', () => {
  // A list in JSON is no prose.
  test.each(SPELLINGS.filter(([how]) => !/JSON/.test(how)))('may be written %s', (_, cells) => {
    for (const cell of cells) expect(numbersIn(`电话：${cell}。`)).toEqual([MOBILE]);
  });

  const NUMBER = '13810001034';

  /** Those in prose in which ☎ stands for the number. */
  const found = (prose: string) => numbersIn(prose.replaceAll('☎', NUMBER));

  test.each([
    ...['☎.', '李雷手机 ☎', '☎（李雷）', '【☎】', '- ☎', '<p>Li Lei<br>☎</p>', '☎，☎', '3\n☎\n5'],
    ...['<a href="tel:☎">☎</a>', 'https://example.com/13910000000 ☎', '客户电话：☎ 下午来'],
    ...['剪发；☎。3楼 5', 'Tel. ☎ (Li Lei)', '取件码：无；☎', '电话&nbsp;☎'],
    // The clause before it does not name a number.
    ...['剪发、☎', 'David, ☎', '电话\n☎', '6月3号，☎', '订单号 201\n☎'],
    ...['Manage booking: https://example.com/b\n☎', '电话：<a href="https://wa.me/1">☎</a>'],
    // The word for phone may have others before it, and what comes next is no part of it.
    ...['微信/电话：☎', 'Phone #: ☎', '订单电话 ☎', 'Tel: ☎, party of 4', '☎，洗剪吹¥88'],
  ])('%j has it', (prose) =>
    expect(numbersIn(prose.replaceAll('☎', NUMBER), '李雷')).toEqual([NUMBER]),
  );

  test.each([
    '☎\n<a href="https://a.cn">https://a.cn</a>，电话13810001035',
    '☎\nhttps://a.cn；13810001035',
    '☎, 13810001035',
  ])('%j has two', (prose) => expect(found(prose)).toEqual([NUMBER, '13810001035']));

  test.each([
    ...['订单编号为☎', 'SF☎', '☎-8001', '¥☎', '☎.00', '13,810,001,034', '+1 ☎', '+852 ☎'],
    ...['(021) ☎', '☎@mail.example', 'https://example.com/orders/☎', 'PIN ☎#', '138 1000 103'],
    ...['12810001034', '', '☎ ext. 12', '☎转8001', '电话☎分机12', '☎，转8001', 'Tel ☎, ext. 12'],
    ...['☎/☎', '张三 ☎', '☎号', '电话 ☎@mail.example', '服务 299，备用 ☎'],
    ...['Booking reference\n\n☎', 'QQ群，☎', 'Tracking #\n☎', '电话单号：☎', 'Hotel: ☎'],
    ...['订单号 —\n☎', '☎，2', '☎, x12', '☎，分机 12'],
  ])('%j has none', (prose) => expect(found(prose)).toEqual([]));

  test.each([
    ...['订单号', '运单', '会议', '身份证号码', '取件码', '会员卡', '病历', '微信群', '電話單號'],
    ...['Order no', 'order ', 'QQ', 'ID', 'Invoice', 'Ticket', 'Code', 'Booking', 'Reservation'],
    ...['Confirmation number', 'Policy'],
  ])('the number of %j is no phone’s, nor is one with this title', (name) => {
    for (const joint of [
      '',
      ' ',
      '：',
      '：\n',
      '（',
      ' = "',
      '-',
      ' #',
      '. ',
      '为',
      ' is ',
      '\n',
      '、',
    ])
      expect(found(`${name}${joint}☎`)).toEqual([]);
    expect(numbersIn(`${name} ${NUMBER}`, name)).toEqual([]);
  });

  const digits = fc.stringMatching(/^\d{1,30}$/);

  test('of digits alone, only 11 that begin as a mobile number does', () => {
    fc.assert(
      fc.property(fc.array(digits, { maxLength: 6 }), (groups) => {
        const whole = groups.filter((group) => /^(?:0?0?86)?1[3-9]\d{9}$/.test(group));
        expect(numbersIn(groups.join('\n'))).toEqual([
          ...new Set(whole.map((group) => group.slice(-11))),
        ]);
      }),
      { numRuns: 500 },
    );
  });

  test('digits directly before or behind it are its own', () => {
    const mobile = fc.stringMatching(/^1[3-9]\d{9}$/);
    const joint = fc.constantFrom('', ' ', '-', '.', '/');
    const part = fc.stringMatching(/^[2-7]\d{0,6}$/);
    fc.assert(
      fc.property(mobile, joint, part, fc.boolean(), (number, join, digits, isBefore) => {
        const prose = isBefore ? digits + join + number : number + join + digits;
        expect(numbersIn(`电话 ${prose}，李雷`)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
