import type { Template } from './build';
import {
  at,
  base,
  isTrue,
  mail,
  makeTable,
  mapped,
  note,
  PATIENTLY,
  rows,
  shown,
  sms,
  where,
} from '../../builder/parts';

const TABLE = 'sms_reviews_told';

/** With the text: what is changed and refused again between two looks is another review. */
const REVIEW = {
  template_id: `={{ ${shown('$json.id')} }}`,
  audit_status: `={{ ${shown('$json.audit_status')} }}`,
  content: `={{ ${shown('$json.content')} }}`,
};

const often = base('scheduleTrigger', 'Every 15 minutes', at(0), {
  rule: { interval: [{ field: 'minutes', minutesInterval: 15 }] },
});

const templates = sms('List the templates', at(1), {
  resource: 'template',
  operation: 'getAll',
  returnAll: true,
});

const table = makeTable('Table of results', at(2), TABLE, Object.keys(REVIEW));

const ended = base('if', 'Review has ended', at(2, 1), {
  conditions: isTrue("={{ !['0', '1'].includes(String($json.audit_status)) }}"),
  options: {},
});

const news = base('dataTable', 'Not told yet', at(3, 1), {
  ...rows('rowNotExists', TABLE),
  ...where(REVIEW),
});

const forget = base('dataTable', 'In review again', at(3, 2), {
  ...rows('deleteRows', TABLE),
  ...where({ template_id: REVIEW.template_id }),
  options: {},
});

const LINE =
  "`${json.name ?? ''} (${json.id}): ${{ 2: 'passed', 3: 'refused' }[json.audit_status] ?? 'status ' + (json.audit_status ?? 'not given')}. ${json.content ?? ''}`";

const tell = mail(
  'Mail the results',
  at(4, 1),
  {
    subject:
      "={{ $input.all().length === 1 ? 'SMS: a review has ended' : 'SMS: ' + $input.all().length + ' reviews have ended' }}",
    text: `={{ $input.all().map(({ json }) => ${LINE}).join('\\n') }}`,
  },
  { executeOnce: true, ...PATIENTLY },
);

const each = base('code', 'Each of them', at(5, 1), { jsCode: "return $('Not told yet').all();" });

// One row for each template: what it was before may come again.
const remember = base('dataTable', 'Told', at(6, 1), {
  ...rows('upsert', TABLE),
  ...where({ template_id: REVIEW.template_id }),
  columns: mapped(REVIEW),
  options: {},
});

const template: Template = {
  name: 'Review ended → mail',
  notes: [
    note(
      'about',
      -80,
      { above: -30 },
      460,
      `## Review ended → mail
Looks every 15 minutes whether the review of a template has ended, and mails the result. The first mail lists all templates whose review has ended before. A result counts as told once its mail is sent.
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
    note(
      'more',
      -80,
      { below: 180 },
      460,
      `### What it does not see
A review that begins and ends between two looks, with the same text and result as before. If the service gives no list, the execution fails.`,
    ),
  ],
  lines: [
    [often, templates],
    [templates, table],
    [templates, ended],
    [ended, news],
    [ended, forget, 1],
    [news, tell],
    [tell, each],
    [each, remember],
  ],
};

export default template;
