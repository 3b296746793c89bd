import type { Template } from './build';
import { bundle } from '../../builder/bundle';
import {
  at,
  base,
  fields,
  mail,
  makeTable,
  mapped,
  needs,
  note,
  only,
  rows,
  sendTemplate,
  where,
} from '../../builder/parts';

const TABLE = 'sms_appointments';
const TOLD = 'sms_not_reminded';

const hourly = base('scheduleTrigger', 'Every hour', at(0), {
  rule: { interval: [{ field: 'hours', hoursInterval: 1 }] },
});

const zone = fields('Zone and hours', at(1), { zone: 'Asia/Shanghai', from: '10', until: '21' });

// A zone or hours that there are not get through: the Code node says so.
const byDay = only(
  'By day',
  at(2),
  '={{ ((hour, from, until) => !(from < until && (hour < from || hour >= until)))($now.setZone($json.zone).hour, parseInt($json.from), parseInt($json.until)) }}',
);

const table = makeTable('Table of appointments', at(3, -2), TABLE, [
  'phone',
  'name',
  'date',
  'time',
]);

const toldTable = makeTable('Table of those not reminded', at(3, -1), TOLD, [
  'appointment',
  'status',
]);

// All: a date that is written otherwise is found too.
const appointments = base(
  'dataTable',
  'Appointments',
  at(3),
  { ...rows('get', TABLE), returnAll: true },
  { executeOnce: true },
);

const TOMORROW = "$now.setZone($json.zone).plus({ days: 1 }).startOf('day')";

const events = base(
  'googleCalendar',
  'Events of tomorrow',
  at(3, 1),
  {
    resource: 'event',
    operation: 'getAll',
    calendar: { __rl: true, mode: 'list', value: '' },
    returnAll: true,
    timeMin: `={{ ${TOMORROW}.toUTC().toISO() }}`,
    timeMax: `={{ ${TOMORROW}.plus({ days: 1 }).toUTC().toISO() }}`,
    options: {},
  },
  { credentials: needs('googleCalendarOAuth2Api'), disabled: true },
);

const [jsCode] = bundle(['examples/src/appointment-reminder/appointments-of-tomorrow.ts']).values();
const tomorrow = base('code', 'Appointments of tomorrow', at(4), { jsCode });

const send = sendTemplate('Remind', at(5), {
  to: '={{ $json.to }}',
  parameters: { name: '={{ $json.name }}', time: '={{ $json.time }}' },
  key: '=appointment-{{ $json.key }}',
});

const STATUS = "={{ $json.problem || $json.details?.status || 'not sent' }}";

const news = base('dataTable', 'Not told yet', at(6, 1), {
  ...rows('rowNotExists', TOLD),
  ...where({ appointment: '={{ $json.key }}', status: STATUS }),
});

const LINE =
  "`${json.phone || 'No number'}: ${json.name}, ${json.date} ${json.time}: ${json.problem || (json.details?.status ?? 'not sent') + ', ' + (json.details?.msg || json.error)}`";

const tell = mail(
  'Not reminded',
  at(7, 1),
  {
    subject: '=Not reminded: {{ $input.all().length }} for tomorrow',
    text: `={{ $input.all().map(({ json }) => ${LINE}).join('\\n') }}`,
  },
  { executeOnce: true },
);

// Behind the mail, by its place: if the mail fails, the next hour tells it.
const remember = base('dataTable', 'It is told', at(7, 2), {
  ...rows('insert', TOLD),
  columns: mapped({ appointment: '={{ $json.key }}', status: STATUS }),
  options: {},
});

const template: Template = {
  name: 'Appointment tomorrow → reminder',
  notes: [
    note(
      'about',
      -80,
      { above: -440 },
      460,
      `## Appointment tomorrow → reminder
From ten on, an SMS to everybody who has an appointment tomorrow, once each. Nothing is sent at night. Who cannot be reminded is told to you by mail, once each.
十点起提醒明天有预约的客户，每个预约一条，夜间不发；没法提醒的，邮件告诉你。`,
    ),
    note(
      'set up',
      1020,
      { above: -30 },
      600,
      `### Set up here
- *Remind*: your credential, signature and template (\${name}您好，提醒您明天\${time}的预约。). Then map its parameters to \`name\` and \`time\`.
- Appointments: rows of the data table \`sms_appointments\`, which the first run makes: \`phone\`, \`name\`, \`date\` (2026-06-03 or 2026/6/3), \`time\`. Or activate *Events of tomorrow* and choose a calendar. Each mobile number in the description of an event gets the SMS.
- *Not reminded*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.`,
    ),
    note(
      'more',
      -80,
      { below: 180 },
      460,
      `### The hours
They are in *Zone and hours*, as is the time zone. It looks every hour: so a later appointment is reminded too, and all of them if n8n was down at ten.`,
    ),
    note(
      'called',
      -80,
      { below: 400 },
      460,
      `### What is told
A row or event that cannot be read: no date or time, or no number that stands alone. An event without a number is told if it has a time: so take a calendar that has only appointments. What was told is in \`sms_not_reminded\`. A conversation about another time is for the desk.`,
      'Told',
    ),
  ],
  lines: [
    [hourly, zone],
    [zone, byDay],
    [byDay, table],
    [byDay, toldTable],
    [byDay, appointments],
    [byDay, events],
    [appointments, tomorrow],
    [events, tomorrow],
    [tomorrow, send],
    [send, news, 1],
    [news, tell],
    [news, remember],
  ],
};

export default template;
