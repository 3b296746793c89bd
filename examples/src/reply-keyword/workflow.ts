import {
  choose,
  everyMinute,
  fields,
  lane,
  mail,
  ONE_BY_ONE,
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
  workflow,
} from '../parts';

/** The desk's outbox asks the same table. */
const TABLE = 'sms_opt_outs';

/** Whether a reply with a number says one of these words. */
const isOneOf = (words: string) =>
  `={{ Boolean($json.phone) && ${says('$json.content', `$json.${words}`)} }}`;

export default workflow(
  {
    name: 'Reply by keyword',
    about: `## Reply by keyword
1 confirms, 2 cancels, TD opts out, and a person gets everything else by mail. Before each send it looks into the data table \`sms_opt_outs\`: a number in it gets no answer. If something fails, the replies come again, each alone, and what fails holds up no other: a mail can come twice, an SMS cannot.

回复 1 确认，2 取消，TD 退订，其余用邮件转人工。每次发送前先查退订名单 \`sms_opt_outs\`，在名单里的不回复。出错时上行一条一条再来，失败的不会挡住别的：邮件可能重复，短信不会。`,
    setUp: `### Set up here
- *Answer*: your credential, signature and template (您的预约已\${result}。). Then map its parameter to \`result\`.
- *To a person*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- *Read the reply*: the words. Add those that your messages announce, such as N. 取消 is not one of them: it may mean the appointment.
- Behind *It is confirmed* and *It is cancelled*: your own step, such as your calendar.
### 设置
- *Answer*：凭据、签名、模板（如“您的预约已\${result}。”），再把变量映射到 \`result\`。
- *To a person*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。
- *Read the reply*：关键词。短信里写了“回复 N 退订”的，加上 N。“取消”不算退订，因为可能指预约。
- *It is confirmed* 和 *It is cancelled* 后面接您自己的步骤。`,
    tryIt: `### Try it · 试一下
Publish it, and answer one of your messages with 1. *Execute workflow* is no rehearsal: its sample, STOP of 13800138000, goes on the list.
发布后，对您发出的一条短信回复 1。*Execute workflow* 会真的执行：样例是 13800138000 回复的 STOP，这个号码会进退订名单，请删掉那一行。`,
  },
  lane(
    [['From another workflow', OR_CALLED]],
    [
      everyMinute('New replies', ['reply'], { repeatFailed: true }),
      makeTable('Table of opt-outs', TABLE, ['phone_number', 'word', 'since']),
    ],
    [
      'New replies',
      fields(
        'Read the reply',
        {
          stop_words: STOP_WORDS,
          confirm_words: '1',
          cancel_words: '2',
          phone: `={{ ${phoneOf('$json')} }}`,
        },
        { keepsOthers: true },
      ),
      choose(
        'Which keyword?',
        {
          'Opt out': isOneOf('stop_words'),
          Confirm: isOneOf('confirm_words'),
          Cancel: isOneOf('cancel_words'),
        },
        'Everything else',
      ),
      rows('Opt out', 'upsert', TABLE, {
        ...where({ phone_number: '={{ $json.phone }}' }),
        columns: mapped({
          phone_number: '={{ $json.phone }}',
          word: '={{ $json.content }}',
          since: '={{ $json.time_iso ?? $now.toUTC().toISO() }}',
        }),
        options: {},
      }),
    ],
    [
      ['Which keyword?', 1],
      fields('It is confirmed', { result: '确认' }, { keepsOthers: true }),
      rows('Not opted out?', 'rowNotExists', TABLE, {
        ...where({ phone_number: '={{ $json.phone }}' }),
      }),
      [
        sendTemplate('Answer', {
          to: '={{ $json.phone }}',
          parameters: { result: '={{ $json.result }}' },
          key: '=reply-{{ $json.phone }}-{{ $json.time }}-{{ $json.result }}',
        }),
        1,
      ],
      mail(
        'To a person',
        {
          subject: '=SMS from {{ $json.phone }}',
          text: `={{ $json.content ?? JSON.stringify($json.answer ?? $json) }}

From {{ $json.phone }}, {{ $json.time_iso ?? '' }}
{{ $json.details ? 'The answer was not sent (' + $json.details.status + '): ' + ($json.details.msg ?? $json.error) : 'It is no keyword, so nobody has answered it.' }}`,
        },
        ONE_BY_ONE,
      ),
    ],
    [
      ['Which keyword?', 2],
      fields('It is cancelled', { result: '取消' }, { keepsOthers: true }),
      'Not opted out?',
    ],
    [['Which keyword?', 3], 'To a person'],
    [whenCalled(), 'Table of opt-outs'],
    ['From another workflow', 'Read the reply'],
  ),
);
