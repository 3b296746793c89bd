import type { Template } from './build';
import {
  at,
  base,
  fields,
  mail,
  makeTable,
  needs,
  note,
  only,
  rows,
  sendTemplate,
  where,
} from './parts';

const TABLE = 'sms_appointments';
const TOMORROW = '={{ $now.plus({ days: 1 }).toISODate() }}';

const daily = base('scheduleTrigger', 'Every day at ten', at(0), {
  rule: { interval: [{ triggerAtHour: 10 }] },
});

const table = makeTable('Table of appointments', at(1, -1), TABLE, [
  'phone',
  'name',
  'date',
  'time',
]);

const appointments = base('dataTable', 'Appointments of tomorrow', at(1), {
  ...rows('get', TABLE),
  ...where({ date: TOMORROW }),
  returnAll: true,
});

const events = base(
  'googleCalendar',
  'Events of tomorrow',
  at(1, 1),
  {
    resource: 'event',
    operation: 'getAll',
    calendar: { __rl: true, mode: 'list', value: '' },
    returnAll: true,
    timeMin: "={{ $now.plus({ days: 1 }).startOf('day') }}",
    timeMax: "={{ $now.plus({ days: 1 }).endOf('day') }}",
    options: {},
  },
  { credentials: needs('googleCalendarOAuth2Api'), disabled: true },
);

const event = fields('Appointment of the event', at(2, 1), {
  phone: "={{ (String($json.description ?? '').match(/1[3-9]\\d{9}/) ?? [''])[0] }}",
  name: "={{ $json.summary ?? '' }}",
  date: TOMORROW,
  time: "={{ ($json.start?.dateTime ?? '').slice(11, 16) }}",
});

const byDay = only(
  'With a phone, by day',
  at(3),
  '={{ Boolean($json.phone) && $now.hour >= 8 && $now.hour < 21 }}',
);

const send = sendTemplate('Remind', at(4), {
  to: '={{ $json.phone }}',
  parameters: { name: '={{ $json.name }}', time: '={{ $json.time }}' },
  key: '=appointment-{{ $json.date }}-{{ $json.time }}-{{ $json.phone }}',
});

const tell = mail('Not reminded', at(5, 1), {
  subject: '=Not reminded: {{ $json.name }}, {{ $json.time }}',
  text: '={{ $json.phone }}: {{ $json.details.status }}, {{ $json.details.msg ?? $json.error }}',
});

const template: Template = {
  name: 'Appointment tomorrow → reminder',
  notes: [
    note(
      'about',
      -80,
      { above: -240 },
      460,
      `## Appointment tomorrow → reminder
Every day at ten, an SMS to everybody who has an appointment tomorrow, once each. Nothing is sent before 8 and from 21 on, also when somebody runs it by hand.
每天十点提醒明天有预约的客户，每个预约一条，夜间不发。`,
    ),
    note(
      'set up',
      420,
      { above: -30 },
      600,
      `### Set up here
- *Remind*: your credential, signature and template (\${name}您好，提醒您明天\${time}的预约。). Then map its parameters to \`name\` and \`time\`.
- Appointments: rows of the data table \`sms_appointments\`, which the first run makes: \`phone\`, \`name\`, \`date\` (2026-06-03), \`time\`. Or activate *Events of tomorrow* and choose a calendar; the number stands in the description.
- *Not reminded*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.`,
    ),
    note(
      'more',
      -80,
      { above: -30 },
      230,
      `### The hour
It is in *Every day at ten*.`,
    ),
  ],
  lines: [
    [daily, table],
    [daily, appointments],
    [daily, events],
    [events, event],
    [appointments, byDay],
    [event, byDay],
    [byDay, send],
    [send, tell, 1],
  ],
};

export default template;
