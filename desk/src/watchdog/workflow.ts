import { base, call, code, every, get, lane, missing, num, only, settings } from '../parts';
import type { DeskWorkflow } from '../parts';
import { thresholdsIn } from '../common/messages/thresholds';
import runFindWhatIsWrong from './find-what-is-wrong';
import runRememberTheMail from './remember-the-mail';

const everyHour = every('Every hour', 1, 'hours');

const toSet = settings('Settings', {
  hours: num(6),
  mail_from: '',
  mail_to: '',
  status_page: "={{ $execution.resumeUrl.replace(/\\/webhook-waiting.*/, '/webhook/sms-status') }}",
});

const thresholds = get(
  'Thresholds',
  'sms_thresholds',
  {},
  { once: true, always: true, goOn: true },
);

const getTheSendsThatNeedAReport = get(
  'Get the sends that need a report',
  'sms_outbox',
  {
    'sent_at >=': "={{ $now.minus({ hours: $('Settings').first().json.hours }).toISO() }}",
    'sent_at <=': `={{ $now.minus({ minutes: $('Thresholds').all().findLast(({ json }) => json.name === 'late_minutes')?.json.value ?? ${thresholdsIn([]).late_minutes} }).toISO() }}`,
    status: 'accepted',
  },
  { order: 'sent_at desc', limit: 50, once: true, always: true, goOn: true },
);

const keepThoseWithoutAReport = missing(
  'Keep those without a report',
  'sms_inbox',
  {
    event: 'deliveryReport',
    batch_id: "={{ $json.batch_id || 'none' }}",
    phone_number: "={{ $json.phone_number || 'none' }}",
  },
  { always: true, goOn: true },
);

const getTheLatestRecordOfTheInbox = get(
  'Get the latest record of the inbox',
  'sms_inbox',
  {},
  { order: 'id desc', limit: 1, once: true, always: true, goOn: true },
);

const getWhatWasNotSent = get(
  'Get what was not sent',
  'sms_outbox',
  { 'status !=': 'accepted', 'sent_at >=': '={{ $now.minus({ days: 1 }).toISO() }}' },
  { order: 'id desc', limit: 10000, once: true, always: true, goOn: true },
);

const getTheSubscribers = get(
  'Get the subscribers',
  'sms_subscribers',
  {},
  { once: true, always: true, goOn: true },
);

const sizesFromTheUpkeep = call('Sizes from the upkeep', 'sms-upkeep', {
  once: true,
  always: true,
  goOn: true,
});

const findWhatIsWrong = code('Find what is wrong', runFindWhatIsWrong);

const sendTheMail = base(
  'emailSend',
  'Send the mail',
  {
    fromEmail: "={{ $('Settings').first().json.mail_from }}",
    toEmail: "={{ $('Settings').first().json.mail_to }}",
    subject: '={{ $json.subject }}',
    emailFormat: 'text',
    text: '={{ $json.text }}',
    options: { appendAttribution: false },
  },
  { tries: 2, needs: 'smtp' },
);

const rememberTheMail = code('Remember the mail', runRememberTheMail);

const canary = settings('Canary', {
  hour: num(9),
  phone: '',
  template_id: '',
  signature_id: '',
  class: 'notice',
  reference: 'canary',
  source: '={{ $workflow.name }}',
  key: "=canary-{{ $now.toFormat('yyyy-MM-dd') }}",
});

const isItTheHourOfTheCanary = only(
  'Is it the hour of the canary?',
  '={{ Boolean($json.phone) && $now.hour === $json.hour }}',
);

const sendThroughTheOutbox = call('Send through the outbox', 'sms-outbox', { goOn: true });

const onlyIfNotAccepted = only(
  'Only if not accepted',
  "={{ !['accepted', 'skipped', 'waiting'].includes($json.status) }}",
);

const mailThatItWasNotSent = base(
  'emailSend',
  'Mail that it was not sent',
  {
    fromEmail: "={{ $('Settings').first().json.mail_from }}",
    toEmail: "={{ $('Settings').first().json.mail_to }}",
    subject: 'SMS: the canary was not sent',
    emailFormat: 'text',
    text: `=What happened: the daily SMS to yourself was not sent. {{ $json.reason || $json.error?.message || $json.error }}

What to do:
1. Open the status page: {{ $('Settings').first().json.status_page }}
2. Mend what the reason says. Number, template and signature are entered in the node Canary of the workflow {{ $workflow.name }}.

The next try is tomorrow.`,
    options: { appendAttribution: false },
  },
  { tries: 2, needs: 'smtp' },
);

const workflow: DeskWorkflow = {
  name: 'Watchdog',
  about: `## Watchdog
Once an hour it looks for what is wrong, and mails each thing once: when it begins and, if that can be seen, when it is over.
- Messages of the last 24 hours were not sent: rejected, refused, overdue, or nobody knows.
- Of the latest 50 accepted messages, too many have no report.
- A workflow does not take the records that the inbox has for it.
- The tables are filling.`,
  setUp: `### Set up here
- In *Settings*: the addresses; \`hours\`, how old the messages may be that need a report.
- Its thresholds are those of the dashboard, which a row of *sms_thresholds* changes.
- In both mail steps: an SMTP credential. Mails, because SMS may be what is broken.
- Inbox, outbox and *SMS · Upkeep* must be published.`,
  tryIt: `### Try it
Press **Execute workflow**: it looks now, and mails what it finds. By hand it remembers nothing.`,
  lanes: [
    lane(
      [
        `### First the mail, then the memory
The alarms are kept in n8n's own data of this workflow, not in a table: each mail goes out once, also when the tables are full. If the mail server is away, the next hour tries again.`,
        `### Canary: one SMS a day to yourself
It proves the whole way: outbox, provider, trigger, inbox. A trigger that finds nothing leaves no trace, so without it nobody knows while nobody sends. In *Canary*: your number, a signature and a template without parameters, and an \`hour\` in which notices may be sent. Without a number, there is no canary.`,
      ],
      [
        everyHour,
        toSet,
        thresholds,
        getTheSendsThatNeedAReport,
        keepThoseWithoutAReport,
        getTheLatestRecordOfTheInbox,
        getWhatWasNotSent,
        getTheSubscribers,
        sizesFromTheUpkeep,
        findWhatIsWrong,
        sendTheMail,
        rememberTheMail,
      ],
      [
        toSet,
        canary,
        isItTheHourOfTheCanary,
        sendThroughTheOutbox,
        onlyIfNotAccepted,
        mailThatItWasNotSent,
      ],
    ),
  ],
};

export default workflow;
