import { base, call, code, fields, get, lane, page, saidOf, show, when } from '../parts';
import type { DeskWorkflow } from '../parts';
import runCountAndJudge from './count-and-judge';
import runLights from './lights';
import runMessagePage from './message-page';
import runPage from './page';
import runRememberTheFailedPull from './remember-the-failed-pull';
import runRowsAsCsv from './rows-as-csv';
import runStatusPage from './status-page';
import runWhatWasAsked from './what-was-asked';

const pageIsOpened = page('Page is opened', 'sms-dashboard');

const whatWasAsked = code('What was asked', runWhatWasAsked);

/** The newest rows first. If they cannot be read, the page comes without them. */
const NEWEST = { order: 'id desc', once: true, always: true, goOn: true } as const;

const namesOfTemplates = get('Names of templates', 'sms_templates', {}, { ...NEWEST, limit: 1000 });

const thresholds = get(
  'Thresholds',
  'sms_thresholds',
  {},
  { once: true, always: true, goOn: true },
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
  { ...NEWEST, limit: 60001, choices: ['createdAt', 'time'] },
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
  { ...NEWEST, limit: 60001, choices: ['createdAt', 'sent_at'] },
);

const onlyWhatIsCounted = fields(
  'Only what is counted',
  {
    inbox:
      "={{ JSON.stringify($('Inbox records').all().map(({ json: r }) => [r.id, r.event, r.phone_number, r.status, r.status_desc, r.event === 'reply' ? r.content : '', r.batch_id, r.split_count, r.time, r.createdAt, r.error])) }}",
    outbox:
      "={{ JSON.stringify($('Messages').all().map(({ json: r }) => [r.id, r.phone_number, r.status, r.reason, r.batch_id, r.template, r.sent_at, r.createdAt, String(r.text ?? '').length, r.error])) }}",
  },
  { once: true },
);

const asAFile = when(
  'As a file?',
  "={{ $('What was asked').first().json.view === 'csv' && [$json.inbox, $json.outbox].every((rows) => rows && !JSON.parse(rows).some((row) => row.at(-1))) }}",
  { once: true },
);

const newestRecord = get('Newest record', 'sms_inbox', {}, { ...NEWEST, limit: 1 });

const optOuts = get(
  'Opt-outs',
  'sms_opt_outs',
  { 'createdAt >=': "={{ $('What was asked').first().json.readFrom }}" },
  { ...NEWEST },
);

const balance = saidOf('Balance', 'balance');

const countAndJudge = code('Count and judge', runCountAndJudge);

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
  { ...NEWEST, limit: 1, choices: ['sms_inbox', 'sms_outbox'] },
);

const messagesToTheNumber = get(
  'Messages to the number',
  'sms_outbox',
  {
    "phone_number ={{ $('What was asked').first().json.pattern.startsWith('%') ? 'like' : 'eq' }}":
      "={{ $('What was asked').first().json.pattern || $('The row of the address').first().json.phone_number || 'none' }}",
  },
  { ...NEWEST, limit: 200, choices: ['like', 'eq'] },
);

const recordsOfTheNumber = get(
  'Records of the number',
  'sms_inbox',
  {
    "phone_number ={{ $('What was asked').first().json.pattern.startsWith('%') ? 'like' : 'eq' }}":
      "={{ $('What was asked').first().json.pattern || $('The row of the address').first().json.phone_number || 'none' }}",
  },
  { ...NEWEST, limit: 200, choices: ['like', 'eq'] },
);

const messagePage = code('Message page', runMessagePage);

const rowsAsCSV = code('Rows as CSV', runRowsAsCsv);

const statusPageIsOpened = page('Status page is opened', 'sms-status');

const doesTheInboxAnswer = call('Does the inbox answer?', 'sms-inbox', {
  once: true,
  always: true,
  goOn: true,
});

const sizesFromTheUpkeep = call('Sizes from the upkeep', 'sms-upkeep', {
  once: true,
  always: true,
  goOn: true,
});

const doesTheServiceAnswer = saidOf('Does the service answer?', 'balance');

const whoHasSubscribed = get(
  'Who has subscribed',
  'sms_subscribers',
  {},
  { limit: 1000, once: true, always: true, goOn: true },
);

const rules = get('Rules', 'sms_rules', {}, { limit: 1000, once: true, always: true, goOn: true });

const whoHasOptedOut = get('Who has opted out', 'sms_opt_outs', {}, { ...NEWEST, limit: 1000 });

const latestFiguresByDay = get(
  'Latest figures by day',
  'sms_days',
  {},
  { order: 'day desc', limit: 30, once: true, always: true, goOn: true },
);

const inboxNotCountedYet = get(
  'Inbox, not counted yet',
  'sms_inbox',
  {
    'id >':
      "={{ $('Latest figures by day').all().find((item) => item.json.inbox_id)?.json.inbox_id ?? 0 }}",
  },
  { ...NEWEST, limit: 1000 },
);

