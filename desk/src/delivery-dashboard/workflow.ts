import { code, fields, get, lane, page, show, sms, when } from '../parts';
import type { DeskWorkflow } from '../parts';
import runCountAndJudge from './count-and-judge';
import runMessagePage from './message-page';
import runPage from './page';
import runRowsAsCsv from './rows-as-csv';
import runWarningsAndCharts from './warnings-and-charts';
import runWhatWasAsked from './what-was-asked';

const pageIsOpened = page('Page is opened', 'sms-dashboard');

const whatWasAsked = code('What was asked', runWhatWasAsked);

const namesOfTemplates = get(
  'Names of templates',
  'sms_templates',
  {},
  { order: 'id desc', limit: 1000, once: true, always: true, goOn: true },
);

const oneNumberOrMessage = when(
  'One number or message?',
  "={{ ['message', 'number'].includes($('What was asked').first().json.view) }}",
  { once: true },
);

const figuresByDay = get(
  'Figures by day',
  'sms_days',
  {},
  { order: 'day desc', limit: 400, once: true, always: true, goOn: true },
);

const inboxRecords = get(
  'Inbox records',
  'sms_inbox',
  {
    'id >':
      "={{ $('Figures by day').all().find(({ json }) => json.inbox_id && json.day < $('What was asked').first().json.oldDay)?.json.inbox_id ?? 0 }}",
    "={{ $('What was asked').first().json.window === 'all' ? 'createdAt' : 'time' }} >=":
      "={{ $('What was asked').first().json.readFrom }}",
    "={{ $('What was asked').first().json.window === 'all' ? 'createdAt' : 'time' }} <=":
      "={{ $('What was asked').first().json.recordsTo }}",
    'createdAt <=': "={{ $('What was asked').first().json.now }}",
  },
  { order: 'id desc', limit: 60001, once: true, always: true, goOn: true },
);

const messages = get(
  'Messages',
  'sms_outbox',
  {
    'id >':
      "={{ $('Figures by day').all().find(({ json }) => json.outbox_id && json.day < $('What was asked').first().json.oldDay)?.json.outbox_id ?? 0 }}",
    "={{ $('What was asked').first().json.window === 'all' ? 'createdAt' : 'sent_at' }} >=":
      "={{ $('What was asked').first().json.readFrom }}",
    "={{ $('What was asked').first().json.window === 'all' ? 'createdAt' : 'sent_at' }} <=":
      "={{ $('What was asked').first().json.sendsTo }}",
    'createdAt <=': "={{ $('What was asked').first().json.now }}",
  },
  { order: 'id desc', limit: 60001, once: true, always: true, goOn: true },
);

const onlyWhatIsCounted = fields(
  'Only what is counted',
  {
    inbox:
      "={{ JSON.stringify($('Inbox records').all().map(({ json: r }) => [r.id, r.event, r.phone_number, r.status, r.status_desc, r.event === 'reply' ? r.content : '', r.batch_id, r.split_count, r.time, r.createdAt, r.error])) }}",
    outbox:
      "={{ JSON.stringify($('Messages').all().map(({ json: r }) => [r.id, r.phone_number, r.status, r.batch_id, r.template, r.sent_at, r.createdAt, String(r.text ?? '').length, r.error])) }}",
  },
  { once: true },
);

const asAFile = when(
  'As a file?',
  "={{ $('What was asked').first().json.view === 'csv' && [$json.inbox, $json.outbox].every((rows) => rows && !JSON.parse(rows).some((row) => row.at(-1))) }}",
  { once: true },
);

const newestRecord = get(
  'Newest record',
  'sms_inbox',
  {},
  { order: 'id desc', limit: 1, once: true, always: true, goOn: true },
);

const optOuts = get(
  'Opt-outs',
  'sms_opt_outs',
  { 'createdAt >=': "={{ $('What was asked').first().json.readFrom }}" },
  { order: 'id desc', once: true, always: true, goOn: true },
);

const subscribers = get(
  'Subscribers',
  'sms_subscribers',
  {},
  { order: 'id desc', limit: 1000, once: true, always: true, goOn: true },
);

const balance = sms(
  'Balance',
  { resource: 'balance', operation: 'get' },
  { once: true, always: true, goOn: true },
);

const countAndJudge = code('Count and judge', runCountAndJudge);

const warningsAndCharts = code('Warnings and charts', runWarningsAndCharts);

const pageNode = code('Page', runPage);

