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
} from '../parts';
import type { Workflow } from '../parts';

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

const wanted = webhook('Code wanted', 'verification-code/send');
const table = makeTable('Table of codes', TABLE, COLUMNS);
const forget = rows('Forget the day before', 'deleteRows', TABLE, {
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
});
// As each try below: a row before it is judged, so that of many at once one gets a code.
const wish = insert('Note the wish', {
  phone: `={{ ${mobileOf('$json.body?.phone')} }}`,
  kind: 'wish',
  hash: '',
  at: NOW,
});

const today = rows('Wishes and codes of the day', 'get', TABLE, {
  ...where({ phone: '={{ $json.phone }}' }),
  returnAll: true,
});

/** A wish is granted if none was in the 60 seconds before it. */
const GRANTED = `(() => {
  const rows = $input.all().map(({ json }) => json).sort((a, b) => a.id - b.id);
  const { id, phone } = $('Note the wish').first().json;
  const last = rows
    .filter((row) => row.kind === 'wish' && row.id <= id)
    .reduce((last, wish) => last && Date.parse(wish.at) - Date.parse(last.at) < 60000 ? last : wish, undefined);
  return phone !== '' && last.id === id && rows.filter(({ kind }) => kind === 'code').length < 10;
})()`;

const may = when('May it get one?', `={{ ${GRANTED} }}`, { once: true });

const random = base('crypto', 'Random number', {
  action: 'generate',
  dataPropertyName: 'random',
  encodingType: 'hex',
  stringLength: 12,
});

const code = fields('Six digits', {
  phone: "={{ $('Note the wish').first().json.phone }}",
  code: "={{ String(parseInt($json.random, 16) % 1000000).padStart(6, '0') }}",
});

const hashed = hash('Hash of the code', '={{ $json.phone }}:{{ $json.code }}');

const send = sendTemplate('Send the code', {
  to: '={{ $json.phone }}',
  parameters: { code: '={{ $json.code }}', minutes: '5' },
  key: "=code-{{ $json.phone }}-{{ $('Note the wish').first().json.at }}",
});

const sent = when(
  'Was it sent?',
  "={{ $json.status === 'accepted' || $json.details?.status === 'unknown' }}",
);

// Behind the send: a code that was not sent must not make the code before it invalid.
const keep = insert('Keep its hash', {
  phone: "={{ $('Hash of the code').first().json.phone }}",
  kind: 'code',
  hash: "={{ $('Hash of the code').first().json.hash }}",
  at: NOW,
});

const ACCEPTED = "$('Was it sent?').first().json.status === 'accepted'";

const sayYes = base('respondToWebhook', 'Say that it is sent', {
  respondWith: 'json',
  responseBody: `={{ JSON.stringify(${ACCEPTED} ? { sent: true } : { sent: null, reason: 'It may have been sent. If the code comes, it is valid.' }) }}`,
  options: { responseCode: `={{ ${ACCEPTED} ? 200 : 502 }}` },
});

const NO_NUMBER = "$('Note the wish').first().json.phone === ''";
const TRIED = "$('Send the code').isExecuted";

const sayNo = base('respondToWebhook', 'Say that it is not', {
  respondWith: 'json',
  responseBody: `={{ JSON.stringify({ sent: false, reason: ${NO_NUMBER} ? 'This is not a mobile number.' : ${TRIED} ? $json.details?.msg || $json.error || 'It was not sent.' : 'A code was asked for less than a minute ago, or there were ten in a day.' }) }}`,
  options: { responseCode: `={{ ${NO_NUMBER} ? 400 : ${TRIED} ? 502 : 429 }}` },
});

const entered = webhook('Code entered', 'verification-code/check');
const sameTable = makeTable('The same table', TABLE, COLUMNS);

const hashOfEntry = hash(
  'Hash of the entry',
  `={{ ${mobileOf('$json.body?.phone')} }}:{{ String($json.body?.code ?? '').normalize('NFKC').trim() }}`,
);

// Each try is a row before it is judged: so a thousand at once are no more than five.
const noted = insert('Note the try', {
  phone: `={{ ${mobileOf('$json.body?.phone')} }}`,
  kind: 'try',
  hash: '={{ $json.hash }}',
  at: NOW,
});

const all = rows('Codes and tries', 'get', TABLE, {
  ...where({ phone: '={{ $json.phone }}' }),
  returnAll: true,
});

const VERDICT = `(() => {
  const rows = $input.all().map(({ json }) => json).sort((a, b) => a.id - b.id);
  const mine = $('Note the try').first().json;
  const since = $now.minus({ minutes: 5 }).toUTC().toISO();
  const code = rows.filter(({ kind, at }) => kind === 'code' && at > since).at(-1);
  const tries = rows.filter(({ kind, id }) => kind === 'try' && id > code?.id && id <= mine.id);
  const right = tries.filter(({ hash }) => hash === code.hash);
  return tries.length <= 5 && right.length === 1 && right[0].id === mine.id;
})()`;

const judge = base('respondToWebhook', 'Say whether it is right', {
  respondWith: 'json',
  responseBody: `={{ JSON.stringify({ valid: ${VERDICT} }) }}`,
  options: {},
});

const workflow: Workflow = {
  name: 'Verification code',
  about: `## Verification code
Your backend asks for a code for a phone number, and later whether what was entered is right. A code is valid once, for 5 minutes and 5 tries. A number gets one in 60 seconds and 10 in a day.
发送并校验短信验证码：5 分钟有效，最多试 5 次。`,
  setUp: `### Set up here
- *Code wanted* and *Code entered*: a Header Auth credential.
- *Hash of the code* and *Hash of the entry*: the same Crypto credential, with a long random **Hmac Secret**.
- *Send the code*: your credential, signature and template. Then map its parameters to \`code\` and \`5\`.
- Menu → *Settings*: *Save failed production executions* and *Save successful production executions* to *Do not save*. n8n's menu does not import the settings of a file.`,
  tryIt: `### Try it
Publish it. Post \`{ "phone": "13800138000" }\` to \`…/webhook/verification-code/send\`, and \`{ "phone": "13800138000", "code": "123456" }\` to \`…/webhook/verification-code/check\`.

It answers 200 when a code is sent, 400 when the number is none, 429 when it is too early, and 502 when it was not sent, or when nobody knows (\`"sent": null\`): then the code is valid, if it comes.`,
  settings: {
    saveDataSuccessExecution: 'none',
    saveDataErrorExecution: 'none',
    saveManualExecutions: false,
    saveExecutionProgress: false,
  },
  lanes: [
    lane(
      `### Your backend asks
Only it may: who asks costs you money.`,
      [wanted, table],
      [wanted, forget],
      [wanted, wish, today, [may, 1], sayNo],
      [may, random, code, hashed, send, [sent, 1], sayNo],
      [[send, 1], sent],
      [sent, keep, sayYes],
    ),
    lane(
      `### No code is kept
The table has hashes. In an execution the codes can be read, so the settings must say that n8n keeps none. What is posted, and in queue mode the code that is sent, stands in n8n's database until up to 15 minutes after the end (\`EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL\`).`,
      [entered, sameTable],
      [entered, hashOfEntry, noted, all, judge],
    ),
  ],
};

export default workflow;
