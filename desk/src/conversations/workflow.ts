import {
  base,
  button,
  call,
  changes,
  code,
  fields,
  goTo,
  lane,
  look,
  obj,
  page,
  runs,
  saidOf,
  show,
  unless,
  when,
  workflow,
  type Statement,
} from '../parts';

const ASKED = "$('What was asked').first().json";
const SENT = "$('What was sent').first().json";
const OPENED = "$('Opened message').first().json";
const TO = "$('Message of the conversation').first().json";

/** Whose tokens are those of a conversation. */
const pageOf = (row: string) => `['sms-conversations', ${row}.phone_number].join(' ')`;

/** The number of the row that an address names, or of the one that is searched for, its newest row, and whether it has opted out. */
const ofTheRow = (opened: string, number: string): Statement => ({
  query: `SELECT row, phone_number, phone_number IN (SELECT phone_number FROM sms.opt_outs) AS opted_out FROM (
SELECT side || id AS row, phone_number FROM sms.said WHERE side = $1 AND id = $2::integer
UNION ALL (SELECT side || id, phone_number FROM sms.said WHERE phone_number = $3 AND side <> 'x' ORDER BY at DESC LIMIT 1)) AS found`,
  values: [`${opened}.side`, `${opened}.id`, number],
});

/** A conversation, or the list. */
const SAID: Statement = {
  query: `SELECT CASE WHEN $1 <> '' THEN sms.thread($1, $2) ELSE sms.threads($3, $4::integer, $5::integer, $6 <> '') END AS found`,
  values: [
    `${OPENED}.phone_number ?? ''`,
    ...['before', 'digits', 'sendsBelow', 'recordsBelow', 'waits'].map(
      (name) => `${ASKED}.${name}`,
    ),
  ],
};

const LOOK = { once: true, always: true, goOn: true, tries: 3 };

