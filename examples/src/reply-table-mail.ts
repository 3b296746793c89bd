import type { Template } from './build';
import {
  at,
  base,
  calledNote,
  mail,
  makeTable,
  mapped,
  note,
  onRecord,
  rows,
  where,
  whenCalled,
} from './parts';

const TABLE = 'sms_replies';

const ROW = {
  phone_number: '={{ String($json.phone_number ?? $json.mobile) }}',
  content: "={{ String($json.content ?? '') }}",
  time: "={{ $json.time_iso ?? String($json.time ?? '') }}",
};

const replies = onRecord('New replies', at(0), ['reply']);
const called = whenCalled(at(0, 2));

const table = makeTable('Table of replies', at(1), TABLE, [...Object.keys(ROW), 'answers_to']);

// Upsert, so that a reply that comes twice is one row.
const store = base('dataTable', 'Store the reply', at(1, 2), {
  ...rows('upsert', TABLE),
  ...where(ROW),
  columns: mapped({ ...ROW, answers_to: "={{ String($json.sms_content ?? '') }}" }),
  options: {},
});

const send = mail('Mail it', at(2, 2), {
  subject: '=SMS from {{ $json.phone_number }}',
  text: `={{ $json.content }}

From {{ $json.phone_number }}, {{ $json.time }}
In answer to: {{ $json.answers_to || 'not known' }}`,
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
Each reply becomes a row of the data table \`sms_replies\`, which is made at the first reply, and a mail. It is stored before it is mailed.
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
    [store, send],
  ],
};

export default template;
