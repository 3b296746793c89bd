import {
  base,
  button,
  call,
  code,
  fields,
  get,
  goTo,
  insert,
  lane,
  look,
  obj,
  page,
  remove,
  runs,
  saidOf,
  show,
  unless,
  when,
  workflow,
} from '../parts';
import { waitingOf } from './waiting';

const ASKED = "$('What was asked').first().json";
const SENT = "$('What was sent').first().json";
const OPENED = "$('Opened message').first().json";
const TO = "$('Message of the conversation').first().json";

const OF_THE_NUMBER = {
  [`phone_number ={{ ${ASKED}.condition }}`]: `={{ ${OPENED}.phone_number || ${ASKED}.phone }}`,
} as const;

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
The newest rows only; *Older* goes on from their IDs. *Who waits* reads the replies of 30 days. An address has the ID of a row and never a phone number.
只读最新的行，“更早”接着往前。*Who waits* 读 30 天内的上行。地址里是行的 ID，不是手机号。`,
      `## Reply box · 回复框
Opens with \`&reply=1\`. When a template is chosen, a token goes into the form and into *sms.tokens*.
用 \`&reply=1\` 打开。选了模板后，表单和 *sms.tokens* 里各有一个令牌。`,
    ],
    [
      page('Page is opened', 'sms-conversations'),
      code('What was asked'),
      look(
        'Opened message',
        '={{ $json.opened.table }}',
        { id: '={{ $json.opened.id }}' },
        { limit: 1, choices: ['sms.outbox', 'sms.inbox'] },
      ),
      look(
        'Messages sent',
        'sms.messages',
        {
          'id <': `={{ ${ASKED}.sendsBelow }}`,
          ...OF_THE_NUMBER,
        },
        {
          order: 'id desc',
          limit: `={{ ${ASKED}.limits.sends + 1 }}`,
          choices: ['=', 'like', '!='],
        },
      ),
      look(
        'Replies and reports',
        'sms.inbox',
        {
          'id <': `={{ ${ASKED}.recordsBelow }}`,
          ...OF_THE_NUMBER,
          [`event ={{ ${ASKED}.opened.id ? '!=' : '=' }}`]: `={{ ${ASKED}.opened.id ? '' : 'reply' }}`,
        },
        {
          order: 'id desc',
          limit: `={{ ${ASKED}.limits.records + 1 }}`,
          choices: ['= !=', '= =', 'like =', '!= ='],
        },
      ),
      runs(
        'Who waits',
        waitingOf(`${ASKED}.row || ${ASKED}.number ? 'none' : '%' + ${ASKED}.digits`),
        { once: true, always: true, goOn: true, tries: 3 },
      ),
      look(
        'Opt-outs',
        'sms.opt_outs',
        { phone_number: `={{ ${OPENED}.phone_number || 'none' }}` },
        { limit: 1 },
      ),
      look('Known templates', 'sms.templates'),
      look('Thresholds', 'sms.thresholds'),
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
      insert(
        'Remember the token',
        'sms.tokens',
        {
          token: '={{ $json.token }}',
          page: `=sms-conversations {{ ${OPENED}.phone_number }}`,
        },
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
      get(
        'Message of the conversation',
        '={{ $json.opened.table }}',
        { id: '={{ $json.opened.id }}' },
        { limit: 1, always: true, goOn: true, choices: ['sms.outbox', 'sms.inbox'] },
      ),
      get(
        'Token of the form',
        'sms.tokens',
        {
          token: `={{ ${SENT}.token || 'none' }}`,
          page: `=sms-conversations {{ ${TO}.phone_number }}`,
          'createdAt >': '={{ $now.minus({ days: 1 }).toISO() }}',
        },
        { limit: 1, always: true, goOn: true },
      ),
      unless('Is it known?', '={{ Boolean($json.id) }}'),
      base('wait', 'Wait for the first click', { amount: 2 }, { once: true }),
      get(
        'Message with this key',
        'sms.outbox',
        { key: `={{ ${SENT}.token || 'none' }}` },
        { order: 'id desc', limit: 1, always: true, goOn: true },
      ),
      when('Is it in the outbox?', '={{ Boolean($json.outbox_id ?? $json.id) }}'),
      goTo(
        'Back to the conversation',
        `=sms-conversations?row={{ ${SENT}.row }}&sent={{ $json.outbox_id ?? $json.id }}{{ ${SENT}.kept ? '&lang=' + ${SENT}.kept : '' }}#end`,
      ),
    ],
    [
      'Is it known?',
      remove(
        'Use up the tokens of the conversation',
        'sms.tokens',
        {
          page: `=sms-conversations {{ ${TO}.phone_number }}`,
        },
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
