import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import appointments from '../../examples/src/appointment-reminder/appointments-of-tomorrow';
import { numbersIn } from '../../examples/src/appointment-reminder/prose';
import { MOBILE, SPELLINGS } from '../kit/phoneCells';
import { fieldsWith, picked, readExample } from '../kit/workflows/workflowFiles';
import type { Fault } from '../sandbox/faults';
import { ADDRESS, OWN, PHONE, useTemplate } from './run';

const CHOICES = { Remind: OWN, 'Not reminded': ADDRESS };

const TEXT = '${name}您好，提醒您明天${time}的预约。';

/** n8n's menu drops the settings of the file, so the time zone is n8n's: New York. */
const AS_IMPORTED = { executionOrder: 'v1' } as const;

/** What time it is for n8n. */
const itIs = (time: string) => jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));

beforeEach(() => itIs('2026-06-02T12:00:00+08:00'));
afterEach(() => jest.restoreAllMocks());

const template = useTemplate('appointment-reminder', CHOICES, TEXT, AS_IMPORTED);

/** What the owner enters in "Zone and hours". */
const withHours = (texts: Record<string, string>) => ({
  ...CHOICES,
  'Zone and hours': {
    ...fieldsWith(readExample('appointment-reminder'), 'Zone and hours', texts),
  },
});

const hour = async () => await template.run('Every hour', {});

/** The mail server refuses everything until the mocks are restored. */
const noMails = (mails: string[]) =>
  jest.spyOn(mails, 'push').mockImplementation(() => {
    throw new Error('421 Service not available');
  });

const appointment = (time: unknown, phone: unknown = PHONE, date: unknown = '2026-06-03') =>
  ({ phone, name: '李雷', date, time }) as IDataObject;

test('each appointment of tomorrow is reminded once', async () => {
  template.n8n.tables.set('sms_appointments', [
    appointment('09:30'),
    appointment('15:00'),
    appointment('10:00', PHONE, '2026-06-04'),
  ]);
  await hour();
  await hour();
  expect(template.sentTo(PHONE)).toEqual([
    { name: '李雷', time: '09:30' },
    { name: '李雷', time: '15:00' },
  ]);
});

test('a wrong number is told by mail', async () => {
  template.n8n.tables.set('sms_appointments', [appointment('09:30', '1381')]);
  await hour();
  expect(template.n8n.mails).toEqual([
    expect.stringMatching(
      /^Not reminded: 1 for tomorrow\n1381: 李雷, 2026-06-03 09:30: rejected, .*1381/,
    ),
  ]);
});

interface Deviation {
  what: string;
  rows: IDataObject[];
  /** What happens, in place of one hour at noon. */
  play?: () => Promise<unknown>;
  /** The times that the phone is reminded of. */
  times: string[];
  /** The lines of the mails, as far as it matters. */
  told?: string[];
}

/** Two hours, one after the other. */
const twoHours = async () => {
  await hour();
  itIs('2026-06-02T13:00:00+08:00');
  await hour();
};

const fault = (kind: Fault['kind'], body?: unknown) => template.gateway.fault({ kind, body });

