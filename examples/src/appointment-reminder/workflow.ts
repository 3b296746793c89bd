import {
  base,
  code,
  every,
  fields,
  lane,
  mail,
  makeTable,
  mapped,
  rows,
  sendTemplate,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_appointments';
const TOLD = 'sms_not_reminded';

const MIDNIGHT = "$now.setZone($json.zone).startOf('day')";

const STATUS = "={{ $json.problem || $json.details?.status || 'not sent' }}";

const LINE =
  "`${json.line}: ${json.problem || (json.details?.status ?? 'not sent') + ', ' + (json.details?.msg || json.error)}`";

export default workflow(
  {
    name: 'Appointment tomorrow → reminder',
    about: `## Appointment tomorrow → reminder
From ten to nine in the evening, an SMS to everybody who has an appointment tomorrow, once each. Who cannot be reminded is told to you by mail, once each.

上午十点到晚上九点，给明天有预约的客户发短信，每个预约一条。没法提醒的，用邮件告诉您，各一次。`,
    setUp: `### Set up here
- *Remind*: your credential, signature and template (\${name}您好，提醒您明天\${time}的预约。). Then map its parameters to \`name\` and \`time\`.
- Appointments: rows of the data table \`sms_appointments\`, which the first run makes: \`phone\`, \`name\`, \`date\` (2026-06-03 or 2026/6/3), \`time\` (15:00). Or activate *Events* and choose a calendar: the title of an event is the name, and the one mobile number in its description gets the SMS: alone between commas or in its line, or beside the name, and not behind the name of another number (订单号); or right behind a word for phone, such as *tel* or 预留电话.
- *Not reminded*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
### 设置
- *Remind*：凭据、签名、模板，再把变量映射到 \`name\` 和 \`time\`。
- 预约写在数据表 \`sms_appointments\` 里（第一次运行时建）：\`phone\`、\`name\`、\`date\`（2026-06-03 或 2026/6/3）、\`time\`（15:00）。或启用 *Events* 并选日历：日程的标题是姓名，发给说明里唯一的手机号：单独一行（或用逗号隔开），或紧挨姓名，前面不是“订单号”之类的；或写在“电话”“预留手机”之类的后面。
- *Not reminded*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。`,
    more: [
      `### The hours · 时段
They are in *Zone and hours*, as is the time zone. It looks every hour, so it also reminds of appointments that are entered later in the day, and of all if n8n was down at ten.
时段和时区在 *Zone and hours* 里。每小时看一次，当天后来加的预约也会提醒。`,
      `### What is told · 会告诉您什么
An appointment whose date, time or number cannot be read, that says 取消, 推迟 or the like in its name or description, other than how to do so, that somebody has declined, or whose status is not confirmed; and, until it begins, one that was entered or changed after the last look. What was changed may have been reminded before. An event with a time and no number is told too, so use a calendar that has only appointments. What was told is in \`sms_not_reminded\`.
看不懂日期、时间或号码的，姓名或说明里写着“取消”“推迟”之类的（怎么取消的说明不算），有人拒绝的，状态不是“确认”的；最后一次看之后才加或才改、还没开始的，改过的可能已提醒过。有时间而没有号码的日程也算，所以请用只放预约的日历。告诉过的，记在表 \`sms_not_reminded\` 里。`,
      `### Invitations · 邀请
Anybody can send one into your calendar. It counts once you have accepted it, and has one number, as your own events do. Who sent it can still change it: a number gets 5 reminders in a day at most.
谁都能往您的日历里发邀请。您接受了才算，也只发一个号码。发邀请的人之后还能改它：一个号码一天最多 5 条。`,
    ],
  },
  lane(
    [],
    [
      every('Every hour', 1, 'hours'),
      fields('Zone and hours', { zone: 'Asia/Shanghai', from: '10', until: '21' }),
      makeTable('Table of appointments', TABLE, ['phone', 'name', 'date', 'time']),
    ],
    ['Zone and hours', makeTable('Table of those not reminded', TOLD, ['appointment', 'status'])],
    [
      'Zone and hours',
      // All: a date that is written otherwise is found too.
      rows('Appointments', 'get', TABLE, { returnAll: true }, { once: true }),
      code('Appointments of tomorrow'),
      [
        sendTemplate('Remind', {
          to: '={{ $json.to }}',
          parameters: { name: '={{ $json.name }}', time: '={{ $json.time }}' },
          key: '=appointment-{{ $json.key }}',
          more: { maxPerNumberAndDay: 5 },
        }),
        1,
      ],
      rows('Not told yet', 'rowNotExists', TOLD, {
        ...where({ appointment: '={{ $json.key }}', status: STATUS }),
      }),
      mail(
        'Not reminded',
        {
          subject: '=Not reminded, or not surely: {{ $input.all().length }}',
          text: `={{ $input.all().map(({ json }) => ${LINE}).join('\\n') }}`,
        },
        { once: true },
      ),
    ],
    [
      'Zone and hours',
      base(
        'googleCalendar',
        'Events',
        {
          resource: 'event',
          operation: 'getAll',
          calendar: { __rl: true, mode: 'list', value: '' },
          returnAll: true,
          timeMin: `={{ ${MIDNIGHT}.toUTC().toISO() }}`,
          timeMax: `={{ ${MIDNIGHT}.plus({ days: 2 }).toUTC().toISO() }}`,
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
