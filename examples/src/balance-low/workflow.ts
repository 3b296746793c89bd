import {
  every,
  fields,
  lane,
  mail,
  makeTable,
  mapped,
  num,
  only,
  PATIENTLY,
  rows,
  sendTemplate,
  sms,
  when,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_balance_told';

const TODAY = "$('Today').first().json";

const HOUR = '$now.setZone($json.zone).hour';

const BALANCE = "$('Is it low?').first().json.balance";

export default workflow(
  {
    name: 'Balance low → SMS and mail',
    about: `## Balance low → SMS and mail
Reads the balance every hour. While it is below 1000, a mail and an SMS go out once a day. The mail goes at once, at any hour. The SMS rings between 8 and 21 only: a balance that is low at night sends it at 8, with a second mail. The mail goes even if the SMS cannot.

每小时查余额，低于 1000 时每天发一封邮件和一条短信。邮件随时发；短信只在 8 点到 21 点发，夜里不响，早上 8 点补发，并再发一封邮件。短信发不出去，邮件照发。`,
    setUp: `### Set up here
- *Get the balance*: your credential. n8n puts it into the send too.
- *Settings*: your own threshold, hours and time zone.
- *Send an SMS*: signature, template and your number. A template to hand in: 短信余额仅剩\${balance}条，请及时充值。 Then map its parameter to \`balance\`.
- *Send a mail*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
### 设置
- *Get the balance*：凭据，n8n 会带到发送节点。
- *Settings*：您的阈值、时段和时区。
- *Send an SMS*：签名、模板（可报审上面那一条）、您的号码，再把变量映射到 \`balance\`。
- *Send a mail*：SMTP 凭据、您的邮箱（发件人；不另填就也是收件人）。`,
    more: [
      `### A day · 一天
It begins at 8, where the hours begin. It counts as told once its mail is sent: until then, each hour tries again.
从 8 点（时段的开始）算起。邮件发出才算提醒过，之前每小时再试。`,
      `### What it does not tell · 不会提醒的
If the service gives no balance, the execution fails, and nothing is sent: choose an **Error Workflow** in the settings.
查不到余额时执行失败，什么也不发：请在设置里选一个 **Error Workflow**。`,
    ],
  },
  lane(
    [],
    [
      every('Every hour', 1, 'hours'),
      fields('Settings', {
        threshold: num(1000),
        from: num(8),
        until: num(21),
        zone: 'Asia/Shanghai',
      }),
      // With a time zone that there is not, it rings at any hour rather than never.
      fields(
        'Today',
        {
          day: '={{ $now.setZone($json.zone).minus({ hours: $json.from }).toISODate() ?? $now.toUTC().toISODate() }}',
          is_night: {
            type: 'boolean',
            // Or over midnight.
            value: `={{ $json.from < $json.until ? ${HOUR} < $json.from || ${HOUR} >= $json.until : ${HOUR} < $json.from && ${HOUR} >= $json.until }}`,
          },
        },
        { keepsOthers: true },
      ),
      sms('Get the balance', { resource: 'balance', operation: 'get' }, { once: true }),
      // What cannot be read is told, too.
      only('Is it low?', `={{ !(Number($json.balance) >= ${TODAY}.threshold) }}`),
      makeTable('Table of days', TABLE, ['day', 'balance']),
    ],
    [
      'Is it low?',
      rows(
        'Not told today',
        'rowNotExists',
        TABLE,
        { ...where({ day: `={{ ${TODAY}.day }}` }) },
        { once: true },
      ),
      [when('At night?', `={{ ${TODAY}.is_night }}`), 1],
      sendTemplate('Send an SMS', {
        to: '',
        parameters: { balance: '={{ $json.balance }}' },
        key: `=balance-{{ ${TODAY}.day }}`,
      }),
      mail(
        'Send a mail',
        {
          subject: `=SMS: the balance is {{ ${BALANCE} }}`,
          text: `=The balance is {{ ${BALANCE} }}. Without one, no message is sent: top it up at your SMS provider.

The SMS that says so: {{ $json.details?.status ?? $json.status ?? 'at ' + ${TODAY}.from + ' o’clock, if it is still low' }} {{ $json.details?.msg ?? '' }}{{ $json.status ? $json.msg : '' }}`,
        },
        PATIENTLY,
      ),
      rows('Told today', 'insert', TABLE, {
        columns: mapped({ day: `={{ ${TODAY}.day }}`, balance: `={{ String(${BALANCE}) }}` }),
        options: {},
      }),
    ],
    [['Send an SMS', 1], 'Send a mail'],
    ['At night?', 'Send a mail'],
  ),
);