const outboxNotCountedYet = get(
  'Outbox, not counted yet',
  'sms_outbox',
  {
    'id >':
      "={{ $('Latest figures by day').all().find((item) => item.json.outbox_id)?.json.outbox_id ?? 0 }}",
  },
  { ...NEWEST, limit: 1000 },
);

const notSentLately = get(
  'Not sent lately',
  'sms_outbox',
  { 'status !=': 'accepted', 'sent_at >=': '={{ $now.minus({ days: 1 }).toISO() }}' },
  { ...NEWEST, limit: 1000 },
);

const notSentYet = get(
  'Not sent yet',
  'sms_outbox',
  { status: ['claimed', 'waiting'] },
  { ...NEWEST, limit: 1000, match: 'anyCondition' },
);

const thresholdsOfTheStatus = get(
  'Thresholds of the status',
  'sms_thresholds',
  {},
  { once: true, always: true, goOn: true },
);

const lights = code('Lights', runLights);

const statusPage = code('Status page', runStatusPage);

const showTheStatusPage = show('Show the status page', '={{ $json.html }}');

const aPullHasFailed = base('errorTrigger', 'A pull has failed', {});

const rememberTheFailedPull = code('Remember the failed pull', runRememberTheFailedPull);

const workflow: DeskWorkflow = {
  name: 'Dashboard and status',
  about: `## SMS · Dashboard and status
Two web pages. The *dashboard* is for the people who watch the SMS traffic. It says first what was not sent, and then what is wrong now, and leads to the message and its text: failures, delivery times, segments, opt-outs, balance, by template, batch and status.

The *status* has green, yellow and red lights: is the inbox published, does the service accept the login, when did the newest record come, which subscriber does not take its records, how full are the tables, how much was sent today, and first what was not. Each light says what to do and links to the place.

They have no script, and are in English, or in Chinese for browsers that ask for it. They make no table themselves.`,
  setUp: `## Set up here
1. *Page is opened* and *Status page is opened*: a Basic Auth credential (user and password are up to you).
2. Publish *SMS · Upkeep*, *SMS · Outbox* and *SMS · Inbox* first, then this. Times are in the time zone of this workflow's *Settings*.`,
  tryIt: `## Try it
Publish, and open \`/webhook/sms-dashboard\` or \`/webhook/sms-status\` of your n8n. *Execute workflow* waits for one visit of \`/webhook-test/…\`.

Parts of the address: \`?window=1h\`, \`24h\`, \`7d\` or \`all\`; \`from\`, \`to\`; \`template\`, \`batch\`, \`status\`; \`row\`; \`digits\`; \`lang=zh\`; \`refresh=off\`.`,
  settings: {
    saveDataSuccessExecution: 'none',
    saveExecutionProgress: false,
    // No longer than the dashboard waits before it loads itself anew.
    executionTimeout: 300,
  },
  lanes: [
    lane(
      [
        `## What is read
The time shown, the same length before it, and always the last two days: at most the latest 60,000 rows of each table. *Only what is counted* makes one short text of them inside n8n, because Code nodes get every item handed over. The executions are not kept: each would hold all rows.`,
        `## The page
*Count and judge* reads the rows, once: *Page* gets figures, and writes. What was not sent comes first, and then what is wrong by the thresholds; a row of *sms_thresholds* (its name and value) changes one. Every value is escaped, and the page allows no script: replies are texts that strangers wrote.`,
        `## One message, or a search
For \`?row=o12\` (row 12 of *sms_outbox*), \`?row=i34\` (of *sms_inbox*) and \`?digits=2001\`. Row IDs and four digits keep phone numbers out of addresses.`,
        `## The file
Complete numbers and texts: personal data. What a spreadsheet would take for a formula has a quote before it. If a table cannot be read, the page says so instead (503).`,
      ],
      [
        pageIsOpened,
        whatWasAsked,
        namesOfTemplates,
        thresholds,
        [oneNumberOrMessage, 1],
        figuresByDay,
        inboxRecords,
        messages,
        onlyWhatIsCounted,
        [asAFile, 1],
        newestRecord,
        optOuts,
        balance,
        countAndJudge,
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
    lane(
      `## The status
A few rows of each table, never a whole one. A table that is missing is a light.

*Not counted yet*: rows that are not in the figures by day. The page adds up to 1,000 and says “at least” when there are more.`,
      [statusPageIsOpened, doesTheInboxAnswer, sizesFromTheUpkeep, doesTheServiceAnswer],
      [statusPageIsOpened, whoHasSubscribed, rules, whoHasOptedOut],
      [
        statusPageIsOpened,
        latestFiguresByDay,
        inboxNotCountedYet,
        outboxNotCountedYet,
        notSentLately,
        notSentYet,
        thresholdsOfTheStatus,
      ],
      [statusPageIsOpened, lights, statusPage, showTheStatusPage],
    ),
    lane(
      `### Failed pulls
n8n starts this line when a pull of the inbox fails, because this workflow is the *Error Workflow* in the settings of the inbox. If you choose another there, the page does not know of failed pulls.`,
      [aPullHasFailed, rememberTheFailedPull],
    ),
  ],
};

export default workflow;
