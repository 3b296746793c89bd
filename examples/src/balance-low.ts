import type { Template } from './build';
import { at, base, mail, note, once, only, sendTemplate, sms } from './parts';

const hourly = base('scheduleTrigger', 'Every hour', at(0), {
  rule: { interval: [{ field: 'hours' }] },
});

const balance = sms('Get the balance', at(1), { resource: 'balance', operation: 'get' });

const low = only('Below 1000', at(2), '={{ Number($json.balance) < 1000 }}');

const daily = once('Once a day', at(3), '={{ $now.toISODate() }}');

const send = sendTemplate('Send an SMS', at(4), {
  to: '',
  parameters: { balance: '={{ String($json.balance) }}' },
  key: '=balance-{{ $now.toISODate() }}',
});

const tell = mail('Send a mail', at(5), {
  subject: "=SMS: the balance is {{ $('Below 1000').item.json.balance }}",
  text: `=The balance is {{ $('Below 1000').item.json.balance }}. Without one, no message is sent: top it up at your SMS provider.

The SMS that says so: {{ $json.details?.status ?? $json.status }} {{ $json.details?.msg ?? $json.msg ?? '' }}`,
});

const template: Template = {
  name: 'Balance low → SMS and mail',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      460,
      `## Balance low → SMS and mail
Reads the balance every hour. The first time in a day that it is below 1000, an SMS and a mail go out. The mail comes also where the SMS cannot.
短信余额低于 1000 时发短信和邮件，每天最多一次。`,
    ),
    note(
      'set up',
      400,
      { above: -30 },
      560,
      `### Set up here
- *Get the balance*: your credential. n8n puts it into the send too.
- *Below 1000*: your own threshold.
- *Send an SMS*: signature, template and your number. A template to hand in: 短信余额仅剩\${balance}条，请及时充值。 Then map its parameter to \`balance\`.
- *Send a mail*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.`,
    ),
  ],
  lines: [
    [hourly, balance],
    [balance, low],
    [low, daily],
    [daily, send],
    [send, tell],
    [send, tell, 1],
  ],
};

export default template;
