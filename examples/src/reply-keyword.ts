import type { Template } from './build';
import {
  at,
  base,
  calledNote,
  cases,
  fields,
  mail,
  makeTable,
  mapped,
  note,
  onRecord,
  phoneOf,
  rows,
  says,
  sendTemplate,
  STOP_WORDS,
  whenCalled,
  where,
} from '../../builder/parts';

/** The desk's outbox asks the same table. */
const TABLE = 'sms_opt_outs';

const replies = onRecord('New replies', at(0), ['reply'], { repeatFailed: true });
const called = whenCalled(at(0, 2));

const table = makeTable('Table of opt-outs', at(1), TABLE, ['phone_number', 'word', 'since']);

const read = fields(
  'Read the reply',
  at(1, 2),
  {
    stop_words: STOP_WORDS,
    confirm_words: '1',
    cancel_words: '2',
    phone: `={{ ${phoneOf('$json')} }}`,
  },
  { keepsOthers: true },
);

/** Whether a reply with a number says one of these words. */
const isOneOf = (words: string) =>
  `={{ Boolean($json.phone) && ${says('$json.content', `$json.${words}`)} }}`;

const which = cases(
  'Which keyword?',
  at(2, 2),
  {
    'Opt out': isOneOf('stop_words'),
    Confirm: isOneOf('confirm_words'),
    Cancel: isOneOf('cancel_words'),
  },
  'Everything else',
);

const optOut = base('dataTable', 'Opt out', at(3, -1), {
  ...rows('upsert', TABLE),
  ...where({ phone_number: '={{ $json.phone }}' }),
  columns: mapped({
    phone_number: '={{ $json.phone }}',
    word: '={{ $json.content }}',
    since: '={{ $json.time_iso ?? $now.toUTC().toISO() }}',
  }),
  options: {},
});

const confirmed = fields('It is confirmed', at(3), { result: '确认' }, { keepsOthers: true });
const cancelled = fields('It is cancelled', at(3, 1), { result: '取消' }, { keepsOthers: true });

const mayGet = base('dataTable', 'Not opted out?', at(4), {
  ...rows('rowNotExists', TABLE),
  ...where({ phone_number: '={{ $json.phone }}' }),
});

const answer = sendTemplate('Answer', at(5), {
  to: '={{ $json.phone }}',
  parameters: { result: '={{ $json.result }}' },
  key: '=reply-{{ $json.phone }}-{{ $json.time }}-{{ $json.result }}',
});

const person = mail('To a person', at(6, 2), {
  subject: '=SMS from {{ $json.phone }}',
  text: `={{ $json.content ?? JSON.stringify($json.answer ?? $json) }}

From {{ $json.phone }}, {{ $json.time_iso ?? '' }}
{{ $json.details ? 'The answer was not sent (' + $json.details.status + '): ' + ($json.details.msg ?? $json.error) : 'It is no keyword, so nobody has answered it.' }}`,
});

const template: Template = {
  name: 'Reply by keyword',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      460,
      `## Reply by keyword
1 confirms, 2 cancels, TD opts out, and a person gets everything else by mail. Before each send, the data table \`sms_opt_outs\` is asked: who is in it gets no answer. If something fails, the replies come again with the next poll: a mail can come twice, an SMS cannot.
回复 1 确认，2 取消，TD 退订，其他内容用邮件转给人工。`,
    ),
    note(
      'set up',
      -80,
      { below: 640 },
      460,
      `### Set up here
- *Answer*: your credential, signature and template (您的预约已\${result}。). Then map its parameter to \`result\`.
- *To a person*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- *Read the reply*: the words. Add those that your messages announce, such as N. 取消 is none, because it may mean the appointment.
- Behind *It is confirmed* and *It is cancelled*: your own step, such as your calendar.`,
    ),
    note(
      'try',
      420,
      { below: 640 },
      460,
      `### Try it
Publish it, and answer one of your messages with 1.`,
    ),
    calledNote(),
  ],
  lines: [
    [replies, table],
    [replies, read],
    [called, table],
    [called, read],
    [read, which],
    [which, optOut, 0],
    [which, confirmed, 1],
    [which, cancelled, 2],
    [which, person, 3],
    [confirmed, mayGet],
    [cancelled, mayGet],
    [mayGet, answer],
    [answer, person, 1],
  ],
};

export default template;
