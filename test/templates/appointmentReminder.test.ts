import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { GenericValue, IDataObject } from 'n8n-workflow';

import appointments from '../../examples/src/appointment-reminder/appointments-of-tomorrow';
import { numbersIn } from '../../examples/src/appointment-reminder/prose';
import { MOBILE, SPELLINGS } from '../kit/phoneCells';
import { picked } from '../kit/workflows/workflowFiles';
import { ADDRESS, AS_IMPORTED, has, OWN, PHONE, useTemplate } from './run';

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

/** Two hours, one after the other. */
const twoHours = async () => {
  await hour();
  await hour('13:00');
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

test('each appointment of tomorrow is reminded once, with 20 characters of a title', async () => {
  const long = event({ summary: '李雷'.repeat(20) }, '2026-06-03T15:00:00+08:00');
  enter([appointment('09:30'), appointment('10:00', PHONE, '2026-06-04'), long]);
  await twoHours();
  expect(template.sentTo(PHONE)).toEqual([
    { name: '李雷', time: '09:30' },
    { name: '李雷'.repeat(10), time: '15:00' },
  ]);
});

/** What people write into a column, and why it is told. Otherwise it is reminded of. */
test.each<[column: string, cells: GenericValue[], problem: string]>([
  ['date', ['2026/06/03', '2026/6/3', '2026.6.3', '2026年6月3日', '２０２６－０６－０３'], ''],
  ['date', ['2026-06-02T16:00:00.000Z'], ''],
  [
    'date',
    ['06/03/2026', '6月3日', '明天', '46176', '', null, '2026-06-31', '2026-06', '12:00'],
    'its date cannot be read',
  ],
  [
    'time',
    ['09:30', '15:00-16:00', '15:00 ~ 16:00', '9点', '15点30分', '下午3点半', '下午三点'],
    '',
  ],
  ['time', ['十一点半', '上午09:30', '3 pm', '03:30pm', '9点至10点'], ''],
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
      ...['李雷（取消）', '李雷 改期', 'Cancelled: Li Lei', '待定', '李雷 推迟', '【推迟】李雷'],
      ...['李雷 不来了', '李雷 改约', '李雷 推后', 'Li Lei rescheduled', 'called off'],
      ...['改到周五', '张三-改时间', '退约', '李雷（退）', 'Cancel Li Lei', '李雷 TBD'],
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

/** Entered in time, and changed then. */
const changedRow = (updatedAt: string, time: string, date = '2026-06-02') => ({
  ...appointment(time, PHONE, date),
  ...{ createdAt: '2026-05-01T00:00:00.000Z', updatedAt },
});

const UNREADABLE = appointment('09:30', PHONE, '06/03');

const from = (begin: string, end?: string) =>
  event(end === undefined ? {} : { end: { dateTime: end } }, begin);

const allDay = (date: string, description?: string) => {
  const days = { start: { date }, end: { date: '2026-06-04' } };
  return event({ id: date, summary: 'Holiday', description, ...days });
};

const stranger = { organizer: { email: 'stranger@example.com' } };
const answered = (responseStatus: string) => ({ attendees: [{ self: true, responseStatus }] });

/** What is the same in events of tomorrow, which ☎ stands for the number in, and why each is told. Otherwise it is reminded of. */
test.each<[events: IDataObject[], problem: string]>([
  [[{ status: 'tentative' }], 'its status is tentative'],
  [[{ summary: '取消 李雷' }], 'its name says that it does not take place'],
  [
    [
      ...[
        '☎ 客户已取消',
        '☎ <p>取消了</p>',
        '☎ 已取消，如需改约请来电',
        '☎ Guest has rescheduled.',
      ],
      '☎ Cancelled - if she calls, rebook',
      ...['☎ 预约取消', '☎ 客户申请取消', '☎ 客户提前取消了', '☎ 已取消已退费', '☎ 客人说不来了'],
      ...['☎ 推迟到下周三', '☎ 改到周五', '☎ 时间改到下午', '☎ 改时间', '☎ 退约'],
      ...['☎ Cancelled by customer', '☎ postponed to Friday', '☎ Canceled: rebook'],
      '☎ Her cancelled visit is refunded.',
      ...['☎ 已取消:请勿提醒', '☎\nPlease note: cancelled', '☎\nCancelled: if she calls, rebook'],
      ...['☎\n费翔已取消', '☎\n可儿已取消', '☎\n客户请求取消', '☎ 请假不来了', '☎\n取消'],
      ...['☎\n已取消（费用已退）', '☎ Cancelled (fee paid)', '☎\n客户需要改期', '王小姐 ☎ 取消'],
      ...['☎\n- 取消', '☎\n（取消）', '☎\n已經取消', '☎\n客户来电话取消', '☎\nLi Lei 取消'],
      ...['☎\nA guest has cancelled', '剪发/☎/取消', '☎\n李雷、剪发、取消', '☎\n明天9点取消'],
      ...[
        '李雷-剪发-☎-取消',
        '☎\n取消——生病',
        '☎\n状态：取消',
        '☎\n取消：生病',
        '☎\n备注：客户取消',
      ],
    ].map((description) => ({ description })),
    'its description says that it does not take place',
  ],
  [
    [
      ...[
        '如需取消，请提前一天来电',
        '取消请提前24小时通知',
        '预约取消/改期链接 https://example.com/a',
      ],
      ...['Cancel: https://calendly.com/cancellations/x', '24小时内取消收取50%费用'],
      ...['<a href="https://example.com/x">Reschedule</a>', '取消或改期请致电 021-1234'],
      ...['Need to cancel or reschedule? Please call.', 'If you cannot come, cancel a day before.'],
      ...['Cancellation policy: 24 hours notice. Cancelled visits are charged.', '不来请电话告知'],
      ...[
        '取消政策：提前一天',
        '免费取消',
        '不可取消',
        '改时间请来电',
        '若要取消，请来电',
        '项目待定',
      ],
      ...['Room: TBD', 'You can reschedule online', 'Please call when postponed'],
      ...['A cancelled visit costs a fee.', 'https://example.com/cancelled/1'],
      ...['取消预约：https://x.cn/c', '取消：<a href="https://x.cn">点这里</a>'],
      ...['<a href="https://x.cn/c">取消预约</a>', '取消预约：请致电 021-1234', '提前24小时取消'],
      ...['取消须提前一天', '不支持取消', '迟到15分钟视为取消', '迟到自动取消', '取消规则'],
      ...['最多改期一次', '未取消', '推后背按摩', '取消不退订金', '若已取消，请忽略'],
      ...['如需改期、取消，请来电', '取消/改期：021-12345678', '取消：请微信'],
      ...['Late arrivals will be cancelled', 'Can be cancelled until 24 h before'],
      ...[
        'It cannot be rescheduled',
        'Not cancelled',
        'Appointments are cancelled after 15 minutes',
      ],
    ].map((note) => ({ description: `☎<br>${note}` })),
    '',
  ],
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
  ['it was changed after the last look', ['18:00', '晚上6点', '6 pm', '6点', '傍晚六点半']],
  ['its time cannot be read', ['周二上午', '2楼', '待定 3号']],
])('changed, and %p is told: %j', async (problem, times) => {
  enter(times.map((time) => changedRow('2026-06-02T07:40:00.000Z', time)));
  await hour('16:00');
  expect(told()).toEqual((problem ? times : []).map(() => has(problem)));
  expect(gateway.deliveries().size).toBe(0);
});

/** Rows and events, the times that the phone is reminded of, what is told, and what happens beside one hour at noon. */
type Case = [
  what: string,
  given: IDataObject[],
  times: string[],
  told?: (string | RegExp)[],
  play?: () => Promise<unknown>,
];

test.each<Case>([
  ...['9:30', '09:30:00', '9:30:00', '０９：３０'].map((time): Case => [
    `the same appointment twice, the second time at ${time}`,
    [appointment('09:30'), appointment(time)],
    ['09:30'],
  ]),
  [
    'one row twice, with the number and the day written otherwise',
    [appointment('09:30'), appointment('09:30', '+86 138 1000 0010', '2026/6/3')],
    ['09:30'],
  ],
  [
    'two people with one phone at one hour, who are entered anew in another order',
    [appointment('09:30'), { ...appointment('09:30'), name: '韩梅梅' }],
    ['09:30', '09:30'],
    [],
    async () => {
      await hour();
      enter([{ ...appointment('09:30'), name: '韩梅梅' }, appointment('09:30')]);
      await hour('13:00');
    },
  ],
  [
    'two people with one phone at one hour, and another one comes for the first of them',
    [appointment('09:30'), { ...appointment('09:30'), name: '韩梅梅' }],
    ['09:30', '09:30', '09:30'],
    [],
    async () => {
      await hour();
      enter(['韩梅梅', '张三'].map((name) => ({ ...appointment('09:30'), name })));
      await hour('13:00');
    },
  ],
  ...[{ time: '上午9点半' }, { time: '09:30-10:30' }, { id: 7 }].map((changed): Case => [
    `one row that is corrected between two hours: ${JSON.stringify(changed)}`,
    [appointment('09:30')],
    ['09:30'],
    [],
    async () => {
      await hour();
      enter([{ ...appointment('09:30'), ...changed }]);
      await hour('13:00');
    },
  ]),
  ['an empty row', [{ phone: '', name: '', date: '' }, appointment('09:30')], ['09:30']],
  [
    'an event with a note from behind its beginning',
    [
      event(
        { created: '2026-05-01T00:00:00Z', updated: '2026-06-02T09:30:00Z' },
        '2026-06-02T16:00:00+08:00',
      ),
    ],
    [],
    [],
    () => hour('18:00'),
  ],
  [
    'one of the past that is entered now is nobody’s',
    [{ ...appointment('18:00', PHONE, '2026-06-01'), createdAt: '2026-06-02T03:00:00.000Z' }],
    [],
  ],
  [
    'the mail server is away: the SMS goes, and the next hour tells',
    [UNREADABLE, appointment('15:00')],
    ['15:00'],
    ['06/03 09:30: its date cannot be read'],
    async () => {
      n8n.refuseMails(5);
      expect((await hour()).error).toContain('refused by the mail server');
      n8n.refuses = () => false;
      await hour('13:00');
    },
  ],
  [
    'the service is away for an hour: told, and reminded in the next',
    [appointment('09:30')],
    // The first was refused.
    ['09:30', '09:30'],
    ['2026-06-03 09:30: rejected, '],
    () => {
      template.refuse();
      return twoHours();
    },
  ],
  [
    'an outcome that nobody knows is told, and not sent again',
    [appointment('09:30')],
    ['09:30'],
    ['2026-06-03 09:30: unknown, '],
    () => {
      gateway.fault({ kind: 'resetAfterAccept' });
      return twoHours();
    },
  ],
  [
    'the number stands in the description; another day does nothing',
    [from('2026-06-02T15:00:00+08:00'), event(), from('2026-06-04T10:00:00+08:00')],
    ['09:30'],
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
    'a stranger’s meeting is nobody’s, whatever digits it has',
    [
      ...['Meeting', 'One tap mobile +16699006833,,83212345678#', 'E-ticket number 13810000010'],
      `订单号 201381000103456`,
    ].map((description) => event({ ...stranger, description })),
    [],
  ],
  [
    'nor is a flight that Gmail has entered, or a day with an order',
    [
      event({ eventType: 'fromGmail', description: 'E-ticket number 7813810000010' }),
      allDay('2026-06-03', '订单号 201381000103456'),
    ],
    [],
  ],
  [
    'one that was moved to today after the hours is told',
    [
      event(
        { created: '2026-05-01T00:00:00Z', updated: '2026-06-02T01:00:00Z' },
        '2026-06-02T18:00:00+08:00',
      ),
    ],
    [],
    [/2026-06-02 18:00: it was changed after the last look: it may have been reminded before$/],
  ],
  [
    'two people with one phone at one hour',
    [event({ id: 'a' }), event({ id: 'b' })],
    ['09:30', '09:30'],
  ],
  [
    'one whose title is changed between two runs is reminded once',
    [event(), event({ summary: '李雷 ✓' })],
    ['09:30'],
  ],
  [
    'a row and an event, and a wrong row',
    [event(), appointment('15:00'), appointment('16:00', '1')],
    ['15:00', '09:30'],
    ['1: 李雷, 2026-06-03 16:00: rejected'],
  ],
])('%s', async (_, given, times, lines = [], play = hour) => {
  enter(given);
  await play();
  const subject = `Not reminded, or not surely: ${lines.length}`;
  expect(n8n.mails.map((mail) => mail.split('\n')[0])).toEqual(lines.length > 0 ? [subject] : []);
  expect(timesOf()).toEqual(times);
  expect(told()).toEqual(lines.map(has));
  expect([...gateway.deliveries().keys()].filter((phone) => phone !== PHONE)).toEqual([]);
});

test('one that is told does not hide the next one of its hour', async () => {
  for (const name of ['韩梅梅', '李雷']) {
    enter([{ ...UNREADABLE, name }]);
    await hour();
  }
  expect(told()).toEqual([has('韩梅梅, 06/03'), has('李雷, 06/03')]);
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

describe('a number in prose', () => {
  // A list in JSON is no prose.
  test.each(SPELLINGS.filter(([how]) => !/JSON/.test(how)))('may be written %s', (_, cells) => {
    for (const cell of cells) expect(numbersIn(`电话：${cell}。`)).toEqual([MOBILE]);
  });

  const NUMBER = '13810001034';

  /** Those in prose in which ☎ stands for the number. */
  const found = (prose: string) => numbersIn(prose.replaceAll('☎', NUMBER));

  test.each([
    ...[
      '电话☎李雷',
      '☎.',
      '李雷 ☎',
      '☎（李雷）',
      '李雷（☎）',
      '李雷手机 ☎',
      '【☎】',
      'Haircut, ☎',
      '- ☎',
    ],
    ...[
      '订单号 201381000103456，电话 138 1000 1034',
      '2026-06-03，☎，剪发',
      '☎，2位',
      '剪发；☎。3楼 5',
    ],
    ...['<p>Li Lei<br>☎</p>', '<a href="tel:☎">☎</a>', 'https://example.com/13910000000 ☎', '☎，☎'],
    ...[
      '3\n☎\n5',
      '手机号☎',
      '联系人手机号码：☎',
      '客户电话：☎ 下午来',
      'Tel. ☎ (Li Lei)',
      'Telephone ☎',
    ],
    ...['Phone number:<br>☎', 'Mobile no ☎', '取件码：无；☎', '手机\u00a0☎', '电话&nbsp;☎'],
    // The clause before it does not name a number.
    ...['剪发\n☎', '剪发、☎', '李雷\n\n☎', '李群，☎', 'David, ☎', '电话\n☎', 'Phone number\n☎'],
    ...['6月3号，☎', '订单号 201\n☎', 'Manage booking: https://example.com/b\n☎'],
    ...['电话：<a href="https://wa.me/1">☎</a>'],
    // The word for phone may have others before it.
    ...['预留电话：☎', '客户联系电话：☎', '家长电话：☎', '微信/电话：☎', '姓名：韩梅梅 电话：☎'],
    ...['Contact phone: ☎', 'Guest tel: ☎', 'Phone #: ☎', '订单电话 ☎'],
    // What comes next is no part of it.
    ...['☎, room 5', '☎，洗剪吹¥88', 'Tel: ☎, party of 4', '☎, 3pm'],
  ])('%j has it', (prose) =>
    expect(numbersIn(prose.replaceAll('☎', NUMBER), '李雷')).toEqual([NUMBER]),
  );

  test.each([
    ...[
      '<a href="https://a.cn">https://a.cn</a>，电话13810001035',
      'https://a.cn；13810001035',
    ].map((behind) => `☎\n${behind}`),
    '☎, 13810001035',
    '电话☎、+86 138 1000 1035',
    '☎\n13810001035',
  ])('%j has two', (prose) => expect(found(prose)).toEqual([NUMBER, '13810001035']));

  test.each([
    ...['13810001034☎', '订单号：20 ☎', '订单编号为☎', '腾讯会议：138-1000-1034', 'order_id: ☎'],
    ...['Booking ref. ☎', 'Tracking number: ☎', 'card no. ☎', 'SF☎', 'SO-☎', '☎-8001', '☎元', '¥☎'],
    ...['☎.00', '13,810,001,034', '138.1000.1034', '+1 ☎', '+1☎', '+852 ☎', '0044 ☎', '(021) ☎'],
    ...['☎@mail.example', 'https://example.com/orders/☎', 'PIN ☎#', '138 1000 103', '12810001034'],
    ...['☎ 8001', '', '☎ ext. 12', '☎转8001', '电话☎分机12', '☎，转8001', 'Tel ☎, ext. 12', '☎/☎'],
    ...['张三 ☎', '☎号', '电话 ☎@mail.example', '1 ☎', '#☎', '服务 299，备用 ☎'],
    ...['订单号<br>☎', '<p>会员卡号</p><p>☎</p>', 'Booking reference\n\n☎', 'QQ群，☎', '订单号，☎'],
    ...['Confirmation number\n☎', 'Tracking #\n☎', '電話單號：☎', '电话单号：☎', 'Hotel: ☎'],
    ...['订单号 —\n☎'],
    ...['☎，2', '☎, x12', '☎，分机 12'],
  ])('%j has none', (prose) => expect(found(prose)).toEqual([]));

  test.each([
    ...['订单号', '单号', '运单', '会议', '会员号', '流水号', '会员卡号', '身份证号码', '取件码'],
    ...['Order no', 'order ', 'QQ', 'uid', 'ID', 'Invoice', 'Ticket', 'Code', 'Your order number'],
    ...[
      'Confirmation number',
      'Reservation',
      'Membership no.',
      'Policy',
      '快递单',
      '会员卡',
      '保单',
    ],
    ...['病历', 'QQ群', '联系单', '号码'],
  ])('the number of %j is no phone’s', (name) => {
    for (const joint of [
      '',
      ' ',
      '：',
      '：\n',
      ' = "',
      '（',
      '【',
      '-',
      ' #',
      '. ',
      '是 ',
      '为',
      ' is ',
      '\n',
      '、',
    ])
      expect(found(`${name}${joint}☎`)).toEqual([]);
  });

  test.each(['QQ', '订单', '保单'])('nor is it if %j is the title', (title) =>
    expect(numbersIn(`${title} ${NUMBER}`, title)).toEqual([]),
  );

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