const showThePage = show('Show the page', '={{ $json.text ?? $json.html }}', {
  status: "={{ $('What was asked').first().json.view === 'csv' && !$json.fileName ? 503 : 200 }}",
  type: "={{ $json.fileName ? 'text/csv' : 'text/html' }}; charset=utf-8",
  file: '={{ $json.fileName ? `attachment; filename="${$json.fileName}"` : \'inline\' }}',
});

const theRowOfTheAddress = get(
  'The row of the address',
  "={{ $('What was asked').first().json.row.startsWith('i') ? 'sms_inbox' : 'sms_outbox' }}",
  { id: "={{ Number($('What was asked').first().json.row.slice(1)) }}" },
  { order: 'id desc', limit: 1, once: true, always: true, goOn: true },
);

const messagesToTheNumber = get(
  'Messages to the number',
  'sms_outbox',
  {
    "phone_number ={{ $('What was asked').first().json.pattern.startsWith('%') ? 'like' : 'eq' }}":
      "={{ $('What was asked').first().json.pattern || $('The row of the address').first().json.phone_number || 'none' }}",
  },
  { order: 'id desc', limit: 200, once: true, always: true, goOn: true },
);

const recordsOfTheNumber = get(
  'Records of the number',
  'sms_inbox',
  {
    "phone_number ={{ $('What was asked').first().json.pattern.startsWith('%') ? 'like' : 'eq' }}":
      "={{ $('What was asked').first().json.pattern || $('The row of the address').first().json.phone_number || 'none' }}",
  },
  { order: 'id desc', limit: 200, once: true, always: true, goOn: true },
);

const messagePage = code('Message page', runMessagePage);

const rowsAsCSV = code('Rows as CSV', runRowsAsCsv);

const workflow: DeskWorkflow = {
  name: 'Dashboard',
  about: `## SMS · Dashboard
A web page for the people who watch the SMS traffic. It says what is wrong now and leads to the message and its text: failures, late reports, delivery times, segments, opt-outs, balance, by template, batch and status. It has no script.

It needs SMS · Inbox and SMS · Outbox, and makes no table itself.`,
  setUp: `## Set up here
1. *Page is opened*: a Basic Auth credential (user and password are up to you).
2. *Balance*: your SMS credential.
3. Publish. Times are in the time zone of this workflow's *Settings*.`,
  tryIt: `## Try it
Publish, and open \`/webhook/sms-dashboard\` of your n8n. *Execute workflow* waits for one visit of \`/webhook-test/sms-dashboard\`.

Parts of the address: \`?window=1h\`, \`24h\`, \`7d\` or \`all\`; \`from\`, \`to\`; \`template\`, \`batch\`, \`status\`; \`row\`; \`digits\`; \`lang=zh\`; \`refresh=off\`.`,
  settings: { saveDataSuccessExecution: 'none', saveExecutionProgress: false },
  lanes: [
    lane(
      [
        `## What is read
The time shown, the same length before it, and always the last two days: at most the latest 60,000 rows of each table. *Only what is counted* makes one short text of them inside n8n, because Code nodes get every item handed over. The executions are not kept: each would hold all rows.`,
        `## The page
*Count and judge* reads the rows, once: the nodes behind it get figures. *Warnings and charts* and *Page* write. Each warning says its rule. Every value is escaped, and the page allows no script: replies are texts that strangers wrote.`,
        `## One message, or a search
For \`?row=o12\` (row 12 of *sms_outbox*), \`?row=i34\` (of *sms_inbox*) and \`?digits=2001\`. Row IDs and four digits keep phone numbers out of addresses.`,
        `## The file
Complete numbers and texts: personal data. What a spreadsheet would take for a formula has a quote before it. If a table cannot be read, the page says so instead (503).`,
      ],
      [
        pageIsOpened,
        whatWasAsked,
        namesOfTemplates,
        [oneNumberOrMessage, 1],
        figuresByDay,
        inboxRecords,
        messages,
        onlyWhatIsCounted,
        [asAFile, 1],
        newestRecord,
        optOuts,
        subscribers,
        balance,
        countAndJudge,
        warningsAndCharts,
        pageNode,
        showThePage,
      ],
      [asAFile, rowsAsCSV, showThePage],
      [
        oneNumberOrMessage,
        theRowOfTheAddress,
        messagesToTheNumber,
        recordsOfTheNumber,
        messagePage,
        showThePage,
      ],
    ),
  ],
};

export default workflow;
