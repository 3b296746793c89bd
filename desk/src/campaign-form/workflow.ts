import { ONLY_FAILURES, allOf, base, call, code, get, lane, when } from '../parts';
import type { DeskWorkflow } from '../parts';
import runAsARequest from './as-a-request';
import runChoices from './choices';
import runReadTheTable from './read-the-table';

const spreadsheetAndName = base(
  'formTrigger',
  'Spreadsheet and name',
  {
    authentication: 'basicAuth',
    formTitle:
      "={{ /^zh/i.test($json.query.lang || $json.headers['accept-language']) ? '新建群发' : 'New campaign' }}",
    formDescription:
      "={{ /^zh/i.test($json.query.lang || $json.headers['accept-language']) ? 'CSV 或 Excel 文件，须有“手机号”或 phone 列。此时不会发送。' : 'CSV or Excel, with a column phone or 手机号. Nothing is sent yet.' }}",
    formFields: {
      values: [
        {
          fieldLabel:
            "={{ /^zh/i.test($json.query.lang || $json.headers['accept-language']) ? '群发名称' : 'Name of the campaign' }}",
          fieldName: 'name',
          requiredField: true,
        },
        {
          fieldLabel:
            "={{ /^zh/i.test($json.query.lang || $json.headers['accept-language']) ? '手机号表格' : 'Spreadsheet with phone numbers' }}",
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
      buttonLabel:
        "={{ /^zh/i.test($json.query.lang || $json.headers['accept-language']) ? '下一步' : 'Next' }}",
      customCss: `:root{color-scheme:light dark;--color-background:#f3f5f8;--color-card-bg:#fff;--color-card-border:#d8dfe6;--color-input-bg:#fff;--color-input-border:#7c8a98;--color-header:#15202b;--color-label:#15202b;--color-input-text:#15202b;--color-link:#526171;--color-header-subtext:#526171;--color-focus-border:#0a5fb4;--color-submit-btn-bg:#0a5fb4;--color-submit-btn-text:#fff;--color-error:#9c1c14;--color-required:#9c1c14}
@media (max-width:500px){.card{background:none}}
@media (prefers-color-scheme:dark){:root{--color-background:#10161c;--color-card-bg:#19222b;--color-card-border:#33414e;--color-input-bg:#19222b;--color-input-border:#7b8a99;--color-header:#e8eef4;--color-label:#e8eef4;--color-input-text:#e8eef4;--color-link:#a3b1bf;--color-header-subtext:#a3b1bf;--color-focus-border:#7db8f5;--color-submit-btn-bg:#7db8f5;--color-submit-btn-text:#10161c;--color-error:#ffb3a8;--color-required:#ffb3a8}}`,
    },
  },
  { needs: 'httpBasicAuth' },
);

const isItExcel = when(
  'Is it Excel?',
  "={{ /^xlsx?$/i.test(Object.values($binary)[0].fileName.split('.').pop()) }}",
);

const readExcel = base(
  'extractFromFile',
  'Read Excel',
  { operation: 'xlsx', binaryPropertyName: '={{ Object.keys($binary)[0] }}', options: {} },
  { always: true, goOn: true },
);

const campaignOfThatName = get(
  'Campaign of that name',
  'sms_campaigns',
  { campaign: "={{ $('Spreadsheet and name').first().json.name.trim() }}" },
  { order: 'id', limit: 1, once: true, always: true },
);

const readTheTable = code('Read the table', runReadTheTable, { once: true });

const canItBeRead = when('Can it be read?', '={{ !$json.problem }}');

const sayWhatIsWrong = base('form', 'Say what is wrong', {
  operation: 'completion',
  respondWith: 'text',
  completionTitle: '={{ $json.title }}',
  completionMessage: '={{ $json.problem }}',
  options: {
    formTitle: '={{ $json.title }}',
    customCss: "={{ $('Spreadsheet and name').params.options.customCss }}",
  },
});

const readAsUTF8 = base('extractFromFile', 'Read as UTF-8', {
  operation: 'text',
  binaryPropertyName: '={{ Object.keys($binary)[0] }}',
  destinationKey: 'utf8',
  options: { encoding: 'utf8', keepSource: 'both' },
});

const readAsGBK = base('extractFromFile', 'Read as GBK', {
  operation: 'text',
  binaryPropertyName: '={{ Object.keys($binary)[0] }}',
  destinationKey: 'gbk',
  options: { encoding: 'gb18030', keepSource: 'json' },
});

const templates = allOf('Templates', 'template');

const signatures = allOf('Signatures', 'signature', { always: true });

const choices = code('Choices', runChoices, { once: true });

const templateAndSignature = base('form', 'Template and signature', {
  operation: 'page',
  defineForm: 'json',
  jsonOutput: '={{ JSON.stringify($json.fields) }}',
  options: {
    formTitle: '={{ $json.title }}',
    formDescription: '={{ $json.description }}',
    buttonLabel: '={{ $json.button }}',
    customCss: "={{ $('Spreadsheet and name').params.options.customCss }}",
  },
});

const asARequest = code('As a request', runAsARequest, { once: true });

const loadTheRecipients = call('Load the recipients', 'sms-campaign-load');

const openItsPage = base('form', 'Open its page', {
  operation: 'completion',
  respondWith: 'redirect',
  redirectUrl:
    "={{ $execution.resumeFormUrl.split('/form-waiting/')[0] }}/webhook/sms-campaign?campaign={{ $json.id }}{{ $('Spreadsheet and name').first().json.formQueryParameters?.lang ? '&lang=' + encodeURIComponent($('Spreadsheet and name').first().json.lang) : '' }}",
  options: {},
});

const workflow: DeskWorkflow = {
  name: 'Campaign: form',
  about: `## Campaigns: form
A marketer gives a spreadsheet and a name, then chooses template and signature. The rows are stored as a *draft*, and the form leads to its page. Nothing is sent before somebody presses *Start* there.

**The file:** CSV (UTF-8, or GBK as Chinese Excel saves it) or Excel. A column named phone, mobile, 手机 or 手机号; a parameter of the template takes the column of the same name.`,
  setUp: `## Set up here
1. Select your credential in *Templates* and *Signatures*, and the login of the form in *Spreadsheet and name*.
2. Publish *SMS · Campaign: load* and *SMS · Campaign: page* too.`,
  tryIt: `## Try it
Press **Execute workflow**: the form opens. Or open the production address of *Spreadsheet and name*.`,
  settings: ONLY_FAILURES,
  lanes: [
    lane(
      `## The second page
Offers the templates and signatures of your account, without disabled ones.`,
      [
        spreadsheetAndName,
        isItExcel,
        readExcel,
        campaignOfThatName,
        readTheTable,
        [canItBeRead, 1],
        sayWhatIsWrong,
      ],
      [[isItExcel, 1], readAsUTF8, readAsGBK, campaignOfThatName],
      [
        canItBeRead,
        templates,
        signatures,
        choices,
        templateAndSignature,
        asARequest,
        loadTheRecipients,
        openItsPage,
      ],
    ),
  ],
};

export default workflow;
