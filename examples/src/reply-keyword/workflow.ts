import { callOf } from '../../../builder/expression';
import {
  choose,
  everyMinute,
  fields,
  lane,
  mail,
  makeOptOuts,
  obj,
  ONE_BY_ONE,
  optOut,
  OR_CALLED,
  readReplies,
  rowsOfNumber,
  sendTemplate,
  whenCalled,
  workflow,
} from '../parts';

const does = (what: string) => `={{ $json.decision.does === '${what}' }}`;

export default workflow(
  {
    name: 'Reply by keyword',
    about: `## Reply by keyword
1 confirms, 2 cancels, TD opts out, and a person gets everything else by mail. Who has opted out gets no answer. Of several keywords of a number to one SMS at once, the last counts.

回复 1 确认，2 取消，TD 退订，其余用邮件转人工。退订的不再回复；同一号码对一条短信一次回了几条，以最后一条为准。`,
    setUp: `### Set up here
- *Read the reply*: \`question\` is a part of the SMS that asks. A keyword that answers another SMS goes to a person. Add the words that your messages announce, such as N, to \`stop_words\`.
- *Answer*: your credential, signature and template (您的预约已\${result}。). Then map its parameter to \`result\`.
- *To a person*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- Behind *It is confirmed* and *It is cancelled*: your own step, such as your calendar.
### 设置
- *Read the reply*：\`question\` 填提问短信里的一段原文，对别的短信回复的 1、2 转人工。短信里写了“回复 N 退订”的，把 N 加到 \`stop_words\`。
- *Answer*：凭据、签名、模板（如“您的预约已\${result}。”），再把变量映射到 \`result\`。
- *To a person*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。
- *It is confirmed* 和 *It is cancelled* 后面接您自己的步骤。`,
    tryIt: `### Try it · 试一下
Publish it, and answer your question with 1. *Execute workflow* is no rehearsal: its sample, STOP of 13800138000, goes on the list.
发布后，对您的提问短信回复 1。*Execute workflow* 会真的执行：样例是 13800138000 回复的 STOP，这个号码会进退订名单，请删掉那一行。`,
    more: [
      `### What is no clear opt-out · 说得不清楚的
“TD 张三” or 投诉 may be an opt-out. The number stands in \`sms_opt_outs\` until a person has decided, who deletes the row if it is none. 取消 is no opt-out: it may mean the appointment.
“TD 张三”、投诉之类先记入名单 \`sms_opt_outs\`，再转人工；不是退订的，由人工删掉那一行。“取消”不算退订，因为可能指预约。`,
      `### If something fails · 出错时
The replies come again, each alone, and what fails holds up no other. A mail can come twice, an SMS cannot.
上行一条一条再来，失败的不会挡住别的。邮件可能重复，短信不会。`,
    ],
  },
  lane(
    [['From another workflow', OR_CALLED]],
    [everyMinute('New replies', ['reply'], { repeatFailed: true }), makeOptOuts()],
    [
      'New replies',
      readReplies({ question: '确认请回复1', confirm_words: '1', cancel_words: '2' }),
      rowsOfNumber(),
    ],
    [
      'Read the reply',
      fields(
        'What becomes of it',
        {
          decision: obj(
            `={{ ${callOf(
              'examples/src/reply-keyword/decision',
              'decide',
              '$input.all().map(({ json }) => json)',
              '$itemIndex',
              "$('On the opt-out list?').all().map(({ json }) => json.phone_number)",
              'Date.now()',
            )} }}`,
          ),
        },
        { keepsOthers: true },
      ),
      choose(
        'What is to be done?',
        {
          'Opt out': does('stop'),
          'A person decides': does('doubt'),
          Confirm: does('confirm'),
          Cancel: does('cancel'),
          Nothing: does('nothing'),
        },
        'A person',
      ),
      optOut(),
    ],
    [['What is to be done?', 1], 'Opt out'],
    [
      ['What is to be done?', 2],
      fields('It is confirmed', { result: '确认' }, { keepsOthers: true }),
      [
        sendTemplate('Answer', {
          to: '={{ $json.phone }}',
          parameters: { result: '={{ $json.result }}' },
          // One answer for a number, SMS and page: its records may come again, each alone.
          key: "=reply-{{ $json.phone }}-{{ ($json.page_id ?? $json.time_iso).split('/')[0] }}-{{ $json.sms_content }}",
          more: { maxPerNumberAndDay: 5 },
        }),
        1,
      ],
      mail(
        'To a person',
        {
          subject: '=SMS from {{ $json.phone }}',
          text: `={{ $json.content ?? JSON.stringify($json.answer ?? $json) }}

From {{ $json.phone }}, {{ $json.time_iso ?? '' }}
{{ $json.details ? 'The answer was not confirmed (' + $json.details.status + '): ' + ($json.details.msg ?? $json.error) : $json.decision.why }}`,
        },
        ONE_BY_ONE,
      ),
    ],
    [
      ['What is to be done?', 3],
      fields('It is cancelled', { result: '取消' }, { keepsOthers: true }),
      'Answer',
    ],
    [['What is to be done?', 1], 'To a person'],
    [['What is to be done?', 5], 'To a person'],
    [whenCalled(), 'Table of opt-outs'],
    ['From another workflow', 'Read the reply'],
  ),
);
