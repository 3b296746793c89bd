import {
  call,
  called,
  code,
  count,
  every,
  fields,
  get,
  insertAll,
  lane,
  look,
  num,
  OF_RANGE,
  ofItem,
  sms,
  split,
  update,
  when,
  workflow,
  heartbeat,
} from '../parts';
import { INTERRUPTED_AFTER_MS, NOT_SENT } from '../common/messages/outbox';
import { WHY, why } from '../common/messages/reasons';
import { URGENT } from '../common/messages/rules';

/** The per_day of the last row of the rules that has one, as an expression. */
const perDay = (name: string, otherwise: string) =>
  `($('Rules').all().findLast(({ json }) => String(json.class).trim().toLowerCase() === '${name}' && json.per_day != null)?.json.per_day ?? ${otherwise})`;

const all = perDay('all', '10000');
const areUrgent = `$($prevNode.name).all().every(({ json }) => ${JSON.stringify(URGENT)}.includes(json.class))`;
const kept = `Math.max(0, ${areUrgent} ? 0 : ${perDay('reserved', `Math.floor(${all} / 10)`)})`;
const limit = `${all} > 0 ? $($prevNode.name).last().json.id - Math.max(0, Math.floor(${all} - ${kept})) : 0`;

const inLine = `($('Take a place in the line').isExecuted ? $('Take a place in the line') : $('Claim what waits'))`;

/** A condition that is computed. */
const computed = (name: string) =>
  ({
    [`={{ $json.${name}.column }} ={{ $json.${name}.operator }}`]: `={{ $json.${name}.value }}`,
  }) as const;

