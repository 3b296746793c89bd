import {
  called,
  code,
  every,
  get,
  lane,
  listTables,
  makeTables,
  num,
  only,
  published,
  remove,
  settings,
  upsert,
  when,
} from '../parts';
import type { DeskWorkflow } from '../parts';
import runDaySums from './day-sums';
import runRowsToGo from './rows-to-go';
import runSizes from './sizes';
import runWhatIsNotCounted from './what-is-not-counted';

const whenPublished = published('When published');

const tables = makeTables({
  'Table of records': 'sms_inbox',
  'Table of subscribers': 'sms_subscribers',
  'Table of opt-outs': 'sms_opt_outs',
  'Table of figures': 'sms_days',
});

const every5Minutes = every('Every 5 minutes', 5, 'minutes');

const figuresSoFar = get(
  'Figures so far',
  'sms_days',
  {},
  { order: 'day desc', limit: 400, once: true, always: true },
);

const howLongToKeep = settings('How long to keep', { days: num(90) });

const tablesThatExist = listTables('Tables that exist', 'sms_', { always: true });

const tablesThatGrow = only(
  'Tables that grow',
  "={{ ['sms_inbox', 'sms_outbox', 'sms_campaign', 'sms_recipients'].includes($json.name) }}",
  { always: true },
);

const newestRows = get(
  'Newest rows',
  '={{ $json.name }}',
  {},
  { order: 'id desc', limit: 50, always: true, goOn: true },
);

const sizesAreAskedFor = called('Sizes are asked for');

const oldestRow = get(
  'Oldest row',
  '={{ $json.name }}',
  {},
  { order: 'id', limit: 1, always: true, goOn: true },
);

const oldestRowThatMayGo = get(
  'Oldest row that may go',
  '={{ $json.name }}',
  { 'status !=': ['pending', 'sending', 'waiting'] },
  { order: 'id', limit: 1, always: true, goOn: true },
);

const sizes = code('Sizes', runSizes, { always: true });

const onlyTheSizes = when('Only the sizes?', "={{ $('Sizes are asked for').isExecuted }}", {
  once: true,
});

const firstRowThatIsWaitedFor = get(
  'First row that is waited for',
  'sms_subscribers',
  { 'read_to >=': '={{ 0 }}' },
  { order: 'read_to', limit: 1, once: true, always: true, goOn: true },
);

const rowsToGo = code('Rows to go', runRowsToGo);

const deleteOldRows = remove(
  'Delete old rows',
  '={{ $json.name }}',
  {
    'id <': '={{ $json.below }}',
    'createdAt <': '={{ DateTime.fromMillis($json.before).toISO() }}',
    'status !=': ['pending', 'sending', 'waiting'],
  },
  { tries: 3 },
);

const whatIsNotCounted = code('What is not counted', runWhatIsNotCounted);

const newRows = get(
  'New rows',
  '={{ $json.table }}',
  { 'id >': '={{ $json.after }}', 'createdAt <': '={{ $json.before }}' },
  { order: 'id', limit: 3000, always: true, goOn: true },
);

const daySums = code('Day sums', runDaySums);

const keepTheFigures = upsert(
  'Keep the figures',
  'sms_days',
  { day: '={{ $json.day }}' },
  {
    day: '={{ $json.day }}',
    sent: '={{ $json.sent }}',
    accepted: '={{ $json.accepted }}',
    delivered: '={{ $json.delivered }}',
    failed: '={{ $json.failed }}',
    replies: '={{ $json.replies }}',
    opt_outs: '={{ $json.opt_outs }}',
    inbox_id: '={{ $json.inbox_id }}',
    outbox_id: '={{ $json.outbox_id }}',
    opt_outs_id: '={{ $json.opt_outs_id }}',
  },
  { tries: 3 },
);

const deleteOldTokens = remove(
  'Delete old tokens',
  'sms_tokens',
  { 'createdAt <': '={{ $now.minus({ days: 1 }).toISO() }}' },
  { once: true, goOn: true },
);

const workflow: DeskWorkflow = {
  name: 'Inbox: upkeep',
  about: `## SMS · Inbox: upkeep
Tables fill: n8n allows all data tables together 200 MB (\`N8N_DATA_TABLES_MAX_SIZE_BYTES\`), and PostgreSQL has a disk. When they are full, nothing can be stored or sent. So every 5 minutes the oldest rows go, some thousand at once: those older than \`days\`, and so many that the tables take no more than \`megabytes\`. Then the new rows are added to the figures of their day.

Rows that a subscriber waits for stay as long as there is room. What is not sent yet always stays: a campaign's rows, and messages that wait for the morning. When the tables take 80 % of \`megabytes_of_n8n\`, or have room for less than a day, the status page says it, and the watchdog by mail.`,
  setUp: `## Set up here
How long rows stay, and how much room there is: *How long to keep*. For more room, raise \`megabytes\` and \`megabytes_of_n8n\` there, and with data tables n8n's \`N8N_DATA_TABLES_MAX_SIZE_BYTES\`. Then publish.`,

  settings: { saveDataSuccessExecution: 'none', executionTimeout: 540 },
  lanes: [
    lane(
      `## When it is published
It makes the tables of the inbox. If one is missing later, publish it again.`,
      [whenPublished, ...tables],
    ),
    lane(
      [
        `## How full?
A workflow is not told. So it is estimated: newest ID less oldest, times what the newest 50 rows take. PostgreSQL keeps the room of deleted rows for a while: therefore \`megabytes\` is little more than half of \`megabytes_of_n8n\`, which is the limit of n8n's data tables, or what you give PostgreSQL.`,
        `## Figures by day
The sums stay in *sms_days* when rows go. The row of a day also says how far each table is counted, so after a crash nothing is counted twice and nothing is missed. Records count 2 minutes after they were stored, sends 11 minutes after they began, when their outcome is known. Old rows go first: in full tables no figure can be stored.`,
        `### Status page and watchdog ask
They get the sizes.`,
      ],
      [sizesAreAskedFor, howLongToKeep, tablesThatExist, tablesThatGrow, newestRows],
      [every5Minutes, figuresSoFar, howLongToKeep],
      [tablesThatGrow, oldestRow],
      [tablesThatGrow, oldestRowThatMayGo],
      [tablesThatGrow, sizes, [onlyTheSizes, 1], firstRowThatIsWaitedFor, rowsToGo, deleteOldRows],
      [[onlyTheSizes, 1], whatIsNotCounted, newRows, daySums, keepTheFigures],
      [every5Minutes, deleteOldTokens],
    ),
  ],
};

export default workflow;
