import {
  base,
  every,
  fields,
  lane,
  mail,
  makeTable,
  mapped,
  NOW,
  ONE_BY_ONE,
  only,
  rows,
  sendTemplate,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_watch';

/** What is noted of whatever is in trouble. */
const TROUBLE = ['subject', 'what', 'trouble', 'until'];

const NEWS = "$('Only news').item.json";

/** Until when it counts as down, unless it is in trouble again. */
const forMinutes = (minutes: number) => `={{ $now.plus({ minutes: ${minutes} }).toUTC().toISO() }}`;

export default workflow(
  {
    name: 'Watch and tell once',
    about: `## Watch and tell once
Your page, server or query is down, or a workflow fails: one SMS, and one when it is well again. If the SMS is not accepted, a mail.

网站、服务器、查询出故障，或者工作流失败：发一条短信；恢复后再发一条。短信没被受理就发邮件。`,
    setUp: `### Set up here
- *Look at it*: the address of your page or server. Only workflows? Deactivate it.
- *It is down*: \`what\`, its name in the SMS.
- *Tell whoever is on call*: your credential, signature, template and the number. A template to hand in: 监控提醒：\${what}在\${time}\${state}。 Then map its parameters.
- *Mail it instead*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- For workflows: in the settings of your other workflows this one as **Error Workflow**.
### 设置
- *Look at it*：网页或服务器的地址。只看工作流的，停用它（选中后按 D）。
- *It is down*：\`what\` 是短信里的名称。
- *Tell whoever is on call*：凭据、签名、模板（可报审上面那一条）、号码，再映射变量。
- *Mail it instead*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。
- 要看工作流：在其他工作流的设置里，把这个选为 **Error Workflow**。`,
    more: [
      `### When is it down? · 什么算故障
Trouble counts for the minutes in *It is down* and *It has failed*: a page for 15, a workflow for 120. If there is no more of it until then, it is well. So what comes and goes is told once.
故障按 *It is down*、*It has failed* 里的分钟数计：网页 15 分钟，工作流 120 分钟。其间没有再出故障就算恢复，所以时好时坏只提醒一次。`,
      `### More to watch · 再看别的
Copy *Look at it* and *It is down*, with another \`subject\`. For a query, put your node in place of *Look at it*, and lead to *It is down* what it finds.
复制 *Look at it* 和 *It is down*，换一个 \`subject\`。要看查询结果的，用您的节点代替 *Look at it*，查到问题再连到 *It is down*。`,
      `### Why a number and not a name · 为什么是编号
Carriers block messages with English words that nobody has reviewed. So the SMS has a workflow's ID, as in its address, and the mail has the rest.
没有审核过的英文词会被运营商拦截，所以短信里是工作流的 ID（地址栏里的那个），其余在邮件里。`,
    ],
  },
  lane(
    [],
    [
      every('Every 5 minutes', 5, 'minutes'),
      makeTable('Table of troubles', TABLE, [...TROUBLE, 'told', 'told_at']),
    ],
    [
      'Every 5 minutes',
      [
        base(
          'httpRequest',
          'Look at it',
          { url: '', options: { timeout: 20_000 } },
          { errors: true, tries: 3, pause: 5 },
        ),
        1,
      ],
      fields('It is down', {
        subject: 'page',
        what: '官网',
        trouble: "={{ String($json.error?.message ?? $json.error ?? 'no answer').slice(0, 1000) }}",
        until: forMinutes(15),
      }),
      rows('Note it', 'upsert', TABLE, {
        ...where({ subject: '={{ $json.subject }}' }),
        columns: mapped(Object.fromEntries(TROUBLE.map((name) => [name, `={{ $json.${name} }}`]))),
        options: {},
      }),
    ],
    [
      'Every 5 minutes',
      // Nobody else tells, so that what fails at the same moment is told once.
      rows('All troubles', 'get', TABLE, { returnAll: true }),
      only(
        'Only news',
        "={{ ($json.until > $now.toUTC().toISO()) !== ($json.told === 'down') && $input.all().findIndex(({ json }) => json.subject === $json.subject) === $itemIndex }}",
      ),
      sendTemplate('Tell whoever is on call', {
        to: '',
        parameters: {
          what: '={{ $json.what }}',
          time: `={{ ${NOW}.toFormat('HH:mm') }}`,
          state: "={{ $json.told === 'down' ? '恢复正常' : '出现故障' }}",
        },
        // The IDs of a table that the owner has deleted begin again.
        key: '=watch-{{ $json.subject }}-{{ $json.told_at || "new-" + $json.createdAt }}',
        more: { maxPerNumberAndDay: 20 },
      }),
      rows('Told', 'update', TABLE, {
        ...where({ subject: `={{ ${NEWS}.subject }}` }),
        columns: mapped({
          told: `={{ ${NEWS}.told === 'down' ? 'well' : 'down' }}`,
          told_at: '={{ $now.toUTC().toISO() }}',
        }),
        options: {},
      }),
    ],
    [
      ['Tell whoever is on call', 1],
      // It fails, and in five minutes it is tried again.
      mail(
        'Mail it instead',
        {
          subject: `={{ ${NEWS}.told === 'down' ? 'Well again: ' : 'Down: ' }}{{ ${NEWS}.what }}`,
          text: `={{ ${NEWS}.trouble }}

The SMS was not confirmed ({{ $json.details?.status ?? 'rejected' }}): {{ $json.details?.msg ?? $json.error }}`,
        },
        ONE_BY_ONE,
      ),
      'Told',
    ],
    [base('errorTrigger', 'A workflow has failed'), 'Table of troubles'],
    [
      'A workflow has failed',
      fields('It has failed', {
        subject: "={{ $json.workflow?.id ?? 'not named' }}",
        what: "={{ '工作流' + ($json.workflow?.id ?? '') }}",
        trouble: `={{ $json.workflow?.name ?? '' }}: {{ String($json.execution?.error?.message ?? $json.trigger?.error?.message ?? 'n8n gives no reason.').slice(0, 1000) }}
{{ $json.execution?.url ?? '' }}`,
        until: forMinutes(120),
      }),
      'Note it',
    ],
  ),
);