export default workflow(
  {
    name: 'Outbox',
    about: `## The outbox · 发件箱：所有短信经过这里
Other workflows hand their messages to this one. It asks first: was the key used before? may messages of this class go at this hour? has the customer opted out? has the number had enough? is the limit of the day reached? Then it sends, and gives every message back with \`status\` and \`reason\`. The tables are made by *SMS · Schema*.
别的工作流把短信交给它。发之前先查：键用过吗？这类短信现在能发吗？客户退订了吗？这个号码超限了吗？当日总量到了吗？发完返回每条的 \`status\` 和 \`reason\`。表由 *SMS · Schema* 建。`,
    setUp: `## Set up here · 设置
1. Select your credential in *Send by template* and *Send a text*. 选凭据。
2. Publish *SMS · Upkeep*, and then this workflow. 先发布 *SMS · Upkeep*，再发布它。

**The rules · 规则** are rows of *sms.rules*, one for each class. A change holds from the next message on. \`per_hour\`, \`per_day\`: limits for one number, 0 is none. \`outside_hours\`: wait or refuse. \`per_day\` of the row *all* limits all messages of a day; that of *reserved* is the part kept for codes and alarms. Hours are in the time zone of this workflow.
规则是 *sms.rules* 的行，每类一行，改了下一条就生效。\`per_hour\`、\`per_day\`：单号限额，0 不限。\`outside_hours\`：时段之外等待（wait）或拦下（refuse）。*all* 行的 \`per_day\` 是当日总量，*reserved* 行是留给验证码和告警的。时段按本工作流的时区。

**n8n keeps no execution of it · 不保存执行记录**, not even a failed one, because messages may hold codes; the caller has the error. The data of a call stays in n8n's database for up to 15 minutes after its end (\`EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL\`). Imported by the menu? Set both *Save … production executions* to *Do not save*.
因为短信里可能有验证码；出错时看调用它的工作流。调用时带来的内容，在 n8n 的数据库里留到执行结束后最多 15 分钟。从菜单导入的，把两项 *Save … production executions* 设为 *Do not save*。`,
    tryIt: `## Try it · 试一下
Use *SMS · Ask and wait for the reply*. Pressed here, it sends what waits and may go now. 用那个工作流试。在这里执行，会发出正在等待、现在可以发的短信。`,
    settings: {
      saveDataSuccessExecution: 'none',
      saveDataErrorExecution: 'none',
      saveManualExecutions: false,
      saveExecutionProgress: false,
    },
  },
  lane(
    [
      `## Messages · 短信
Other workflows name this one. 别的工作流调用这里。`,
      `## Before anything else · 先查名称
Templates and signatures are looked up once an hour, so that the table has each text as the customer gets it. If that fails, the messages go nevertheless.
每小时查一次模板和签名，让表里有客户看到的正文。查不到也照发。`,
      `## A place in the line · 排队
Each number takes a row in *sms.outbox* before anything is sent. If the database is away, this fails, nothing is sent, and the caller may try again.
发送之前，每个号码先在 *sms.outbox* 占一行。数据库断开则失败，什么也没发，调用方可以再试。`,
      `## Who stands before? · 谁在前面
Rows with a lower number go first: so calls at the same moment keep the limits and the keys. It reads only rows that count: the latest of its numbers, those of its keys, and, near the limit of the day, those of today.
编号小的在先，所以同时调用也不会突破限额，一个键也不会用两次。只查有关的行：这些号码最近的、这些键的；快到每日限额时，还有今天的。`,
      `## Send, and remember · 发送并记下
The two upper branches send. The lower one runs after them, and writes the result into each row. If it cannot, the row stays claimed: the message may have been sent.
上面两条分支发送，下面一条随后写结果。写不进去的行仍算正在发：短信可能已发出。`,
    ],
    [
      called('Messages'),
      look('Known templates', 'sms.templates'),
      code('What is missing'),
      call('Get what is missing', 'sms-upkeep', {
        goOn: true,
        waits: "={{ $('What is missing').all().some(({ json }) => json.waits) }}",
      }),
    ],
    [
      'Known templates',
      get('Rules', 'sms.rules', {}, { order: 'id', once: true, always: true }),
      when(
        'Have they waited?',
        "={{ $('Messages').all().length === 1 && Object.keys($('Messages').first().json).join() === 'waited_up_to' }}",
        { once: true },
      ),
      update(
        'Claim what waits',
        'sms.outbox',
        {
          status: 'waiting',
          'sent_at <=': '={{ $now.toISO() }}',
          'id <=': "={{ $('Messages').first().json.waited_up_to }}",
        },
        { status: 'claimed', sent_at: '={{ $now.toISO() }}' },
        { once: true },
      ),
      /**
       * If it is of today, the day may be full for them. Behind an insert that failed, there is a gap of any length.
       */
      get(
        "Row at the day's limit",
        'sms.outbox',
        { 'id <=': `={{ ${limit} }}` },
        { order: 'id desc', limit: 1, once: true, always: true },
      ),
      /** Without any if the day cannot be full. */
      count(
        'Sent today',
        'sms.outbox',
        {
          'createdAt >=': "={{ $now.startOf('day').toISO() }}",
          'id <=': `={{ new Date($json.createdAt) >= $now.startOf('day') ? Math.max(...${inLine}.all().map(({ json }) => json.id)) : 0 }}`,
          'status !=': NOT_SENT,
        },
        `={{ ${inLine}.first().json.id }}`,
        { once: true, always: true },
      ),
      /** The upkeep has noted the last row of each day. Rows up to this one count for no number. */
      look(
        'Counted days ago',
        'sms.days',
        {
          'day <': "={{ $now.minus({ days: 5 }).toFormat('yyyy-MM-dd') }}",
          'outbox_id filled': true,
        },
        { order: 'day desc', limit: 1 },
      ),
      code('Questions'),
      get(
        'Who opted out',
        'sms.opt_outs',
        { phone_number: '={{ $json.phone_number }}' },
        {
          ...{ always: true, together: true, gives: ['id', 'phone_number', 'since'] },
        },
      ),
    ],
    [
      ['Have they waited?', 1],
      code('Rows'),
      insertAll('Take a place in the line', 'sms.outbox', {
        gives: [
          ...(['id', 'phone_number', 'class', 'template', 'signature'] as const),
          ...(['parameters', 'key', 'phone_data', 'run'] as const),
          ...(['sent_at', 'createdAt', ...WHY] as const),
        ],
      }),
      "Row at the day's limit",
    ],
    [['Have they waited?', 1], code('Results')],
    [
      'Questions',
      get(
        'Who stands before',
        'sms.outbox',
        { ...computed('which'), ...computed('when') },
        {
          ...{ always: true, together: true },
          choices: ['phone_number = sent_at >', 'key = status filled'],
          also: { 'id >': '={{ $json.from }}', 'id <': '={{ $json.to }}' },
          gives: [
            ...(['id', 'phone_number', 'class', 'status', 'sent_at'] as const),
            ...(['key', 'run', 'batch_id', ...WHY] as const),
          ],
        },
      ),
      code('Verdicts'),
      split('By template', 'template'),
      sms(
        'Send by template',
        {
          resource: 'message',
          operation: 'sendTemplate',
          signatureId: { __rl: true, mode: 'list', value: '' },
          templateId: { __rl: true, mode: 'id', value: '={{ $json.template }}' },
          phoneNumbers: '={{ $json.phone_number }}',
          parameterMode: 'json',
          parametersJson: '={{ $json.parameters }}',
          options: { phoneData: '={{ $json.phone_data }}', extraFieldsJson: '={{ $json.extra }}' },
        },
        { errors: true },
      ),
    ],
    [
      'Verdicts',
      split('As a text', 'text'),
      sms(
        'Send a text',
        {
          resource: 'message',
          operation: 'sendCustom',
          signatureId: { __rl: true, mode: 'list', value: '' },
          phoneNumbers: '={{ $json.phone_number }}',
          content: '={{ $json.content }}',
          options: { phoneData: '={{ $json.phone_data }}', extraFieldsJson: '={{ $json.extra }}' },
        },
        { errors: true },
      ),
    ],
    [
      'Verdicts',
      code('Outcomes'),
      update(
        'Settle the rows',
        'sms.outbox',
        OF_RANGE,
        ofItem('status', ...WHY, 'batch_id', 'sent_at'),
        { always: true, tries: 5, pause: 5, goOn: true, together: true },
      ),
    ],
  ),
  lane(
    `## Every minute · 每分钟
Sends what has waited for its hour. What was certainly not sent is tried again, after as long as it is late (a minute to an hour), within its hours; a day after its hour it is refused. What was under way for ten minutes was interrupted: it becomes unknown, and is never sent again by itself.
发出等到时段的短信。肯定没发出去的，在时段内再试：迟了多久就隔多久（一分钟到一小时），过一天就拦下。发了十分钟还没结束的算中断：结果未知，不会自动再发。`,
    [every('Every minute', 1, 'minutes'), heartbeat('Outbox', 1)],
    [
      'Every minute',
      update(
        'Give up what was interrupted',
        'sms.outbox',
        {
          status: 'claimed',
          'sent_at <': `={{ $now.minus({ minutes: ${INTERRUPTED_AFTER_MS / 60_000} }).toISO() }}`,
        },
        {
          status: 'unknown',
          ...why('interrupted'),
        },
        { always: true },
      ),
      get(
        'Whose hour has come',
        'sms.outbox',
        { status: 'waiting', 'sent_at <=': '={{ $now.toISO() }}' },
        { order: 'id', limit: 1000, once: true },
      ),
      fields(
        'Up to which row',
        { waited_up_to: num("={{ $('Whose hour has come').last().json.id }}") },
        { once: true },
      ),
      call('Send what waited', '={{ $workflow.id }}'),
    ],
  ),
);
