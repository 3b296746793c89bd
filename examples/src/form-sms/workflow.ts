import { callOf } from '../../../builder/expression';
import {
  base,
  fields,
  lane,
  makeTable,
  mapped,
  only,
  posted,
  readPost,
  rows,
  sendTemplate,
  where,
  workflow,
} from '../parts';

const TABLE = 'sms_leads';
const COLUMNS = ['lead', 'name', 'phone', 'message', 'source', 'owner', 'visitor'];

/** What a visitor has typed: of the form, or of what your system has posted. No more than so long, and "-" for nothing. */
const typed = (field: string, length: number, nothing = '-') =>
  `={{ [...${callOf('examples/src/plain', 'plain', `($json.post ?? $json).${field}`)}].slice(0, ${length}).join('') || '${nothing}' }}`;

/** Writes into the lead's row what became of a message to somebody. */
const note = (name: string, column: string) =>
  rows(name, 'update', TABLE, {
    ...where({ id: "={{ $('Keep the lead').first().json.id }}" }),
    columns: mapped({ [column]: '={{ $json.details?.msg || $json.error || $json.status }}' }),
    options: {},
  });

export default workflow(
  {
    name: 'Form → SMS',
    about: `## Form → SMS
Somebody fills in a form, and you get an SMS. If your own system posts the lead, the visitor gets one, too. Each lead is a row of the data table \`sms_leads\`, with what became of both.

有人填表单，您收到短信；由您自己的系统提交时，对方也收到一条。每条线索都存进数据表 \`sms_leads\`，两条短信的结果也在里面。`,
    setUp: `### Set up here
- *Text the owner*: your signature, your template, and your own number in **Phone Numbers**. Then map the parameters.
- *Text the visitor*: the same without a number.
- *Lead from your system*: a Header Auth credential: the name of a header and a secret, both made up by you. Without such a system, deactivate it.
### 设置
- *Text the owner*：签名、模板，**Phone Numbers** 填您自己的号码，再映射变量。
- *Text the visitor*：签名、模板，再映射变量，不填号码。
- *Lead from your system*：Header Auth 凭据，请求头的名字和密钥由您定。没有这样的系统，就停用它（选中后按 D）。`,
    tryIt: `### Try it · 试一下
Publish it, and fill in the form at the **Production URL** of *The form*. Or post to that of *Lead from your system*, with another number than that of *Text the owner*, which has had its SMS of the day:
发布后，打开 *The form* 的 **Production URL** 填写；或者提交到 *Lead from your system*，号码不能是 *Text the owner* 里的那个，它当天已收到一条：
\`curl https://… -H 'x-webhook-key: secret' -H 'content-type: application/json' -d '{ "id": "L-1", "phone": "13800138000", "name": "Li Lei" }'\``,
    more: [
      `### Who is texted · 谁会收到
The form is open to anybody, so it texts you alone: 10 a day, and 20 characters of a name. What comes after that is in the table.
表单谁都能填，所以只发给您：每天 10 条，名字取前 20 个字；其余的看数据表。`,
      `### The visitor · 对方
Is texted only for a lead of your own system, once a day. Nobody else knows the secret.
只有您自己的系统提交的才发，每个号码每天一条。密钥只有它知道。`,
    ],
  },
  lane(
    [],
    [
      base(
        'formTrigger',
        'The form',
        {
          formTitle: 'Contact us · 联系我们',
          formFields: {
            values: [
              { fieldName: 'name', fieldLabel: 'Name · 姓名', requiredField: true },
              { fieldName: 'phone', fieldLabel: 'Phone · 手机号', requiredField: true },
              { fieldName: 'message', fieldLabel: 'Message · 留言', fieldType: 'textarea' },
            ],
          },
          options: {
            path: 'form-sms',
            appendAttribution: false,
            respondWithOptions: {
              values: { respondWith: 'text', formSubmittedText: 'Thank you · 谢谢，我们会联系您' },
            },
          },
        },
        { version: 2.6 },
      ),
      makeTable('Table of leads', TABLE, COLUMNS),
    ],
    [
      'The form',
      fields('Read the lead', {
        // A system's own numbers are no execution's: their keys would be the same.
        lead: `={{ ${callOf('examples/src/plain', 'plain', '$json.post?.id')} || 'execution-' + $execution.id }}`,
        // Nobody is greeted as "-".
        name: typed('name', 20, ''),
        phone: typed('phone', 20),
        // Whole: a list that is cut would begin with a number.
        to: "={{ $json.post?.phone ?? '' }}",
        message: typed('message', 500),
        source: "={{ $('Lead from your system').isExecuted ? 'system' : 'form' }}",
      }),
      rows('Keep the lead', 'insert', TABLE, {
        columns: mapped({
          ...Object.fromEntries(COLUMNS.map((column) => [column, `={{ $json.${column} }}`])),
          owner: '',
          visitor: '',
        }),
        options: {},
      }),
      sendTemplate('Text the owner', {
        to: '',
        parameters: { name: "={{ $json.name || '-' }}", phone: '={{ $json.phone }}' },
        key: '=lead-{{ $json.lead }}',
        perDay: 10,
      }),
      note('Was the owner told?', 'owner'),
      only('Only from your system', "={{ $json.source === 'system' }}"),
      sendTemplate('Text the visitor', {
        to: "={{ $('Read the lead').first().json.to }}",
        parameters: { name: '={{ $json.name }}' },
        key: '=visitor-{{ $json.lead }}',
        perDay: 1,
      }),
      note('Was the visitor told?', 'visitor'),
    ],
    [['Text the owner', 1], 'Was the owner told?'],
    [['Text the visitor', 1], 'Was the visitor told?'],
    [posted('Lead from your system', 'lead-sms'), 'Table of leads'],
    ['Lead from your system', readPost(), 'Read the lead'],
  ),
);
