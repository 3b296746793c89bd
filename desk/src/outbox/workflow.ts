import { called, code, every, heartbeat, lane, look, runs, sms, split, workflow } from '../parts';
import { VERSION } from '../declared';
import { callOf } from '../../../builder/expression';

/** What the nodes that send say of each of their items, for the table. */
const SAYS = `[[$('By template'), $('Send by template')], [$('As a text'), $('Send a text')]].filter(([, send]) => send.isExecuted).flatMap(([rows, send]) => ${callOf('desk/src/outbox/said', 'storedOf', 'rows.all()', '[...send.all(), ...send.all(1)]')})`;

/** As one text: n8n hands it over faster than items. */
const TAKEN = 'SELECT json_agg(taken)::text AS packed';

const ZONE = '$now.zoneName';

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
Other workflows call this one; each message brings its own signature. Its last step is what they get: a step of yours belongs in the workflow that calls. 别的工作流调用这里，签名由短信自带。最后一步是给它们的回答：您自己的步骤请放在调用它的工作流里。`,
      `## Names · 名称
*SMS · Service* stores templates and signatures, so that the table has each text as the customer gets it. Without them, the messages go nevertheless.
*SMS · Service* 存模板和签名，让表里有客户看到的正文。没有也照发。`,
      `## Take · 登记
*sms.message_take* stores a row for each number, with what is decided about it, before anything is sent. One call goes after the other: so calls at the same moment keep the limits and the keys. If the database is away, this fails, nothing is sent, and the caller may try again.
发送之前，*sms.message_take* 为每个号码存一行和决定。调用一个接一个，所以同时调用也不会突破限额，一个键也不会用两次。数据库断开则失败，什么也没发，调用方可以再试。`,
      `## What goes · 发什么
A code stands in no table: it comes from the message itself. 表里没有验证码的内容，发送时取自短信本身。`,
      `## Send, and remember · 发送并记下
The two upper branches send. The lower one runs after them, because it stands below: do not move them. It reads both outputs of the sends, and writes the result into each row. If it cannot, the row stays claimed: the message may have been sent.
上面两条分支发送，下面一条因为位置在下而随后运行，请不要移动；它读取两个发送节点的全部输出，写入结果。写不进去的行仍算正在发：短信可能已发出。`,
    ],
    [
      called('Messages'),
      look('Known templates', 'sms.templates'),
      code('Rows'),
      runs(
        'Take the messages',
        {
          query:
            TAKEN +
            ` FROM sms.message_take(version => ${VERSION}, messages => $1::json, zone => $2) AS taken`,
          values: ['$json.messages', ZONE],
        },
        { always: true, tries: 3 },
      ),
      code('What goes'),
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
      'What goes',
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
      'What goes',
      runs(
        'Settle the messages',
        {
          query: `SELECT sms.message_settle(version => ${VERSION}, outcomes => $1::json, zone => $2) AS settled`,
          values: [SAYS, ZONE],
        },
        { once: true, always: true, tries: 5, pause: 5, goOn: true },
      ),
      code('Results'),
    ],
  ),
  lane(
    `## Every minute · 每分钟
Sends what has waited for its hour. What was certainly not sent is tried again, after as long as it is late (a minute to an hour), within its hours; a day after its hour it is refused. What was under way for ten minutes was interrupted: it becomes unknown, and is never sent again by itself.
发出等到时段的短信。肯定没发出去的，在时段内再试：迟了多久就隔多久（一分钟到一小时），过一天就拦下。发了十分钟还没结束的算中断：结果未知，不会自动再发。`,
    [every('Every minute', 1, 'minutes'), heartbeat('Outbox', 1)],
    [
      'Every minute',
      runs(
        'Take what waited',
        {
          query:
            TAKEN +
            ` FROM sms.message_take(version => ${VERSION}, messages => NULL, zone => $1) AS taken HAVING count(*) > 0`,
          values: [ZONE],
        },
        { once: true },
      ),
      'What goes',
    ],
  ),
);