/** What people write into the table, and what n8n, the service and the mail server do. */
const DEVIATIONS: Deviation[] = [
  ...[
    ...['2026/06/03', '2026/6/3', '2026.6.3', '2026年6月3日', '２０２６－０６－０３'],
    '2026-06-02T16:00:00.000Z',
  ].map((date) => ({
    what: `the date is ${date}`,
    rows: [appointment('09:30', PHONE, date)],
    times: ['09:30'],
  })),
  ...['06/03/2026', '6月3日', '明天', '46176', '', null, '2026-06-31', '2026-06', '12:00'].map(
    (date) => ({
      what: `a date that nobody can read is told: ${date}`,
      rows: [appointment('09:30', PHONE, date), appointment('15:00')],
      times: ['15:00'],
      told: [`${PHONE}: 李雷, ${date ?? ''} 09:30: its date cannot be read`],
    }),
  ),
  ...[
    ...['0.625', '25:00', '15:60', '2026-06-03T15:00', '', '#N/A', '########', '?', '-'],
    ...['取消', '待定', '15:00 取消', '下午', '改到16:00', 'cancelled', 'TBD', '明天15:00', '15'],
  ].map((time) => ({
    what: `a time that is none is told: ${time}`,
    rows: [appointment(time)],
    times: [],
    told: [`${PHONE}: 李雷, 2026-06-03 ${time}: its time cannot be read`],
  })),
  ...[
    ...['09:30', '15:00-16:00', '15:00 ~ 16:00', '9点', '15点30分', '下午3点半'],
    ...['下午三点', '十一点半', '上午09:30', '3 pm', '03:30pm', '9点至10点'],
  ].map((time) => ({ what: `a clock: ${time}`, rows: [appointment(time)], times: [time] })),
  ...['9:30', '09:30:00', '9:30:00', '０９：３０'].map((time) => ({
    what: `the same appointment twice, the second time at ${time}`,
    rows: [appointment('09:30'), appointment(time)],
    times: ['09:30'],
  })),
  ...['李雷（取消）', '李雷 改期', 'Cancelled: Li Lei', '待定'].map((name) => ({
    what: `one that does not take place is told: ${name}`,
    rows: [{ ...appointment('09:30'), name }],
    times: [],
    told: ['its name says that it does not take place'],
  })),
  ...['取消', 'no', '待确认', 'done'].map((status) => ({
    what: `a status that is not known is told: ${status}`,
    rows: [
      { ...appointment('09:30'), status },
      { ...appointment('15:00'), status: ' 确认 ' },
    ],
    times: ['15:00'],
    told: [`its status is ${status}`],
  })),
  {
    what: 'several numbers in one row are told',
    rows: [appointment('09:30', `${PHONE}, 13810000011`), appointment('15:00')],
    times: ['15:00'],
    told: ['it has several numbers'],
  },
  {
    what: 'one that was entered for the same day is told, once',
    rows: [{ ...appointment('18:00', PHONE, '2026-06-02'), createdAt: '2026-06-02T03:00:00.000Z' }],
    play: twoHours,
    times: [],
    told: [`${PHONE}: 李雷, 2026-06-02 18:00: it was entered or changed too late`],
  },
  {
    what: 'one of the past that is entered now is nobody’s',
    rows: [
      { ...appointment('18:00', PHONE, '2026-06-01'), createdAt: '2026-06-02T03:00:00.000Z' },
      { ...appointment('18:00', PHONE, '2026-01-01'), updatedAt: '2026-06-02T03:00:00.000Z' },
    ],
    times: [],
  },
  {
    what: 'one that was entered after the hours is told at night',
    rows: [
      { ...appointment('09:30'), createdAt: '2026-06-02T14:10:00.000Z' },
      { ...appointment('15:00'), createdAt: '2026-06-01T14:10:00.000Z' },
    ],
    play: async () => {
      itIs('2026-06-02T22:30:00+08:00');
      await hour();
    },
    times: [],
    told: [`${PHONE}: 李雷, 2026-06-03 09:30: it was entered or changed too late`],
  },
  {
    what: 'one that was moved at night is told, and one of today that was reminded is not',
    rows: [
      { ...appointment('18:00', PHONE, '2026-06-02'), updatedAt: '2026-06-01T13:30:00.000Z' },
      { ...appointment('19:00', PHONE, '2026-06-02'), updatedAt: '2026-06-01T11:30:00.000Z' },
    ],
    times: [],
    told: [`${PHONE}: 李雷, 2026-06-02 18:00: it was entered or changed too late`],
  },
  {
    what: 'two people with one phone at one hour',
    rows: [appointment('09:30'), { ...appointment('09:30'), name: '韩梅梅' }],
    times: ['09:30', '09:30'],
  },
  {
    what: 'one row twice, with the number written otherwise',
    rows: [appointment('09:30'), appointment('09:30', '+86 138 1000 0010', '2026/6/3')],
    times: ['09:30'],
  },
  {
    what: 'no number is told',
    rows: [appointment('09:30', ''), appointment('15:00')],
    times: ['15:00'],
    told: ['No number: 李雷, 2026-06-03 09:30: rejected'],
  },
  {
    what: 'no name is told',
    rows: [{ ...appointment('09:30'), name: '' }],
    times: [],
    told: [`${PHONE}: , 2026-06-03 09:30: rejected`],
  },
  {
    what: 'a column of the owner is called start',
    rows: [
      { ...appointment('09:30'), start: '09:30' },
      { ...appointment('15:00'), start: null },
    ],
    times: ['09:30', '15:00'],
  },
  {
    what: 'an empty row',
    rows: [{ phone: '', name: '', date: '' }, appointment('09:30')],
    times: ['09:30'],
  },
  {
    what: 'what cannot be read is told once, not every hour',
    rows: [appointment('09:30', PHONE, '06/03')],
    play: twoHours,
    times: [],
    told: [`${PHONE}: 李雷, 06/03 09:30: its date cannot be read`],
  },
  {
    what: 'the mail server is away: the SMS goes, and the next hour tells',
    rows: [appointment('09:30', PHONE, '06/03'), appointment('15:00')],
    play: async () => {
      noMails(template.n8n.mails);
      expect((await hour()).error).toContain('421');
      jest.restoreAllMocks();
      itIs('2026-06-02T13:00:00+08:00');
      await hour();
    },
    times: ['15:00'],
    told: [`${PHONE}: 李雷, 06/03 09:30: its date cannot be read`],
  },
  {
    what: 'the service is away for an hour: told, and reminded in the next',
    rows: [appointment('09:30')],
    play: async () => {
      template.refuse();
      await twoHours();
    },
    // The first was refused.
    times: ['09:30', '09:30'],
    told: [`${PHONE}: 李雷, 2026-06-03 09:30: rejected, `],
  },
  {
    what: 'an outcome that nobody knows is told, and not sent again',
    rows: [appointment('09:30')],
    play: async () => {
      fault('resetAfterAccept');
      await twoHours();
    },
    times: ['09:30'],
    told: [`${PHONE}: 李雷, 2026-06-03 09:30: unknown, `],
  },
  ...[{}, [], '<html>', { code: 0, count: 0 }].map((body) => ({
    what: `an answer that nobody can read: ${JSON.stringify(body)}`,
    rows: [appointment('09:30')],
    play: async () => {
      fault(typeof body === 'string' ? 'html' : 'wrongShape', body);
      await twoHours();
    },
    times: ['09:30'],
    told: [`${PHONE}: 李雷, 2026-06-03 09:30: unknown, `],
  })),
  {
    what: 'the other appointments of an hour with a wrong one',
    rows: [
      appointment('09:30', '1381'),
      appointment('10:00', PHONE),
      appointment('11:00', 'see 13810000010'),
    ],
    times: ['10:00'],
    told: ['1381: 李雷', 'see 13810000010: 李雷'],
  },
];

