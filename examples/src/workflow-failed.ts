import type { Template } from './build';
import {
  at,
  base,
  mail,
  makeTable,
  mapped,
  note,
  NOW,
  only,
  PATIENTLY,
  rows,
  sendTemplate,
  where,
} from '../../builder/parts';

const TABLE = 'sms_failures_told';

const failed = base('errorTrigger', 'A workflow has failed', at(0));

const FAILURE = "$('A workflow has failed').first().json";

const HOUR = `{{ ${FAILURE}.workflow.id }}-{{ ${NOW}.toFormat('yyyyLLddHH') }}`;

// Not the workflow's name: carriers block English words in parameters.
const send = sendTemplate('Tell whoever is on call', at(1), {
  to: '',
  parameters: {
    workflow: '={{ $json.workflow.id }}',
    time: `={{ ${NOW}.toFormat('HH:mm') }}`,
  },
  key: `=failed-${HOUR}`,
});

const table = makeTable('Table of failures', at(2), TABLE, ['failure', 'at', 'told']);

// Of failures at the same moment, the first row mails; a row without a mail is a failed or killed execution's.
const noted = base('dataTable', 'Note the failure', at(2, 1), {
  ...rows('insert', TABLE),
  columns: mapped({ failure: `=${HOUR}`, at: '={{ $now.toUTC().toISO() }}', told: '' }),
  options: {},
});

const hour = base('dataTable', 'Failures of this hour', at(3, 1), {
  ...rows('get', TABLE),
  ...where({ failure: '={{ $json.failure }}' }),
  returnAll: true,
});

const MINE = "$('Note the failure').first().json.id";

const first = only(
  'First of this hour',
  at(4, 1),
  `={{ $json.id === ${MINE} && !$input.all().some(({ json }) => json.told || (json.id < ${MINE} && Date.parse(json.at) > $now.minus({ minutes: 5 }).toMillis())) }}`,
);

const mine = where({ id: `={{ ${MINE} }}` });

const SMS = "$('Tell whoever is on call').first(1).json";

const instead = mail(
  'Mail it instead',
  at(5, 1),
  {
    subject: `=n8n: {{ ${FAILURE}.workflow.name }} has failed`,
    text: `={{ ${FAILURE}.execution?.error?.message ?? ${FAILURE}.trigger?.error?.message ?? 'n8n gives no reason.' }}

{{ ${FAILURE}.execution?.url ?? '' }}

The SMS was not confirmed ({{ ${SMS}.details?.status ?? 'rejected' }}): {{ ${SMS}.details?.msg ?? ${SMS}.error }}`,
  },
  { ...PATIENTLY, onError: 'continueErrorOutput' },
);

const told = base('dataTable', 'Told', at(6, 1), {
  ...rows('update', TABLE),
  ...mine,
  columns: mapped({ told: '={{ $now.toUTC().toISO() }}' }),
  options: {},
});

const forget = base('dataTable', 'Not told', at(6, 2), {
  ...rows('deleteRows', TABLE),
  ...mine,
  options: {},
});

const stop = base('stopAndError', 'Say so', at(7, 2), {
  errorMessage: "=Neither SMS nor mail: {{ $('Mail it instead').first(1).json.error }}",
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
An SMS to whoever is on call, once per workflow and hour. If it is not accepted, a mail, once per workflow and hour too.
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
    note(
      'more',
      -80,
      { below: 360 },
      420,
      `### If the mail fails too
It is tried for 20 seconds. Then this execution fails, and the next failure of the workflow is told. If n8n is killed in between, it is one that comes 5 minutes later. n8n's data tables must have room for a row.`,
      'If the mail fails too',
    ),
  ],
  lines: [
    [failed, send],
    [send, table, 1],
    [send, noted, 1],
    [noted, hour],
    [hour, first],
    [first, instead],
    [instead, told],
    [instead, forget, 1],
    [forget, stop],
  ],
};

export default template;
