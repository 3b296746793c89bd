import {
  base,
  code,
  every,
  fields,
  lane,
  mail,
  makeTable,
  mapped,
  only,
  rows,
  sendTemplate,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_appointments';
const TOLD = 'sms_not_reminded';

const TOMORROW = "$now.setZone($json.zone).plus({ days: 1 }).startOf('day')";

const STATUS = "={{ $json.problem || $json.details?.status || 'not sent' }}";

const LINE =
  "`${json.phone || 'No number'}: ${json.name}, ${json.date} ${json.time}: ${json.problem || (json.details?.status ?? 'not sent') + ', ' + (json.details?.msg || json.error)}`";

export default workflow(
  {
    name: 'Appointment tomorrow → reminder',
    about: `## Appointment tomorrow → reminder
From ten on, an SMS to everybody who has an appointment tomorrow, once each. Nothing is sent at night. Who cannot be reminded is told to you by mail, once each.

十点起给明天有预约的客户发短信，每个预约一条，夜间不发。没法提醒的，用邮件告诉您，各一次。`,
    setUp: `### Set up here
- *Remind*: your credential, signature and template (\${name}您好，提醒您明天\${time}的预约。). Then map its parameters to \`name\` and \`time\`.
- Appointments: rows of the data table \`sms_appointments\`, which the first run makes: \`phone\`, \`name\`, \`date\` (2026-06-03 or 2026/6/3), \`time\`. Or activate *Events of tomorrow* and choose a calendar: each mobile number in the description of an event gets the SMS.
- *Not reminded*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
### 设置
- *Remind*：凭据、签名、模板，再把变量映射到 \`name\` 和 \`time\`。
- 预约写在数据表 \`sms_appointments\` 里（第一次运行时建）：\`phone\`、\`name\`、\`date\`（2026-06-03 或 2026/6/3）、\`time\`。或启用 *Events of tomorrow* 并选日历：日程说明里的每个手机号都会收到短信。
- *Not reminded*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。`,
    more: [
      `### The hours · 时段
They are in *Zone and hours*, as is the time zone. It looks every hour, so it also reminds of appointments that come later, and of all if n8n was down at ten.
时段和时区在 *Zone and hours* 里。每小时看一次，后来加的预约也会提醒。`,
      `### What is told · 会告诉您什么
A row or event without a readable date or time, or without a number that stands alone. An event with a time and no number is told too, so use a calendar that has only appointments. What was told is in \`sms_not_reminded\`.
看不懂的预约：没有日期、时间，或没有单独写出的手机号。有时间而没有号码的日程也算，所以请用只放预约的日历。告诉过的，记在表 \`sms_not_reminded\` 里。`,
    ],
  },
  lane(
    [],
    [
      every('Every hour', 1, 'hours'),
      fields('Zone and hours', { zone: 'Asia/Shanghai', from: '10', until: '21' }),
      // A zone or hours that there are not get through: the Code node says so.
      only(
        'By day',
        '={{ ((hour, from, until) => !(from < until && (hour < from || hour >= until)))($now.setZone($json.zone).hour, parseInt($json.from), parseInt($json.until)) }}',
      ),
      makeTable('Table of appointments', TABLE, ['phone', 'name', 'date', 'time']),
    ],
    ['By day', makeTable('Table of those not reminded', TOLD, ['appointment', 'status'])],
    [
      'By day',
      // All: a date that is written otherwise is found too.
      rows('Appointments', 'get', TABLE, { returnAll: true }, { once: true }),
      code('Appointments of tomorrow'),
      [
        sendTemplate('Remind', {
          to: '={{ $json.to }}',
          parameters: { name: '={{ $json.name }}', time: '={{ $json.time }}' },
          key: '=appointment-{{ $json.key }}',
        }),
        1,
      ],
      rows('Not told yet', 'rowNotExists', TOLD, {
        ...where({ appointment: '={{ $json.key }}', status: STATUS }),
      }),
      mail(
        'Not reminded',
        {
          subject: '=Not reminded: {{ $input.all().length }} for tomorrow',
          text: `={{ $input.all().map(({ json }) => ${LINE}).join('\\n') }}`,
        },
        { once: true },
      ),
    ],
    [
      'By day',
      base(
        'googleCalendar',
        'Events of tomorrow',
        {
          resource: 'event',
          operation: 'getAll',
          calendar: { __rl: true, mode: 'list', value: '' },
          returnAll: true,
          timeMin: `={{ ${TOMORROW}.toUTC().toISO() }}`,
          timeMax: `={{ ${TOMORROW}.plus({ days: 1 }).toUTC().toISO() }}`,
          options: {},
        },
        { needs: 'googleCalendarOAuth2Api', disabled: true },
      ),
      'Appointments of tomorrow',
    ],
    [
      'Not told yet',
      // Behind the mail, by its place: if the mail fails, the next hour tells it.
      rows('It is told', 'insert', TOLD, {
        columns: mapped({ appointment: '={{ $json.key }}', status: STATUS }),
        options: {},
      }),
    ],
  ),
);