test.each(DEVIATIONS)('$what', async ({ rows, play = hour, times, told = [] }) => {
  template.n8n.tables.set('sms_appointments', rows);
  await play();
  expect(template.sentTo(PHONE).map(({ time }) => time)).toEqual(times);
  const lines = template.n8n.mails.flatMap((mail) => mail.split('\n').slice(1));
  expect(lines).toEqual(told.map((line) => expect.stringContaining(line) as unknown));
  const seen = JSON.stringify([
    template.n8n.mails,
    ...(template.n8n.tables.get('sms_not_reminded') ?? []),
  ]);
  expect(seen).not.toMatch(/undefined|null|\[object/);
});

/** In Shanghai, while n8n is in New York: 10:00 there is 22:00 of the day before. */
test.each([
  ['2026-06-02T09:59', 0],
  ['2026-06-02T10:00', 1],
  ['2026-06-02T20:59', 1],
  ['2026-06-02T21:00', 0],
  ['2026-06-02T22:00', 0],
  ['2026-06-02T03:00', 0],
])('the hours are those of the zone: at %s %d', async (time, count) => {
  itIs(`${time}:00+08:00`);
  template.n8n.tables.set('sms_appointments', [appointment('09:30')]);
  await hour();
  expect(template.sentTo(PHONE)).toHaveLength(count);
});

describe.each<[string, string, string, string]>([
  ['Asia/Shangai', '10', '21', 'There is no time zone "Asia/Shangai"'],
  ['', '10', '21', 'There is no time zone ""'],
  ['Asia/Shanghai', '', '21', 'No hours: "" to "21"'],
  ['Asia/Shanghai', '10', '', 'No hours: "10" to ""'],
  ['Asia/Shanghai', '十', '21', 'No hours: '],
  ['Asia/Shanghai', '21', '10', 'No hours: '],
])('zone %j, from %j, until %j', (zone, from, until, says) => {
  const wrong = useTemplate(
    'appointment-reminder',
    withHours({ zone, from, until }),
    TEXT,
    AS_IMPORTED,
  );

  test.each(['03:00', '12:00'])('fails at %s, rather than being silent', async (time) => {
    itIs(`2026-06-02T${time}:00+08:00`);
    wrong.n8n.tables.set('sms_appointments', [appointment('09:30')]);
    const { error } = await wrong.run('Every hour', {});
    expect(error).toEqual(expect.stringContaining(says));
    expect(wrong.sentTo(PHONE)).toEqual([]);
  });
});

describe('hours with minutes', () => {
  const written = useTemplate(
    'appointment-reminder',
    withHours({ zone: 'Asia/Shanghai', from: '9:00', until: '21:00' }),
    TEXT,
    AS_IMPORTED,
  );

  test.each([
    ['03:00', 0],
    ['08:59', 0],
    ['09:00', 1],
    ['20:59', 1],
    ['21:00', 0],
  ])('at %s %d', async (time, count) => {
    itIs(`2026-06-02T${time}:00+08:00`);
    written.n8n.tables.set('sms_appointments', [appointment('09:30')]);
    await written.run('Every hour', {});
    expect(written.sentTo(PHONE)).toHaveLength(count);
  });
});

describe('from a calendar', () => {
  const calendar = useTemplate(
    'appointment-reminder',
    { ...CHOICES, Events: { calendar: picked('calendar') } },
    TEXT,
    AS_IMPORTED,
  );

  const event = (begin: string, end?: string, more: IDataObject = {}): IDataObject => ({
    id: begin,
    summary: '李雷',
    description: `Haircut, ${PHONE}`,
    status: 'confirmed',
    organizer: { self: true },
    start: { dateTime: begin },
    ...(end !== undefined && { end: { dateTime: end } }),
    ...more,
  });

  const allDay = (date: string, description?: string): IDataObject => ({
    id: date,
    organizer: { self: true },
    summary: 'Holiday',
    description,
    start: { date },
    end: { date: '2026-06-04' },
  });

  interface Events {
    what: string;
    events: IDataObject[];
    times: string[];
    told?: (string | RegExp)[];
  }

  const FIFTY = Array.from({ length: 50 }, (_, index) => String(13_810_000_010 + index));

  const EVENTS: Events[] = [
    {
      what: 'the number stands in the description; another day does nothing',
      events: [
        event('2026-06-02T15:00:00+08:00'),
        event('2026-06-03T09:30:00+08:00'),
        event('2026-06-04T10:00:00+08:00'),
      ],
      times: ['09:30'],
    },
    {
      what: 'one that begins today and ends tomorrow is not of tomorrow',
      events: [event('2026-06-02T23:00:00+08:00', '2026-06-03T00:30:00+08:00')],
      times: [],
    },
    {
      what: 'one that begins tomorrow and ends behind midnight is',
      events: [event('2026-06-03T23:00:00+08:00', '2026-06-04T00:30:00+08:00')],
      times: ['23:00'],
    },
    {
      what: 'times of other zones are told in this one',
      events: [
        event('2026-06-02T21:30:00-04:00'),
        event('2026-06-03T01:00:00Z'),
        event('2026-06-03T20:00:00-04:00'),
      ],
      times: ['09:30', '09:00'],
    },
    {
      what: 'all day: a holiday is nobody’s; what has a number is told',
      events: [
        allDay('2026-06-03'),
        allDay('2026-06-03', `Haircut, ${PHONE}`),
        allDay('2026-06-01'),
      ],
      times: [],
      told: [`${PHONE}: Holiday, 2026-06-03 : it has no time`],
    },
    {
      what: 'a cancelled or open one is told',
      events: ['cancelled', 'tentative'].map((status) =>
        event('2026-06-03T09:30:00+08:00', undefined, { status, id: status }),
      ),
      times: [],
      told: ['cancelled', 'tentative'].map(
        (status) => `${PHONE}: 李雷, 2026-06-03 09:30: its status is ${status}`,
      ),
    },
    {
      what: 'one whose title says so is told',
      events: [event('2026-06-03T09:30:00+08:00', undefined, { summary: '取消 李雷' })],
      times: [],
      told: [`${PHONE}: 取消 李雷, 2026-06-03 09:30: its name says that it does not take place`],
    },
    ...[
      { attendees: [{ self: true, responseStatus: 'needsAction' }] },
      { attendees: [{ self: true, responseStatus: 'declined' }] },
      { attendees: [{ self: true, responseStatus: 'tentative' }] },
      { attendees: [{ self: false, responseStatus: 'accepted' }, { self: true }] },
      { attendees: [{ responseStatus: 'accepted', email: 'me@example.com' }] },
      {},
      { organizer: { self: true }, eventType: 'fromGmail' },
    ].map((whose) => ({
      what: `a stranger's invitation is told, and not sent: ${JSON.stringify(whose)}`,
      events: [
        event('2026-06-03T09:30:00+08:00', undefined, {
          organizer: { email: 'stranger@example.com' },
          summary: '您的账户已被冻结，请立即点击 https://evil.example 解冻',
          description: `联系 ${PHONE}`,
          ...whose,
        }),
      ],
      times: [],
      told: [
        `${PHONE}: 您的账户已被冻结,请立即点击 https, 2026-06-03 09:30: it is an invitation that you have not accepted`,
      ],
    })),
    {
      what: 'fifty numbers in an invitation, accepted or not, get nothing',
      events: ['needsAction', 'accepted'].map((responseStatus) =>
        event('2026-06-03T09:30:00+08:00', undefined, {
          id: responseStatus,
          organizer: { email: 'stranger@example.com' },
          description: FIFTY.join('\n'),
          attendees: [{ self: true, responseStatus }],
        }),
      ),
      times: [],
      told: [
        /: it is an invitation that you have not accepted$/,
        /: its description has several numbers$/,
      ],
    },
    {
      what: 'an invitation that was accepted is reminded of, with so much of its title',
      events: [
        event('2026-06-03T09:30:00+08:00', undefined, {
          organizer: { email: 'stranger@example.com' },
          attendees: [{ self: true, responseStatus: 'accepted' }],
        }),
      ],
      times: ['09:30'],
    },
    {
      what: 'a stranger’s meeting without a number is nobody’s',
      events: [
        event('2026-06-03T09:30:00+08:00', undefined, { organizer: {}, description: 'Meeting' }),
      ],
      times: [],
    },
    {
      what: 'one that was moved to today after the hours is told',
      events: [
        event('2026-06-02T18:00:00+08:00', undefined, {
          created: '2026-05-01T00:00:00Z',
          updated: '2026-06-02T01:00:00Z',
        }),
      ],
      times: [],
      told: [`${PHONE}: 李雷, 2026-06-02 18:00: it was entered or changed too late`],
    },
    {
      what: 'several numbers in one description',
      events: [
        event('2026-06-03T09:30:00+08:00', undefined, {
          description: '妈妈 138 1000 0010，爸爸 138-1000-0011；座机 021-13810000',
        }),
      ],
      times: [],
      told: [`${PHONE}, 13810000011: 李雷, 2026-06-03 09:30: its description has several numbers`],
    },
    {
      what: 'two people with one phone at one hour',
      events: ['a', 'b'].map((id) => event('2026-06-03T09:30:00+08:00', undefined, { id })),
      times: ['09:30', '09:30'],
    },
    {
      what: 'one whose title is changed between two runs is reminded once',
      events: [
        event('2026-06-03T09:30:00+08:00', undefined, { id: 'a' }),
        event('2026-06-03T09:30:00+08:00', undefined, { id: 'a', summary: '李雷 ✓' }),
      ],
      times: ['09:30'],
    },
    ...[
      '订单号 201381000001056',
      '订单号 13810000010',
      'Haircut',
      '',
      undefined,
      '138 1000 001',
    ].map((description) => ({
      what: `no whole number is told: ${description}`,
      events: [event('2026-06-03T09:30:00+08:00', undefined, { description })],
      times: [],
      told: ['No number: 李雷, 2026-06-03 09:30: its description has no whole mobile number'],
    })),
  ];

  test.each(EVENTS)('$what', async ({ events, times, told = [] }) => {
    calendar.n8n.events = events;
    await calendar.run('Every hour', {});
    expect(calendar.sentTo(PHONE).map(({ time }) => time)).toEqual(times);
    const lines = calendar.n8n.mails.flatMap((mail) => mail.split('\n').slice(1));
    expect(lines).toEqual(told.map((line) => expect.stringMatching(line) as unknown));
    expect(JSON.stringify(calendar.gateway.requests)).not.toContain('解冻');
  });

  test('table and calendar, both', async () => {
    calendar.n8n.events = [event('2026-06-03T09:30:00+08:00')];
    calendar.n8n.tables.set('sms_appointments', [appointment('15:00'), appointment('16:00', '1')]);
    await calendar.run('Every hour', {});
    expect(calendar.sentTo(PHONE).map(({ time }) => time)).toEqual(['15:00', '09:30']);
    expect(calendar.n8n.mails).toHaveLength(1);
  });
});

/** An appointment at some time, entered at another one, and looked at each hour. */
test('whenever it is entered, it is reminded of by day, or told: never both, and never nothing', () => {
  const zone = 'Asia/Shanghai';
  const [from, until] = [10, 21];
  const noon = DateTime.fromISO('2026-06-03T12:00', { zone });
  const settings = { zone, from: `${from}`, until: `${until}` };
  const $ = () => ({ first: () => ({ json: settings }) });
  const play = (hours: number, entry: number, look: number) => {
    const entered = noon.plus({ hours }).set({ minute: entry });
    const json = { ...appointment('18:00'), createdAt: entered.toUTC().toISO() };
    const $input = { all: () => [{ json }] };
    const first = entered.set({ minute: look }).plus({ hours: Number(look <= entry) });
    const looks = Array.from({ length: 64 }, (_, later) => first.plus({ hours: later })).filter(
      (time) => time < noon.endOf('day'),
    );
    const isInTime = looks.some(
      (time) => time.day === noon.day - 1 && time.hour >= from && time.hour < until,
    );
    const late = looks.length > 0 ? ['it was entered or changed too late'] : [];
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
      play(hours, entry, look);
  }
});

describe('a number in prose', () => {
  // A list in JSON is no prose.
  test.each(SPELLINGS.filter(([how]) => !/JSON/.test(how)))('may be written %s', (_, cells) => {
    for (const cell of cells) expect(numbersIn(`电话：${cell}。`)).toEqual([MOBILE]);
  });

  test.each([
    ...['电话13810001034李雷', 'Call 13810001034.', '李雷-13810001034-剪发', '【13810001034】'],
    ...['订单号 201381000103456，电话 138 1000 1034', '身份证 110101199001011381 13810001034'],
    ...['座机 010-13810001 手机 13810001034', '02113810001 13810001034', '套餐299元 13810001034'],
    ...['¥299 13810001034', '¥1,299.00 13810001034', '15:00 13810001034 299元'],
    ...['2026-06-03 13810001034', '6/3 13810001034 15:00', '<p>Li Lei<br>13810001034</p>'],
    ...['<a href="tel:13810001034">13810001034</a>', 'https://example.com/13910000000 13810001034'],
    ...['13810001034，13810001034', '3\n13810001034\n5', '手机号13810001034'],
    ...['联系人手机号码：13810001034', '号码 13810001034', '预留号码为13810001034'],
    ...['微信同号 13810001034', '朝阳路1号 13810001034', '6月3号13810001034'],
    ...['六月三号 13810001034', 'Phone number: 13810001034', 'Mobile no 13810001034'],
    ...['David 13810001034', '订单号，13810001034', '取件码：无；13810001034'],
    '订单号：见短信（13810001034）',
  ])('%j has 13810001034', (prose) => expect(numbersIn(prose)).toEqual(['13810001034']));

  test.each([
    ...['13810001034, 13810001035', '13810001034/13810001035', '13810001034 13810001035'],
    ...['13810001034、+86 138 1000 1035', '13810001034\n13810001035'],
  ])('%j has two', (prose) => expect(numbersIn(prose)).toEqual(['13810001034', '13810001035']));

  test.each([
    ...['订单号 201381000103456', '201381000103456', '138100010345', '013810001034'],
    ...['20 138 1000 1034 56', '6222 138 1000 1034', '138 1000 1034 5678'],
    ...['订单号：20 13810001034', '订单号13810001034', '单号: 13810001034'],
    ...['Order no. 13810001034', 'order #13810001034', 'QQ 13810001034', 'ID: 13810001034'],
    ...['会员号 13810001034', '流水号：13810001034', '订单编号为13810001034'],
    ...['会员卡号: 138 1000 1034', '身份证号码13810001034', '取件码 13810001034'],
    ...['运单13810001034', '会议号：138 1000 1034', '腾讯会议：138-1000-1034', 'uid=13810001034'],
    ...['order_id: 13810001034', 'Booking ref. 13810001034', 'Tracking number: 13810001034'],
    ...['Invoice 13810001034', 'Ticket #13810001034', 'PIN 13810001034#', '订单号（13810001034）'],
    ...['订单号【138 1000 1034】', '订单号 = "13810001034"', '会员号-13810001034'],
    ...['订单号是 13810001034', 'Your order number is 13810001034', 'card no. 13810001034'],
    ...['Code: 13810001034', 'SF13810001034', 'SO-13810001034', '13810001034-8001'],
    ...['13810001034元', '¥13810001034', '13810001034.00', '13,810,001,034', '138.1000.1034'],
    ...['+1 13810001034', '+113810001034', '+852 13810001034', '0044 13810001034'],
    ...['(021) 13810001034', '13810001034@mail.example', 'https://example.com/orders/13810001034'],
    ...['138 1000 103', '12810001034', '13810001034 8001', '', undefined, {}],
  ])('%j has none', (prose) => expect(numbersIn(prose)).toEqual([]));

  const digits = fc.stringMatching(/^\d{1,30}$/);

  test('of digits alone, only 11 that begin as a mobile number does', () => {
    fc.assert(
      fc.property(fc.array(digits, { maxLength: 6 }), (groups) => {
        const whole = groups.filter((group) => /^(?:0?0?86)?1[3-9]\d{9}$/.test(group));
        const found = numbersIn(groups.join('，'));
        expect(found).toEqual([...new Set(whole.map((group) => group.slice(-11)))]);
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
