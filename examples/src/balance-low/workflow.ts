import {
  base,
  fields,
  lane,
  mail,
  makeTable,
  mapped,
  NOW,
  only,
  PATIENTLY,
  rows,
  sendTemplate,
  sms,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_balance_told';

const LOW = "$('Today').first().json";

export default workflow(
  {
    name: 'Balance low → SMS and mail',
    about: `## Balance low → SMS and mail
Reads the balance every hour. The first time in a day that it is below 1000, an SMS and a mail go out. The mail goes even if the SMS cannot. A day counts as told once its mail is sent: until then, each hour tries again.

每小时查余额，一天里第一次低于 1000 时发短信和邮件；短信发不出去，邮件照发。邮件发出才算提醒过，之前每小时再试。`,
    setUp: `### Set up here
- *Get the balance*: your credential. n8n puts it into the send too.
- *Below 1000*: your own threshold. *Today*: your time zone.
- *Send an SMS*: signature, template and your number. A template to hand in: 短信余额仅剩\${balance}条，请及时充值。 Then map its parameter to \`balance\`.
- *Send a mail*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
### 设置
- *Get the balance*：凭据，n8n 会带到发送节点。
- *Below 1000*：您的阈值。*Today*：您的时区。
- *Send an SMS*：签名、模板（可报审上面那一条）、您的号码，再把变量映射到 \`balance\`。
- *Send a mail*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。`,
    more: [
      `### What it does not tell · 不会提醒的
If the service gives no balance, the execution fails, and nothing is sent: choose an **Error Workflow** in the settings.
查不到余额时执行失败，什么也不发：请在设置里选一个 **Error Workflow**。`,
    ],
  },
  lane(
    [],
    [
      base('scheduleTrigger', 'Every hour', { rule: { interval: [{ field: 'hours' }] } }),
      sms('Get the balance', { resource: 'balance', operation: 'get' }),
      // What cannot be read is told, too.
      only('Below 1000', '={{ !(Number($json.balance) >= 1000) }}'),
      fields('Today', { day: `={{ ${NOW}.toISODate() }}` }, { keepsOthers: true }),
      makeTable('Table of days', TABLE, ['day', 'balance']),
    ],
    [
      'Today',
      rows('Not told today', 'rowNotExists', TABLE, { ...where({ day: '={{ $json.day }}' }) }),
      sendTemplate('Send an SMS', {
        to: '',
        parameters: { balance: '={{ $json.balance }}' },
        key: '=balance-{{ $json.day }}',
      }),
      mail(
        'Send a mail',
        {
          subject: `=SMS: the balance is {{ ${LOW}.balance }}`,
          text: `=The balance is {{ ${LOW}.balance }}. Without one, no message is sent: top it up at your SMS provider.

The SMS that says so: {{ $json.details?.status ?? $json.status }} {{ $json.details?.msg ?? $json.msg ?? '' }}`,
        },
        PATIENTLY,
      ),
      rows('Told today', 'insert', TABLE, {
        columns: mapped({ day: `={{ ${LOW}.day }}`, balance: `={{ String(${LOW}.balance) }}` }),
        options: {},
      }),
    ],
    [['Send an SMS', 1], 'Send a mail'],
  ),
);
