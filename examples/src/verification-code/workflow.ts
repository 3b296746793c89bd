import {
  base,
  code,
  fields,
  lane,
  makeTable,
  mapped,
  mobileOf,
  posted,
  rows,
  sendTemplate,
  when,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_login_codes';
const COLUMNS = ['phone', 'kind', 'hash', 'at'];

export default workflow(
  {
    name: 'Verification code',
    about: `## Verification code
Your backend asks for a code for a phone number, and later whether what was entered is right. A code is valid once, for 5 minutes. A number gets one in 60 seconds and 10 in a day, and has 5 tries in 5 minutes.

您的后台先要求给某个号码发验证码，再来问用户填得对不对。5 分钟有效，用一次即失效；同一号码 60 秒一条、每天 10 条，5 分钟内最多试 5 次。`,
    setUp: `### Set up here
- *The backend asks*: a Header Auth credential.
- *Hash*: a Crypto credential, with a long random **Hmac Secret**.
- *Send the code*: your credential, signature and template. Then map its parameters to \`code\` and \`5\`.
- Menu → *Settings*: *Save failed production executions* and *Save successful production executions* to *Do not save*. n8n's menu does not import the settings of a file.
### 设置
- *The backend asks*：Header Auth 凭据。
- *Hash*：Crypto 凭据，**Hmac Secret** 用长的随机文本。
- *Send the code*：凭据、签名、模板，再把变量映射到 \`code\` 和 \`5\`。
- 菜单 → *Settings*：两项 *Save … production executions* 都设为 *Do not save*，因为从菜单导入不带设置。`,
    tryIt: `### Try it · 试一下
Publish it. Post to the **Production URL** of *The backend asks*:
发布后，向它的 **Production URL** 提交（POST）：
- \`{ "do": "send", "phone": "13800138000" }\`
- \`{ "do": "check", "phone": "13800138000", "code": "123456" }\`

It answers 200 when a code is sent, or with \`valid\`; 400 when the post cannot be read; 429 when it is too early, or too often; 502 when it was not sent, or when nobody knows (\`"sent": null\`): then the code is valid, if it comes.
200 已发出，或校验结果 \`valid\`；400 看不懂；429 太频繁；502 没发出去，或结果不明（\`"sent": null\`，收到了就有效）。`,
    settings: {
      saveDataSuccessExecution: 'none',
      saveDataErrorExecution: 'none',
      saveManualExecutions: false,
      saveExecutionProgress: false,
    },
    more: [
      `### Your backend asks · 由您的后台调用
Nobody else may: each code costs you money. Limit how often one of your visitors may ask.
只能由它调用：每次都要花钱。请限制您的访客的次数。`,
      `### No code is kept · 不保存验证码
The table has hashes, for an hour. In an execution the codes can be read, so the settings must say that n8n keeps none. What is posted, and in queue mode the code that is sent, stands in n8n's database until up to 15 minutes after the end (\`EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL\`).
表里只有哈希，留一小时。执行记录里能看到验证码，所以要在设置里让 n8n 不保存。提交的内容，以及队列模式下发出的验证码，会在 n8n 的数据库里留到执行结束后最多 15 分钟。`,
    ],
  },
  lane(
    [],
    [
      posted('The backend asks', 'verification-code', { responseMode: 'responseNode' }),
      makeTable('Table of codes', TABLE, COLUMNS),
    ],
    [
      'The backend asks',
      rows('Forget what is old', 'deleteRows', TABLE, {
        matchType: 'allConditions',
        filters: {
          conditions: [
            {
              keyName: 'at',
              condition: 'lt',
              keyValue: '={{ $now.minus({ hours: 1 }).toUTC().toISO() }}',
            },
          ],
        },
        options: {},
      }),
    ],
    [
      'The backend asks',
      base('crypto', 'Random number', {
        action: 'generate',
        dataPropertyName: 'random',
        encodingType: 'hex',
        stringLength: 12,
      }),
      fields('Read what is asked', {
        phone: `={{ ${mobileOf('$json.body?.phone')} }}`,
        kind: "={{ $json.body?.do === 'send' ? 'wish' : $json.body?.do === 'check' ? 'try' : '' }}",
        // No code begins with 0: a backend may make a number of it.
        code: "={{ $json.body?.do === 'send' ? String(100000 + parseInt($json.random, 16) % 900000) : String($json.body?.code ?? '').normalize('NFKC').replace(/[\\s-]/g, '') }}",
      }),
      // Who has the table and not the secret cannot find the code.
      base(
        'crypto',
        'Hash',
        {
          action: 'hmac',
          type: 'SHA256',
          value: '={{ $json.phone }}:{{ $json.code }}',
          dataPropertyName: 'hash',
          encoding: 'hex',
        },
        { needs: 'crypto' },
      ),
      // A row before it is judged, so that of many at once one gets a code, and no more than five are tries.
      rows('Note what is asked', 'insert', TABLE, {
        columns: mapped({
          phone: '={{ $json.phone }}',
          kind: '={{ $json.kind }}',
          hash: '={{ $json.hash }}',
          at: '={{ $now.toUTC().toISO() }}',
        }),
        options: {},
      }),
      rows('What was asked before', 'get', TABLE, {
        ...where({ phone: '={{ $json.phone }}' }),
        returnAll: true,
      }),
      code('Verdict'),
      when('Is a code to be sent?', '={{ $json.send }}'),
      sendTemplate('Send the code', {
        to: '={{ $json.phone }}',
        parameters: { code: "={{ $('Read what is asked').first().json.code }}", minutes: '5' },
        key: '=code-{{ $json.phone }}-{{ $json.at }}',
        perDay: 10,
      }),
      base('respondToWebhook', 'Answer', {
        respondWith: 'json',
        responseBody:
          '={{ JSON.stringify($json.say ?? { sent: { accepted: true, rejected: false }[$json.status ?? $json.details?.status] ?? null, reason: $json.details?.http_status ? "Only the editor shows why, to hide the code." : $json.details?.msg }) }}',
        options: { responseCode: "={{ $json.http ?? ($json.status === 'accepted' ? 200 : 502) }}" },
      }),
    ],
    [['Is a code to be sent?', 1], 'Answer'],
    [['Send the code', 1], 'Answer'],
  ),
);
