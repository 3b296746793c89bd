import type { Template } from './build';
import {
  at,
  base,
  calledNote,
  mail,
  makeTable,
  mapped,
  note,
  only,
  onRecord,
  rows,
  shown,
  where,
  PATIENTLY,
  whenCalled,
} from '../../builder/parts';

const TABLE = 'sms_replies';

/** What cannot be read as a reply is stored and mailed as it came. */
const ROW = {
  phone_number: `={{ ${shown('($json.phone_number || $json.mobile)')} }}`,
  content: `={{ ${shown('($json.content ?? $json.answer)')} }}`,
  time: `={{ ${shown('($json.time_iso ?? $json.time)')} }}`,
};

const replies = onRecord('New replies', at(0), ['reply']);
const called = whenCalled(at(0, 2));
const often = base('scheduleTrigger', 'Every 15 minutes', at(0, 3), {
  rule: { interval: [{ field: 'minutes', minutesInterval: 15 }] },
});

const columns = [...Object.keys(ROW), 'answers_to', 'mailed'];
const table = makeTable('Table of replies', at(1), TABLE, columns);

// Upsert, so that a reply that comes twice is one row.
const store = base(
  'dataTable',
  'Store the reply',
  at(1, 2),
  {
    ...rows('upsert', TABLE),
    ...where(ROW),
    columns: mapped({ ...ROW, answers_to: `={{ ${shown('$json.sms_content')} }}` }),
    options: {},
  },
  { retryOnFail: true, ...PATIENTLY },
);

// Younger ones are another execution's. What no mail server takes in a day is given up.
const due = base('dataTable', 'Replies of today', at(1, 3), {
  ...rows('get', TABLE),
  matchType: 'allConditions',
  filters: {
    conditions: [
      ['lt', '{ minutes: 15 }'],
      ['gt', '{ days: 1 }'],
    ].map(([condition, ago]) => ({
      keyName: 'createdAt',
      condition,
      keyValue: `={{ $now.minus(${ago}).toUTC().toISO() }}`,
    })),
  },
  returnAll: true,
});

const news = only('Not mailed yet', at(2, 2), '={{ !$json.mailed }}');

const send = mail(
  'Mail it',
  at(3, 2),
  {
    subject: "=SMS from {{ $json.phone_number || 'a number that is not given' }}",
    text: `={{ $json.content }}

From {{ $json.phone_number || 'a number that is not given' }}, {{ $json.time }}
In answer to: {{ $json.answers_to || 'not known' }}`,
  },
  { waitBetweenTries: 5000, onError: 'continueErrorOutput' },
);

const mailed = base('dataTable', 'Mailed', at(4, 2), {
  ...rows('update', TABLE),
  ...where({ id: "={{ $('Not mailed yet').item.json.id }}" }),
  columns: mapped({ mailed: '={{ $now.toUTC().toISO() }}' }),
  options: {},
});

const stop = base('stopAndError', 'Say so', at(4, 3), {
  errorMessage:
    '={{ $input.all().length }} replies are in the table and not mailed: {{ $json.error }}',
});

const template: Template = {
  name: 'Reply → table and mail',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      480,
      `## Reply → table and mail
Each reply becomes a row of the data table \`sms_replies\`, which is made at the first reply, and a mail. It is stored before it is mailed. What was not mailed is tried every 15 minutes, for a day.
每条上行回复存入数据表 sms_replies，并发一封邮件。`,
    ),
    note(
      'set up',
      420,
      { above: -30 },
      400,
      `### Set up here
- *New replies*: your credential. An account has one trigger for replies.
- *Mail it*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other. Without mail, delete *Mail it*.`,
    ),
    note(
      'try',
      420,
      { below: 40 },
      400,
      `### Try it
**Execute workflow** stores a sample reply, and mails it. Publish to get real ones, every minute.`,
    ),
    calledNote(),
  ],
  lines: [
    [replies, table],
    [replies, store],
    [called, table],
    [called, store],
    [often, table],
    [often, due],
    [store, news],
    [due, news],
    [news, send],
    [send, mailed],
    [send, stop, 1],
  ],
};

export default template;
