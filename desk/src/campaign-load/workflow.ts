import { callOf } from '../../../builder/expression';
import {
  ONLY_FAILURES,
  PAGES,
  base,
  call,
  called,
  code,
  lane,
  posted,
  runs,
  saidOf,
  unless,
  workflow,
} from '../parts';
import { VERSION } from '../declared';

/** How long n8n waits for a person, with the whole list in the execution. Without it, until the year 3000. */
const AN_HOUR = { limitWaitTime: true, resumeAmount: 1, resumeUnit: 'hours' };

/** A text of the form in English, or in Chinese for who asks for it. */
const inLang = (en: string, zh: string) =>
  `={{ ${callOf('builder/code/lang', 'langOf', '$json')} === 'zh' ? '${zh}' : '${en}' }}`;

/** The address of this n8n. */
const HOME = "{{ $execution.resumeFormUrl.split('/form-waiting/')[0] }}";

/** The language for the next page, if the address of the form has named it. */
const langBehind = (sign: '?' | '&') =>
  `{{ $('Spreadsheet and name').first().json.formQueryParameters?.lang ? '${sign}lang=' + encodeURIComponent($('Spreadsheet and name').first().json.lang) : '' }}`;

export default workflow(
  {
    name: 'Campaign: load',
    about: `## Campaigns: load · 群发：导入名单
A marketer gives a spreadsheet and a name, then chooses template and signature; or your program posts a list. Each number becomes one row of *sms.recipients*, however often it is loaded; what is no number becomes an invalid row. A new campaign is a *draft* until somebody presses *Start*; one that lacks a column for a parameter is *incomplete* until a list with it is loaded under the same name.
运营人员给一张表格和名称，再选模板和签名；或由程序提交名单。每个号码在 *sms.recipients* 里只有一行，导入几次都一样；不是号码的记为无效。新群发是草稿（*draft*），点“开始发送”才发；缺少变量列的是 *incomplete*，用同一名称再导入带这列的名单即可。

**The file · 文件：** Excel, or a text as Excel and others save it, with a column phone, mobile, 手机 or 手机号; a parameter takes the column of its name. What is hidden is left out, and what is not clear is refused. Excel 或文本文件，要有“手机号”“手机”、phone 或 mobile 列；变量取同名的列；隐藏的行、列、工作表不导入，看不懂的也不导入。`,
    setUp: `## Set up here · 设置
1. The login of the form in *Spreadsheet and name*, that of your programs in *Recipients arrive*. 依次选：表单登录用的凭据、程序用的凭据。
2. Publish *SMS · Service* and *SMS · Campaign: page* before it. 先发布 *SMS · Service* 和 *SMS · Campaign: page*。
3. Programs post · 程序提交：\`{"campaign": "Spring", "template_id": "302", "signature_id": "", "recipients": [{"phone": "13810000020", "name": "Li Lei"}], "start": true}\`. Without \`start\` it is a draft; later lists need only name and recipients. What is wrong is answered with 400, 409 (the campaign was stopped, or has another template) or 503 (post it again) and a \`problem\`. 不带 \`start\` 是草稿；同一次群发后面的名单，只要名称和收件人。有错时返回 400、409（群发已停止，或用的是别的模板）或 503（请再提交），以及 \`problem\`。`,
    tryIt: `## Try it · 试一下
Open the production address of *Spreadsheet and name*, and give it a spreadsheet with your own number. A program posts to that of *Recipients arrive*. 打开 *Spreadsheet and name* 的 Production URL（正式地址），用含您自己号码的表格试；程序提交到 *Recipients arrive* 的地址。`,
    settings: ONLY_FAILURES,
  },
  lane(
    `## The form · 表单
Its second page offers the templates and signatures that *SMS · Service* has stored, without disabled ones. Who leaves it loads nothing: n8n ends the execution after an hour.
第二页列出 *SMS · Service* 查到的模板和签名，不含停用的。中途离开，什么也不导入，一小时后 n8n 结束这次执行。`,
    [
      base(
        'formTrigger',
        'Spreadsheet and name',
        {
          authentication: 'basicAuth',
          formTitle: inLang('New campaign', '新建群发'),
          formDescription: inLang(
            'CSV or Excel, with a column phone or 手机号. Nothing is sent yet.',
            'CSV 或 Excel 文件，须有“手机号”或 phone 列。此时不会发送。',
          ),
          formFields: {
            values: [
              {
                fieldLabel: inLang('Name of the campaign', '群发名称'),
                fieldName: 'name',
                requiredField: true,
              },
              {
                fieldLabel: inLang('Spreadsheet with phone numbers', '手机号表格'),
                fieldType: 'file',
                multipleFiles: false,
                acceptFileTypes: '.csv,.txt,.xlsx,.xls',
                requiredField: true,
                fieldName: 'file',
              },
              {
                fieldType: 'hiddenField',
                fieldName: 'lang',
                fieldValue: "={{ $json.query.lang || $json.headers['accept-language'] || '' }}",
              },
            ],
          },
          options: {
            path: 'sms-campaign-form',
            appendAttribution: false,
            buttonLabel: inLang('Next', '下一步'),
            customCss: `:root{color-scheme:light dark;--color-background:#f3f5f8;--color-card-bg:#fff;--color-card-border:#d8dfe6;--color-input-bg:#fff;--color-input-border:#7c8a98;--color-header:#15202b;--color-label:#15202b;--color-input-text:#15202b;--color-link:#526171;--color-header-subtext:#526171;--color-focus-border:#0a5fb4;--color-submit-btn-bg:#0a5fb4;--color-submit-btn-text:#fff;--color-error:#9c1c14;--color-required:#9c1c14}
@media (max-width:500px){.card{background:none}}
@media (prefers-color-scheme:dark){:root{--color-background:#10161c;--color-card-bg:#19222b;--color-card-border:#33414e;--color-input-bg:#19222b;--color-input-border:#7b8a99;--color-header:#e8eef4;--color-label:#e8eef4;--color-input-text:#e8eef4;--color-link:#a3b1bf;--color-header-subtext:#a3b1bf;--color-focus-border:#7db8f5;--color-submit-btn-bg:#7db8f5;--color-submit-btn-text:#10161c;--color-error:#ffb3a8;--color-required:#ffb3a8}}`,
          },
        },
        PAGES,
      ),
      // It gives nothing of an empty file: the code says so.
      base(
        'extractFromFile',
        'Take the file',
        {
          operation: 'binaryToPropery',
          binaryPropertyName: '={{ Object.keys($binary)[0] }}',
          destinationKey: 'file',
          options: {},
        },
        { always: true, goOn: true },
      ),
      runs(
        'Campaign stored before',
        {
          query: 'SELECT * FROM sms.campaigns WHERE campaign = $1',
          values: ["$('Spreadsheet and name').first().json.name.trim()"],
        },
        { once: true, always: true, tries: 3 },
      ),
      saidOf('Templates to choose', 'template'),
      saidOf('Signatures to choose', 'signature'),
      code('Read the table', { once: true }),
      unless('Can it be read?', '={{ !$json.problem }}'),
      base('form', 'Say what is wrong', {
        operation: 'completion',
        ...AN_HOUR,
        respondWith: 'text',
        completionTitle: "={{ $('Read the table').first().json.title }}",
        // n8n reads it as HTML.
        completionMessage: `={{ $json.problem.replaceAll('&', '&amp;').replaceAll('<', '&lt;') }}
<a href="${HOME}/form/sms-campaign-form${langBehind('?')}">{{ $('Read the table').first().json.again }}</a>`,
        options: {
          formTitle: "={{ $('Read the table').first().json.title }}",
          customCss: "={{ $('Spreadsheet and name').params.options.customCss }}",
        },
      }),
    ],
    [
      'Can it be read?',
      code('Choices', { once: true }),
      base('form', 'Template and signature', {
        operation: 'page',
        ...AN_HOUR,
        defineForm: 'json',
        jsonOutput: '={{ JSON.stringify($json.fields) }}',
        options: {
          formTitle: '={{ $json.title }}',
          formDescription: '={{ $json.description }}',
          buttonLabel: '={{ $json.button }}',
          customCss: "={{ $('Spreadsheet and name').params.options.customCss }}",
        },
      }),
      code('As a request', { once: true }),
      // n8n stores an execution while its form waits, at the end too: that of the form has not all rows of the
      // campaign.
      call('Load in an execution of its own', '={{ $workflow.id }}'),
      unless('Was it refused?', '={{ !!$json.problem }}'),
      base('form', 'Open its page', {
        operation: 'completion',
        ...AN_HOUR,
        respondWith: 'redirect',
        redirectUrl: `=${HOME}/webhook/sms-campaign?campaign={{ $json.id }}${langBehind('&')}`,
        options: {},
      }),
    ],
    ['Was it refused?', 'Say what is wrong'],
  ),
  lane(
    `## Each number once · 每个号码一次
*sms.campaign_load* stores all of the list or nothing, also when several lists are loaded at the same moment. A new row rests for a minute before it is sent. A button of a draft waits until a list is in.
*sms.campaign_load* 要么全部导入，要么一行也不导入；同时导入几份名单也一样。新的行等一分钟才发。草稿页的按钮要等名单导入完。`,
    [
      posted(
        'Recipients arrive',
        'sms-campaign',
        { responseMode: 'responseNode' },
        { called: 'SMS desk: campaigns' },
      ),
      code('Read the request'),
      runs(
        'What it is sent with',
        {
          query: `SELECT * FROM sms.campaign_choice(version => ${VERSION}, list => $1::json)`,
          values: ['$json'],
        },
        { tries: 5 },
      ),
      unless('Is something wrong?', '={{ !!$json.problem }}'),
      code('New rows'),
      runs(
        'Load the rows',
        {
          query: `SELECT * FROM sms.campaign_load(version => ${VERSION}, execution => $1, list => $2::json, given => $3::json)`,
          values: ['$execution.id', '$json.list', '$json.rows'],
          together: true,
        },
        { tries: 5 },
      ),
      base('respondToWebhook', 'Answer', {
        respondWith: 'firstIncomingItem',
        options: { responseCode: '={{ $json.status }}' },
      }),
    ],
    [called('Called by the form'), 'Read the request'],
    ['Is something wrong?', 'Answer'],
  ),
);
