import { callOf } from '../../../builder/expression';
import {
  base,
  everyMinute,
  fields,
  lane,
  list,
  mail,
  num,
  only,
  OR_CALLED,
  PATIENTLY,
  whenCalled,
  workflow,
} from '../parts';
import type { Cause } from './line';

/** How known statuses begin, most special first. */
const CAUSES: Cause[] = [
  ['NOSEND', 'the message has no signature', 'Choose a signature that is approved.'],
  ['HIGRISK', 'the number is on a blacklist', 'Ask your SMS provider to take it off.'],
  ['BLACK', 'the number is on a blacklist', 'Ask your SMS provider to take it off.'],
  ['KEYWORD', 'a word of the text is blocked', 'Change the text.'],
  ['LIMIT', 'too many messages to this number', 'Wait until tomorrow.'],
  ['EXPIRED', 'the phone was off or out of reach for too long', 'Send again later.'],
  ['MK:', 'the number does not exist or is switched off', 'Ask the customer for the number.'],
  ['MN:', 'the number does not exist or is switched off', 'Ask the customer for the number.'],
  ['UNDELIV', 'the phone is off, or the number does not exist', 'Check the number first.'],
  ['REJECTD', 'the carrier rejected the message', 'Ask your SMS provider, with the batch.'],
].map(([begins = '', cause = '', advice = '']) => ({ begins, cause, advice }));

const ALL = "$('Cause and advice').all()";

export default workflow(
  {
    name: 'Not delivered → chat or mail',
    about: `## Not delivered → chat or mail
A post in a group chat when messages fail, or a mail: which number, why, and what to do. Delivery reports come in pages, and a page is told once.

短信没送达时发到群里，或发邮件：哪个号码、什么原因、怎么办。状态报告一页一页来，一页通知一次。`,
    setUp: `### Set up here
- *New delivery reports*: your credential. An account has one trigger for reports.
- *Mail them*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- To a chat first? Activate *Post to a chat*, and enter the address of a group robot of WeCom or DingTalk. It gets 600 characters; more goes by mail, too.
### 设置
- *New delivery reports*：凭据。一个账号的状态报告只用一个触发器。
- *Mail them*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。
- 想先发到群里：启用 *Post to a chat*，填企业微信或钉钉群机器人的地址，只发前 600 字，更长的再发邮件。`,
    more: [
      `### The causes are a table · 原因表
*Known causes* has beginnings of statuses, from public lists: feige.cn/dev8, mysubmail.com, and support.huaweicloud.com (page sms_05_0051). Your provider may use others: add them. Every status but DELIVRD counts as not delivered.
*Known causes* 里是状态码的开头，取自公开的列表。您的服务商可能用别的，请补上。除 DELIVRD 以外都算没送达。`,
      `### If it cannot be told · 通知不出去时
What the robot does not take goes by mail. If the mail fails too, the reports come again, then each alone: a report can be told twice, and holds up no other.
机器人没收的发邮件。邮件也发不出去时，状态报告会再来，之后一条一条来：可能通知两次，但不会挡住别的。`,
    ],
  },
  lane(
    [['From another workflow', OR_CALLED]],
    [
      everyMinute('New delivery reports', ['deliveryReport'], { repeatFailed: true }),
      only(
        'Not delivered',
        "={{ $json.event === 'unreadable' || ($json.event === 'deliveryReport' && $json.status !== 'DELIVRD') }}",
      ),
      fields(
        'Known causes',
        { causes: list(`={{ ${JSON.stringify(CAUSES)} }}`) },
        { keepsOthers: true },
      ),
      fields('Cause and advice', {
        event: '={{ $json.event }}',
        line: `={{ ${callOf('examples/src/not-delivered/line', 'lineOf', '$json', '$json.causes')} }}`,
      }),
      fields(
        'One message',
        {
          failed: num(`={{ ${ALL}.filter(({ json }) => json.event === 'deliveryReport').length }}`),
          lines: `={{ ${ALL}.map(({ json }) => json.line).join('\\n') }}`,
        },
        { once: true },
      ),
      // A robot takes some 2,000 bytes, and answers a refusal with HTTP 200.
      base(
        'httpRequest',
        'Post to a chat',
        {
          method: 'POST',
          url: '',
          sendBody: true,
          bodyParameters: {
            parameters: [
              { name: 'msgtype', value: 'text' },
              {
                name: 'text',
                value:
                  "={{ { content: $json.lines.replace(/^(.{600}).+$/s, '$1… (in all ' + $json.failed + ' SMS not delivered: all are in a mail)') } }}",
              },
            ],
          },
          options: {},
        },
        { disabled: true, goOn: true, ...PATIENTLY },
      ),
      // A node that is not activated passes its item on.
      only(
        'Not in the chat',
        "={{ String($json.errcode) !== '0' || $('One message').first().json.lines.length > 600 }}",
      ),
      mail(
        'Mail them',
        {
          subject:
            "={{ $('One message').first().json.failed ? $('One message').first().json.failed + ' SMS not delivered' : 'SMS: an answer that is no delivery report' }}",
          text: "={{ $('One message').first().json.lines }}{{ $json.lines === undefined && String($json.errcode) !== '0' ? '\\n\\nThe chat did not take it: ' + JSON.stringify($json) : '' }}",
        },
        { once: true, ...PATIENTLY },
      ),
    ],
    [whenCalled(), 'Not delivered'],
  ),
);
