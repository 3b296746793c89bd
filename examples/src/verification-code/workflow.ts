import {
  base,
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
const NOW = '={{ $now.toUTC().toISO() }}';

const webhook = (name: string, path: string) =>
  posted(name, path, { responseMode: 'responseNode' });

/** Who has the table and not the secret cannot find the code. */
const hash = (name: string, value: string) =>
  base(
    'crypto',
    name,
    { action: 'hmac', type: 'SHA256', value, dataPropertyName: 'hash', encoding: 'hex' },
    { needs: 'crypto' },
  );

const insert = (name: string, row: Record<string, string>) =>
  rows(name, 'insert', TABLE, { columns: mapped(row), options: {} });

/** A wish is granted if none was in the 60 seconds before it. */
const GRANTED = `(() => {
  const rows = $input.all().map(({ json }) => json).sort((a, b) => a.id - b.id);
  const { id, phone } = $('Note the wish').first().json;
  const last = rows
    .filter((row) => row.kind === 'wish' && row.id <= id)
    .reduce((last, wish) => last && Date.parse(wish.at) - Date.parse(last.at) < 60000 ? last : wish, undefined);
  return phone !== '' && last.id === id && rows.filter(({ kind }) => kind === 'code').length < 10;
})()`;

const ACCEPTED = "$('Was it sent?').first().json.status === 'accepted'";

const NO_NUMBER = "$('Note the wish').first().json.phone === ''";
const TRIED = "$('Send the code').isExecuted";

const VERDICT = `(() => {
  const rows = $input.all().map(({ json }) => json).sort((a, b) => a.id - b.id);
  const mine = $('Note the try').first().json;
  const since = $now.minus({ minutes: 5 }).toUTC().toISO();
  const code = rows.filter(({ kind, at }) => kind === 'code' && at > since).at(-1);
  const tries = rows.filter(({ kind, id }) => kind === 'try' && id > code?.id && id <= mine.id);
  const right = tries.filter(({ hash }) => hash === code.hash);
  return tries.length <= 5 && right.length === 1 && right[0].id === mine.id;
})()`;

export default workflow(
  {
    name: 'Verification code',
    about: `## Verification code
Your backend asks for a code for a phone number, and later whether what was entered is right. A code is valid once, for 5 minutes and 5 tries. A number gets one in 60 seconds and 10 in a day.

您的后台先要求给某个号码发验证码，再来问用户填得对不对。5 分钟有效，用一次即失效，最多试 5 次；同一号码 60 秒一条、24 小时 10 条。`,
    setUp: `### Set up here
- *Code wanted* and *Code entered*: a Header Auth credential.
- *Hash of the code* and *Hash of the entry*: the same Crypto credential, with a long random **Hmac Secret**.
- *Send the code*: your credential, signature and template. Then map its parameters to \`code\` and \`5\`.
- Menu → *Settings*: *Save failed production executions* and *Save successful production executions* to *Do not save*. n8n's menu does not import the settings of a file.
### 设置
- *Code wanted*、*Code entered*：Header Auth 凭据。
- *Hash of the code*、*Hash of the entry*：同一个 Crypto 凭据，**Hmac Secret** 用长的随机文本。
- *Send the code*：凭据、签名、模板，再把变量映射到 \`code\` 和 \`5\`。
- 菜单 → *Settings*：两项 *Save … production executions* 都设为 *Do not save*，因为从菜单导入不带设置。`,
    tryIt: `### Try it · 试一下
Publish it. Post \`{ "phone": "13800138000" }\` to \`…/webhook/verification-code/send\`, and \`{ "phone": "13800138000", "code": "123456" }\` to \`…/webhook/verification-code/check\`.
发布后，向这两个地址提交（POST）。

It answers 200 when a code is sent, 400 when it is no mobile number, 429 when it is too early, and 502 when it was not sent, or when nobody knows (\`"sent": null\`): then the code is valid, if it comes.
200 已发出；400 不是手机号；429 太频繁；502 没发出去，或结果不明（\`"sent": null\`，收到了就有效）。`,
    settings: {
      saveDataSuccessExecution: 'none',
      saveDataErrorExecution: 'none',
      saveManualExecutions: false,
      saveExecutionProgress: false,
    },
  },
  lane(
    `### Your backend asks · 由您的后台调用
Nobody else may: each code costs you money.
只能由它调用：每次都要花钱。`,
    [webhook('Code wanted', 'verification-code/send'), makeTable('Table of codes', TABLE, COLUMNS)],
    [
      'Code wanted',
      rows('Forget the day before', 'deleteRows', TABLE, {
        matchType: 'allConditions',
        filters: {
          conditions: [
            {
              keyName: 'at',
              condition: 'lt',
              keyValue: '={{ $now.minus({ days: 1 }).toUTC().toISO() }}',
            },
          ],
        },
        options: {},
      }),
    ],
    [
      'Code wanted',
      // As each try below: a row before it is judged, so that of many at once one gets a code.
      insert('Note the wish', {
        phone: `={{ ${mobileOf('$json.body?.phone')} }}`,
        kind: 'wish',
        hash: '',
        at: NOW,
      }),
      rows('Wishes and codes of the day', 'get', TABLE, {
        ...where({ phone: '={{ $json.phone }}' }),
        returnAll: true,
      }),
      [when('May it get one?', `={{ ${GRANTED} }}`, { once: true }), 1],
      base('respondToWebhook', 'Say that it is not', {
        respondWith: 'json',
        responseBody: `={{ JSON.stringify({ sent: false, reason: ${NO_NUMBER} ? 'This is not a mobile number.' : ${TRIED} ? $json.details?.msg || $json.error || 'It was not sent.' : 'A code was asked for less than a minute ago, or there were ten in a day.' }) }}`,
        options: { responseCode: `={{ ${NO_NUMBER} ? 400 : ${TRIED} ? 502 : 429 }}` },
      }),
    ],
    [
      'May it get one?',
      base('crypto', 'Random number', {
        action: 'generate',
        dataPropertyName: 'random',
        encodingType: 'hex',
        stringLength: 12,
      }),
      fields('Six digits', {
        phone: "={{ $('Note the wish').first().json.phone }}",
        code: "={{ String(parseInt($json.random, 16) % 1000000).padStart(6, '0') }}",
      }),
      hash('Hash of the code', '={{ $json.phone }}:{{ $json.code }}'),
      sendTemplate('Send the code', {
        to: '={{ $json.phone }}',
        parameters: { code: '={{ $json.code }}', minutes: '5' },
        key: "=code-{{ $json.phone }}-{{ $('Note the wish').first().json.at }}",
      }),
      [
        when(
          'Was it sent?',
          "={{ $json.status === 'accepted' || $json.details?.status === 'unknown' }}",
        ),
        1,
      ],
      'Say that it is not',
    ],
    [['Send the code', 1], 'Was it sent?'],
    [
      'Was it sent?',
      // Behind the send: a code that was not sent must not make the code before it invalid.
      insert('Keep its hash', {
        phone: "={{ $('Hash of the code').first().json.phone }}",
        kind: 'code',
        hash: "={{ $('Hash of the code').first().json.hash }}",
        at: NOW,
      }),
      base('respondToWebhook', 'Say that it is sent', {
        respondWith: 'json',
        responseBody: `={{ JSON.stringify(${ACCEPTED} ? { sent: true } : { sent: null, reason: 'It may have been sent. If the code comes, it is valid.' }) }}`,
        options: { responseCode: `={{ ${ACCEPTED} ? 200 : 502 }}` },
      }),
    ],
  ),
  lane(
    `### No code is kept · 不保存验证码
The table has hashes. In an execution the codes can be read, so the settings must say that n8n keeps none. What is posted, and in queue mode the code that is sent, stands in n8n's database until up to 15 minutes after the end (\`EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL\`).
表里只有哈希。执行记录里能看到验证码，所以要在设置里让 n8n 不保存。提交的内容，以及队列模式下发出的验证码，会在 n8n 的数据库里留到执行结束后最多 15 分钟。`,
    [
      webhook('Code entered', 'verification-code/check'),
      makeTable('The same table', TABLE, COLUMNS),
    ],
    [
      'Code entered',
      hash(
        'Hash of the entry',
        `={{ ${mobileOf('$json.body?.phone')} }}:{{ String($json.body?.code ?? '').normalize('NFKC').trim() }}`,
      ),
      // Each try is a row before it is judged: so a thousand at once are no more than five.
      insert('Note the try', {
        phone: `={{ ${mobileOf('$json.body?.phone')} }}`,
        kind: 'try',
        hash: '={{ $json.hash }}',
        at: NOW,
      }),
      rows('Codes and tries', 'get', TABLE, {
        ...where({ phone: '={{ $json.phone }}' }),
        returnAll: true,
      }),
      base('respondToWebhook', 'Say whether it is right', {
        respondWith: 'json',
        responseBody: `={{ JSON.stringify({ valid: ${VERDICT} }) }}`,
        options: {},
      }),
    ],
  ),
);
