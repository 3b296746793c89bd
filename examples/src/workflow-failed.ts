import type { Template } from './build';
import { at, base, mail, note, sendTemplate } from './parts';

const failed = base('errorTrigger', 'A workflow has failed', at(0));

// Not the workflow's name: carriers block English words in parameters.
const send = sendTemplate('Tell whoever is on call', at(1), {
  to: '',
  parameters: {
    workflow: '={{ $json.workflow.id }}',
    time: "={{ $now.toFormat('HH:mm') }}",
  },
  key: "=failed-{{ $json.workflow.id }}-{{ $now.toFormat('yyyyLLddHH') }}",
});

const FAILURE = "$('A workflow has failed').item.json";

const instead = mail('Mail it instead', at(2, 1), {
  subject: `=n8n: {{ ${FAILURE}.workflow.name }} has failed`,
  text: `={{ ${FAILURE}.execution?.error?.message ?? ${FAILURE}.trigger?.error?.message ?? 'n8n gives no reason.' }}

{{ ${FAILURE}.execution?.url ?? '' }}

The SMS was not sent ({{ $json.details.status }}): {{ $json.details.msg ?? $json.error }}`,
});

const template: Template = {
  name: 'Workflow failed → SMS',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      420,
      `## Workflow failed → SMS
An SMS to whoever is on call, once per workflow and hour. If it is not accepted, a mail.
工作流运行失败时发短信给值班人，每个工作流每小时一条；发不出去则发邮件。`,
    ),
    note(
      'set up',
      360,
      { above: -30 },
      500,
      `### Set up here
- *Tell whoever is on call*: your credential, signature, template and the number. A template to hand in: 自动化流程\${workflow}在\${time}运行失败，请及时处理。 Then map its parameters.
- *Mail it instead*: an SMTP credential, and your mail address as sender. It is the recipient too, if you enter no other.
- In the settings of your other workflows: this one as **Error Workflow**.`,
    ),
    note(
      'more',
      -80,
      { below: 180 },
      420,
      `### Why a number and not a name
Carriers block messages with English words that nobody has reviewed. So the SMS has the workflow's ID, as in its address, and the mail has the rest.`,
    ),
  ],
  lines: [
    [failed, send],
    [send, instead, 1],
  ],
};

export default template;
