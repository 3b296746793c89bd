import {
  HELD,
  base,
  call,
  code,
  every,
  heartbeat,
  lane,
  look,
  num,
  only,
  reads,
  settings,
  sizes,
  workflow,
} from '../parts';

const mail = (name: string, subject: string, text: string) =>
  base(
    'emailSend',
    name,
    {
      fromEmail: "={{ $('Settings').first().json.mail_from }}",
      toEmail: "={{ $('Settings').first().json.mail_to }}",
      ...{ subject, emailFormat: 'text', text, options: { appendAttribution: false } },
    },
    { tries: 2, needs: 'smtp' },
  );

/** It may have been sent, too, if the outbox fails as a whole. */
const WHETHER_SENT =
  "{{ ['refused', 'rejected'].includes($json.status) ? 'was not sent' : 'may not have been sent' }}";

export default workflow(
  {
    name: 'Watchdog',
    about: `## Watchdog · 告警
Once an hour it looks for what is wrong, and mails each thing once: when it begins and, if that can be seen, when it is over.
每小时看一次，每个问题开始时发一封邮件；看得出已经解决的，再发一封。
- Messages of the last 24 hours were not sent. 24 小时内有没发出去的。
- Of the latest 50 accepted messages, too many have no report. 最近受理的 50 条里，没有状态报告的太多。
- A workflow does not take its records, or does not run. 有工作流没有取走记录，或没有运行。
- The tables are filling. 表快满了。`,
    setUp: `### Set up here · 设置
- In *Settings*: the addresses; \`hours\`, how old the messages may be that need a report. 邮箱；\`hours\`：看几小时以内的短信有没有状态报告。
- Thresholds: rows of *sms.thresholds*. 阈值：表 *sms.thresholds* 的行。
- In both mail steps an SMTP credential. Mails, because SMS may be what is broken. 两个邮件节点选 SMTP 凭据；用邮件，因为坏的可能就是短信。
- Publish inbox, outbox and *SMS · Upkeep*. 这三个要发布。`,
    tryIt: `### Try it · 试一下
Press **Execute workflow**: it looks now, and mails what it finds. By hand it remembers nothing. 马上看一次，有问题就发邮件；手动执行的不记下来。`,
  },
  lane(
    [
      `### First the mail, then the memory · 先发邮件再记
The alarms are kept in n8n's own data of this workflow: each mail goes out once, also when the tables are full. If the mail server is away, the next hour tries again.
发过的告警记在 n8n 给本工作流的数据里，表满了也不会重复发。邮件发不出去，下一小时再试。`,
      `### Canary: one SMS a day to yourself · 每天给自己一条
It proves the whole way: outbox, provider, trigger, inbox. While nobody sends, nothing else shows a fault. In *Canary*: your number, a signature, a template without parameters, and an \`hour\` in which notices may be sent. Without a number, there is no canary.
证明整条路是通的：发件箱、服务商、触发器、收件箱；没人发短信的时候，只有它能发现问题。在 *Canary* 里填您的号码、签名、没有变量的模板，和允许发通知的钟点 \`hour\`。不填号码就不发。`,
    ],
    [every('Every hour', 1, 'hours'), heartbeat('Watchdog', 60)],
    [
      'Every hour',
      call('Does the inbox answer?', 'sms-inbox', { once: true, always: true, goOn: true }),
    ],
    [
      'Every hour',
      settings('Settings', {
        hours: num(6),
        mail_from: '',
        mail_to: '',
        status_page:
          "={{ $execution.resumeUrl.replace(/\\/webhook-waiting.*/, '/webhook/sms-status') }}",
      }),
      look('Thresholds', 'sms.thresholds'),
      reads(
        'Get the sends that need a report',
        `SELECT * FROM sms.outbox WHERE status = 'accepted' AND sent_at BETWEEN statement_timestamp() - $1 * interval '1 hour'
AND statement_timestamp() - $2 * interval '1 minute' ORDER BY sent_at DESC LIMIT 50`,
        ["$('Settings').first().json.hours", `${HELD}.late_minutes`],
      ),
      reads(
        'Get the latest record of the inbox',
        'SELECT * FROM sms.inbox ORDER BY id DESC LIMIT 1',
      ),
      reads('Get what was not sent', 'SELECT * FROM sms.unsent'),
      look('Get the subscribers', 'sms.subscribers'),
      look('Heartbeats', 'sms.heartbeats'),
      sizes('Sizes'),
      code('Find what is wrong'),
      mail('Send the mail', '={{ $json.subject }}', '={{ $json.text }}'),
      code('Remember the mail'),
    ],
    [
      'Settings',
      settings('Canary', {
        hour: num(9),
        phone: '',
        template_id: '',
        signature_id: '',
        class: 'notice',
        reference: 'canary',
        source: '={{ $workflow.name }}',
        key: "=canary-{{ $now.toFormat('yyyy-MM-dd') }}",
      }),
      only(
        'Is it the hour of the canary?',
        '={{ Boolean($json.phone) && $now.hour === $json.hour }}',
      ),
      call('Send through the outbox', 'sms-outbox', { goOn: true }),
      only(
        'Only if not accepted',
        "={{ !['accepted', 'skipped', 'waiting'].includes($json.status) }}",
      ),
      mail(
        'Mail that it was not sent',
        `=SMS: the canary ${WHETHER_SENT}`,
        `=What happened: the daily SMS to yourself ${WHETHER_SENT}. {{ $json.reason || $json.error?.message || $json.error }}

What to do:
1. Open the status page: {{ $('Settings').first().json.status_page }}
2. Mend what the reason says. Number, template and signature are entered in the node Canary of the workflow {{ $workflow.name }}.

The next try is tomorrow.`,
      ),
    ],
  ),
);