export default workflow(
  {
    name: 'Conversations',
    about: `## Conversations · 会话
A web page: what was sent to each phone number and what came back. The list shows who waits for an answer; an answer is one SMS with a template of yours, sent through the outbox.
网页：每个号码发出和收到的短信。列表显示谁在等回复；用您的模板回复一条，经发件箱发出。`,
    setUp: `## Set up here · 设置
1. *Page is opened*, *Reply is sent*: a Basic Auth credential; user and password are up to you. 选 Basic Auth 凭据，用户名和密码自定。
2. Publish *SMS · Upkeep*, *SMS · Inbox* and *SMS · Outbox* first. 先发布 *SMS · Upkeep*、*SMS · Inbox*、*SMS · Outbox*。`,
    tryIt: `## Try it · 试一下
Publish, and open the production address of *Page is opened*. In a conversation press *Answer*, choose a template, and press *Send*: this sends a real SMS.
发布后打开 *Page is opened* 的 Production URL（正式地址）。在会话里点“回复”，选模板，再点“发送”：会真的发出。`,
    settings: { saveDataSuccessExecution: 'none', saveExecutionProgress: false },
  },
  lane(
    [
      `## What is read · 读多少
*sms.threads* and *sms.thread* read the newest rows; *Older* goes on from there. Who waits is found in the replies of 30 days. An address has the ID of a row and never a phone number.
*sms.threads* 和 *sms.thread* 只读最新的行，“更早”接着往前。从 30 天内的上行里找出在等回复的人。地址里是行的 ID，不是手机号。`,
      `## Reply box · 回复框
Opens with \`&reply=1\`. When a template is chosen, a token goes into the form and into *sms.tokens*.
用 \`&reply=1\` 打开。选了模板后，表单和 *sms.tokens* 里各有一个令牌。`,
    ],
    [
      page('Page is opened', 'sms-conversations'),
      code('What was asked'),
      runs('Opened message', ofTheRow('$json.opened', '$json.number'), LOOK),
      runs('What was said', SAID, LOOK),
      look('Known templates', 'sms.templates'),
      unless('Is the reply box open?', `={{ ${ASKED}.reply && ${ASKED}.opened.id > 0 }}`, {
        once: true,
      }),
      code('Page', { once: true }),
      when('Is it another address?', "={{ $json.location !== '' }}"),
      goTo('Go to the address', '={{ $json.location }}'),
    ],
    [
      'Is the reply box open?',
      saidOf('Templates', 'template'),
      saidOf('Signatures', 'signature'),
      unless('Is a template chosen?', `={{ ${ASKED}.template !== '' }}`, {
        once: true,
      }),
      'Page',
    ],
    [
      'Is a template chosen?',
      base(
        'crypto',
        'Token',
        { action: 'generate', dataPropertyName: 'token', encodingType: 'hex', stringLength: 32 },
        { once: true },
      ),
      changes(
        'Remember the token',
        'INSERT INTO sms.tokens (token, page) VALUES ($1, $2)',
        ['$json.token', pageOf(OPENED)],
        { tries: 3 },
      ),
      'Page',
    ],
    [['Is it another address?', 1], show('Show the page', '={{ $json.html }}')],
  ),
  lane(
    [
      `## Each form once · 一张表单只用一次
The token must be in *sms.tokens*, for this number, and a day old at most. One delete takes it out, with those of all other windows of this conversation: whoever gets it back may send. It is the outbox's key too.
令牌要在 *sms.tokens* 里、属于这个号码、不超过一天。发送前把它和同一会话其他窗口的令牌一起删除，删到的那次才发送。它也是发件箱的键。`,
      `## A second click · 再点一次
It leads to the message of the first, and sends nothing. 转到第一次的短信，不再发。`,
    ],
    [
      button('Reply is sent', 'sms-conversations-reply'),
      code('What was sent'),
      runs('Message of the conversation', ofTheRow('$json.opened', "''"), {
        ...{ always: true, goOn: true, tries: 3 },
      }),
      runs(
        'Token of the form',
        {
          query: `SELECT * FROM sms.tokens WHERE token = $1 AND page = $2 AND "createdAt" > statement_timestamp() - interval '1 day' LIMIT 1`,
          values: [`${SENT}.token || 'none'`, pageOf(TO)],
        },
        { always: true, goOn: true, tries: 3 },
      ),
      unless('Is it known?', '={{ Boolean($json.id) }}'),
      base('wait', 'Wait for the first click', { amount: 2 }, { once: true }),
      runs(
        'Message with this key',
        {
          query: 'SELECT * FROM sms.outbox WHERE key = $1 ORDER BY id DESC LIMIT 1',
          values: [`${SENT}.token || 'none'`],
        },
        { always: true, goOn: true, tries: 3 },
      ),
      when('Is it in the outbox?', '={{ Boolean($json.outbox_id ?? $json.id) }}'),
      goTo(
        'Back to the conversation',
        `=sms-conversations?row={{ ${SENT}.row }}&sent={{ $json.outbox_id ?? $json.id }}{{ ${SENT}.kept ? '&lang=' + ${SENT}.kept : '' }}#end`,
      ),
    ],
    [
      'Is it known?',
      changes(
        'Use up the tokens of the conversation',
        'DELETE FROM sms.tokens WHERE page = $1',
        [pageOf(TO)],
        { always: true },
      ),
      unless(
        'Was it there?',
        `={{ $input.all().some(({ json }) => json.token === ${SENT}.token) }}`,
        { once: true },
      ),
      'Wait for the first click',
    ],
    [
      'Was it there?',
      fields(
        'Message',
        {
          phone: `={{ ${TO}.phone_number }}`,
          class: 'notice',
          template_id: `={{ ${SENT}.template }}`,
          signature_id: `={{ ${SENT}.signature }}`,
          parameters: obj(`={{ ${SENT}.parameters }}`),
          key: `={{ ${SENT}.token }}`,
          source: 'SMS · Conversations',
        },
        { once: true },
      ),
      /** It may fail behind the send, if n8n's database is away: the table says what it has done. */
      call('Outbox', 'sms-outbox', { errors: true }),
      'Is it in the outbox?',
    ],
    [['Outbox', 1], 'Message with this key'],
    [
      ['Is it in the outbox?', 1],
      code('Page that says why'),
      show('Show why', '={{ $json.html }}', { status: '={{ $json.status }}' }),
    ],
  ),
);
