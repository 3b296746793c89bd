import {
  choose,
  everyMinute,
  fields,
  lane,
  mail,
  makeTable,
  mapped,
  OR_CALLED,
  phoneOf,
  rows,
  says,
  sendTemplate,
  STOP_WORDS,
  whenCalled,
  where,
} from '../parts';
import type { Workflow } from '../parts';

/** The desk's outbox asks the same table. */
const TABLE = 'sms_opt_outs';

const replies = everyMinute('New replies', ['reply'], { repeatFailed: true });
const called = whenCalled();

const table = makeTable('Table of opt-outs', TABLE, ['phone_number', 'word', 'since']);

const read = fields(
  'Read the reply',
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

const which = choose(
  'Which keyword?',
  {
    'Opt out': isOneOf('stop_words'),
    Confirm: isOneOf('confirm_words'),
    Cancel: isOneOf('cancel_words'),
  },
  'Everything else',
);

const optOut = rows('Opt out', 'upsert', TABLE, {
  ...where({ phone_number: '={{ $json.phone }}' }),
  columns: mapped({
    phone_number: '={{ $json.phone }}',
    word: '={{ $json.content }}',
    since: '={{ $json.time_iso ?? $now.toUTC().toISO() }}',
  }),
  options: {},
});

const confirmed = fields('It is confirmed', { result: '确认' }, { keepsOthers: true });
const cancelled = fields('It is cancelled', { result: '取消' }, { keepsOthers: true });

const mayGet = rows('Not opted out?', 'rowNotExists', TABLE, {
  ...where({ phone_number: '={{ $json.phone }}' }),
});

const answer = sendTemplate('Answer', {
  to: '={{ $json.phone }}',
  parameters: { result: '={{ $json.result }}' },
  key: '=reply-{{ $json.phone }}-{{ $json.time }}-{{ $json.result }}',
});

const person = mail('To a person', {
  subject: '=SMS from {{ $json.phone }}',
  text: `={{ $json.content ?? JSON.stringify($json.answer ?? $json) }}

From {{ $json.phone }}, {{ $json.time_iso ?? '' }}
{{ $json.details ? 'The answer was not sent (' + $json.details.status + '): ' + ($json.details.msg ?? $json.error) : 'It is no keyword, so nobody has answered it.' }}`,
});

const workflow: Workflow = {
  name: 'Reply by keyword',
  about: `## Reply by keyword
1 confirms, 2 cancels, TD opts out, and a person gets everything else by mail. Before each send, the data table \`sms_opt_outs\` is asked: who is in it gets no answer. If something fails, the replies come again with the next poll: a mail can come twice, an SMS cannot.
回复 1 确认，2 取消，TD 退订，其他内容用邮件转给人工。`,
  setUp: `### Set up here
- *Answer*: your credential, signature and template (您的预约已\${result}。). Then map its parameter to \`result\`.
- *To a person*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- *Read the reply*: the words. Add those that your messages announce, such as N. 取消 is none, because it may mean the appointment.
- Behind *It is confirmed* and *It is cancelled*: your own step, such as your calendar.`,
  tryIt: `### Try it
Publish it, and answer one of your messages with 1.`,
  lanes: [
    lane(
      [[called, OR_CALLED]],
      [replies, table],
      [replies, read, which, optOut],
      [[which, 1], confirmed, mayGet, [answer, 1], person],
      [[which, 2], cancelled, mayGet],
      [[which, 3], person],
      [called, table],
      [called, read],
    ),
  ],
};

export default workflow;
