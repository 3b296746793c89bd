import {
  base,
  everyMinute,
  fields,
  lane,
  list,
  mail,
  only,
  OR_CALLED,
  PATIENTLY,
  shown,
  whenCalled,
  workflow,
} from '../parts';

/** How known statuses begin, most special first. */
const CAUSES = [
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
].map(([begins, cause, advice]) => ({ begins, cause, advice }));

const KNOWN = "$json.causes.find(({ begins }) => String($json.status ?? '').startsWith(begins))";

const REPORT = `\`\${$json.phone_number ?? 'A number that is not given'}: \${${KNOWN}?.cause ?? 'the cause is not known'} (\${${shown("$json.status ?? 'no status'")}} \${${shown('$json.status_desc')}}, batch \${$json.batch_id ?? 'not given'}). \${${KNOWN}?.advice ?? 'Ask your SMS provider what the status means.'}\``;

const REPORTS = "$input.all().filter(({ json }) => json.event === 'deliveryReport').length";
const LINES = "$input.all().map(({ json }) => json.line).join('\\n')";

export default workflow(
  {
    name: 'Not delivered → mail or chat',
    about: `## Not delivered → mail or chat
A mail when messages fail: which number, why, and what to do. Delivery reports come in pages, and a page gives one mail. While mail or chat is away, reports wait, and come again every 10 minutes at least.

短信没送达时发邮件：哪个号码、什么原因、怎么办。状态报告一页一页来，一页一封邮件。邮件或群消息发不出去时，状态报告不会丢，至少每 10 分钟再来一次。`,
    setUp: `### Set up here
- *New delivery reports*: your credential. An account has one trigger for reports.
- *Mail them*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- Or *Post to a chat*: activate it, and enter the address of a group robot of WeCom or DingTalk. A robot gets the first 600 characters.
### 设置
- *New delivery reports*：凭据。一个账号的状态报告只用一个触发器。
- *Mail them*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。
- 或启用 *Post to a chat*，填企业微信或钉钉群机器人的地址，只发前 600 字。`,
    more: [
      `### The causes are a table · 原因表
*Known causes* has beginnings of statuses, from public lists: feige.cn/dev8, mysubmail.com, and support.huaweicloud.com (page sms_05_0051). Your provider may use others: add them. Every status but DELIVRD counts as not delivered.
*Known causes* 里是状态码的开头，取自公开的列表。您的服务商可能用别的，请补上。除 DELIVRD 以外都算没送达。`,
    ],
  },
  lane(
    [['From another workflow', OR_CALLED]],
    [
      // A page whose mail does not go out comes again.
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
        line: `={{ $json.event === 'unreadable' ? 'The service sent this, which is no delivery report: ' + ${shown('$json.answer')}.slice(0, 2000) : ${REPORT} }}`,
      }),
      mail(
        'Mail them',
        {
          subject: `={{ ${REPORTS} ? ${REPORTS} + ' SMS not delivered' : 'SMS: an answer that is no delivery report' }}`,
          text: `={{ ${LINES} }}`,
        },
        { once: true, ...PATIENTLY },
      ),
    ],
    [
      'Cause and advice',
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
                value: `={{ { content: ${LINES}.replace(/^(.{600}).+$/s, '$1… (in all ' + ${REPORTS} + ' SMS not delivered)') } }}`,
              },
            ],
          },
          options: {},
        },
        { once: true, disabled: true, ...PATIENTLY },
      ),
      // A node that is not activated passes the lines on.
      only('Refused by the robot', "={{ !$json.line && String($json.errcode) !== '0' }}"),
      base('stopAndError', 'Say so', {
        errorMessage:
          '=The robot did not take the post: {{ $json.errcode ?? JSON.stringify($json) }} {{ $json.errmsg ?? "" }}',
      }),
    ],
    [whenCalled(), 'Not delivered'],
  ),
);
