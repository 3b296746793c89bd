import {
  base,
  lane,
  mail,
  makeTable,
  mapped,
  NOW,
  only,
  PATIENTLY,
  rows,
  sendTemplate,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_failures_told';

const FAILURE = "$('A workflow has failed').first().json";

const HOUR = `{{ ${FAILURE}.workflow.id }}-{{ ${NOW}.toFormat('yyyyLLddHH') }}`;

const MINE = "$('Note the failure').first().json.id";

const mine = where({ id: `={{ ${MINE} }}` });

const SMS = "$('Tell whoever is on call').first(1).json";

export default workflow(
  {
    name: 'Workflow failed → SMS',
    about: `## Workflow failed → SMS
An SMS to whoever is on call, once per workflow and hour. If it is not accepted, a mail, once per workflow and hour too.

工作流失败时给值班人发短信，每个工作流每小时一条；短信没被受理就发邮件，同样每小时一封。`,
    setUp: `### Set up here
- *Tell whoever is on call*: your credential, signature, template and the number. A template to hand in: 自动化流程\${workflow}在\${time}运行失败，请及时处理。 Then map its parameters.
- *Mail it instead*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- In the settings of your other workflows: this one as **Error Workflow**.
### 设置
- *Tell whoever is on call*：凭据、签名、模板（可报审上面那一条）、号码，再映射变量。
- *Mail it instead*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。
- 在其他工作流的设置里，把这个选为 **Error Workflow**。`,
    more: [
      `### Why a number and not a name · 为什么是编号
Carriers block messages with English words that nobody has reviewed. So the SMS has the workflow's ID, as in its address, and the mail has the rest.
没有审核过的英文词会被运营商拦截，所以短信里是工作流的 ID（地址栏里的那个），其余在邮件里。`,
      `### If the mail fails too · 邮件也失败
It is tried for 20 seconds. Then this execution fails, and the next failure of the workflow is told. If n8n is killed in between, it is one that comes 5 minutes later. n8n's data tables must have room for a row.
试 20 秒，之后这次执行失败，该工作流下一次失败时再提醒。数据表要有一行的空间。`,
    ],
  },
  lane(
    [],
    [
      base('errorTrigger', 'A workflow has failed'),
      // Not the workflow's name: carriers block English words in parameters.
      [
        sendTemplate('Tell whoever is on call', {
          to: '',
          parameters: {
            workflow: '={{ $json.workflow.id }}',
            time: `={{ ${NOW}.toFormat('HH:mm') }}`,
          },
          key: `=failed-${HOUR}`,
        }),
        1,
      ],
      makeTable('Table of failures', TABLE, ['failure', 'at', 'told']),
    ],
    [
      ['Tell whoever is on call', 1],
      // Of failures at the same moment, the first row mails; a row without a mail is a failed or killed execution's.
      rows('Note the failure', 'insert', TABLE, {
        columns: mapped({ failure: `=${HOUR}`, at: '={{ $now.toUTC().toISO() }}', told: '' }),
        options: {},
      }),
      rows('Failures of this hour', 'get', TABLE, {
        ...where({ failure: '={{ $json.failure }}' }),
        returnAll: true,
      }),
      only(
        'First of this hour',
        `={{ $json.id === ${MINE} && !$input.all().some(({ json }) => json.told || (json.id < ${MINE} && Date.parse(json.at) > $now.minus({ minutes: 5 }).toMillis())) }}`,
      ),
      mail(
        'Mail it instead',
        {
          subject: `=n8n: {{ ${FAILURE}.workflow.name }} has failed`,
          text: `={{ ${FAILURE}.execution?.error?.message ?? ${FAILURE}.trigger?.error?.message ?? 'n8n gives no reason.' }}

{{ ${FAILURE}.execution?.url ?? '' }}

The SMS was not confirmed ({{ ${SMS}.details?.status ?? 'rejected' }}): {{ ${SMS}.details?.msg ?? ${SMS}.error }}`,
        },
        { ...PATIENTLY, errors: true },
      ),
      rows('Told', 'update', TABLE, {
        ...mine,
        columns: mapped({ told: '={{ $now.toUTC().toISO() }}' }),
        options: {},
      }),
    ],
    [
      ['Mail it instead', 1],
      rows('Not told', 'deleteRows', TABLE, { ...mine, options: {} }),
      base('stopAndError', 'Say so', {
        errorMessage: "=Neither SMS nor mail: {{ $('Mail it instead').first(1).json.error }}",
      }),
    ],
  ),
);
