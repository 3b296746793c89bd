import type { Template } from './build';
import { at, base, mail, note, once, only, sms } from './parts';

const often = base('scheduleTrigger', 'Every 15 minutes', at(0), {
  rule: { interval: [{ field: 'minutes', minutesInterval: 15 }] },
});

const templates = sms('List the templates', at(1), {
  resource: 'template',
  operation: 'getAll',
  returnAll: true,
});

const ended = only(
  'Review has ended',
  at(2),
  '={{ ![0, 1].includes(Number($json.audit_status)) }}',
);

const news = once('Not told yet', at(3), '={{ $json.id }}-{{ $json.audit_status }}');

const LINE =
  "`${json.name} (${json.id}): ${{ 2: 'passed', 3: 'refused' }[json.audit_status] ?? 'status ' + json.audit_status}. ${json.content}`";

const tell = mail(
  'Mail the results',
  at(4),
  {
    subject:
      "={{ $input.all().length === 1 ? 'SMS: a review has ended' : 'SMS: ' + $input.all().length + ' reviews have ended' }}",
    text: `={{ $input.all().map(({ json }) => ${LINE}).join('\\n') }}`,
  },
  { executeOnce: true },
);

const template: Template = {
  name: 'Review ended → mail',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      460,
      `## Review ended → mail
Looks every 15 minutes whether the review of a template has ended, and mails the result. The first mail lists all templates whose review has ended before.
模板审核有结果时发邮件通知。`,
    ),
    note(
      'set up',
      400,
      { above: -30 },
      560,
      `### Set up here
- *List the templates*: your credential.
- *Mail the results*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- The platform's manual does not say what the numbers of **audit_status** mean. Here 0 and 1 are in review, 2 is passed and 3 is refused, as in a public client. If yours differ, change *Review has ended*.`,
    ),
  ],
  lines: [
    [often, templates],
    [templates, ended],
    [ended, news],
    [news, tell],
  ],
};

export default template;
