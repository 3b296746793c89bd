import {
  AS_GIVEN,
  ONLY_FAILURES,
  called,
  choose,
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
  sms,
  upsert,
  when,
} from '../parts';
import type { DeskWorkflow } from '../parts';
import { TABLES } from '../../tables.mjs';
import runDaySums from './day-sums';
import runDefaultRules from './default-rules';
import runRowsToGo from './rows-to-go';
import runSizes from './sizes';
import runWhatIsNotCounted from './what-is-not-counted';
import runWhatTheServiceSays from './what-the-service-says';

const whenPublished = published('When published');

const tablesOfTheInbox = makeTables({
  'Table of records': 'sms_inbox',
  'Table of subscribers': 'sms_subscribers',
  'Table of opt-outs': 'sms_opt_outs',
  'Table of figures': 'sms_days',
});

const tablesOfTheOutbox = makeTables({
  'Table of messages': 'sms_outbox',
  'Table of rules': 'sms_rules',
  'Table of thresholds': 'sms_thresholds',
  'Table of templates': 'sms_templates',
  'Table of tokens': 'sms_tokens',
});

const areThereRules = get('Are there rules?', 'sms_rules', {}, { always: true });

const defaultRules = code('Default rules', runDefaultRules);

const storeTheDefaultRules = upsert('Store the default rules', 'sms_rules', AS_GIVEN);

const asked = called('Asked');

const whatIsAskedFor = choose('What is asked for?', {
  Template: "={{ $json.want === 'template' }}",
  Signature: "={{ $json.want === 'signature' }}",
  Sizes: '={{ !$json.want }}',
});

const noteThatItIsAsked = upsert(
  'Note that it is asked',
  'sms_templates',
  { kind: '={{ $json.want }}', record_id: '={{ $json.record_id }}' },
  { goOn: true },
);

const template = sms(
  'Template',
  {
    resource: 'template',
    operation: 'get',
    templateId: { __rl: true, mode: 'id', value: '={{ $json.record_id }}' },
  },
  { goOn: true },
);

const whatTheServiceSays = code('What the service says', runWhatTheServiceSays);

const storeTheNames = upsert(
  'Store the names',
  'sms_templates',
  {
    kind: '={{ $json.kind }}',
    record_id: '={{ $json.record_id }}',
    name: '={{ $json.name }}',
    content: '={{ $json.content }}',
  },
  { goOn: true },
);

const signature = sms(
  'Signature',
  {
    resource: 'signature',
    operation: 'get',
    signatureId: { __rl: true, mode: 'id', value: '={{ $json.record_id }}' },
  },
  { goOn: true },
);

const every5Minutes = every('Every 5 minutes', 5, 'minutes');

const figuresSoFar = get(
  'Figures so far',
  'sms_days',
  {},
  { order: 'day desc', limit: 400, once: true, always: true },
);

const howLongToKeep = settings('How long to keep', { days: num(90) }, { once: true });

const tablesThatExist = listTables('Tables that exist', 'sms_', { always: true });

/** The tables whose old rows go, if their status lets them. */
const GROWING = Object.entries(TABLES).flatMap(([name, { columns }]) =>
  'status' in columns ? name : [],
);

const tablesThatGrow = only(
  'Tables that grow',
  `={{ ['${GROWING.join("', '")}'].includes($json.name) }}`,
  { always: true },
);

const newestRows = get(
  'Newest rows',
  '={{ $json.name }}',
  {},
  { order: 'id desc', limit: 50, always: true, goOn: true, choices: GROWING },
);

const oldestRow = get(
  'Oldest row',
  '={{ $json.name }}',
  {},
  { order: 'id', limit: 1, always: true, goOn: true, choices: GROWING },
);

const oldestRowThatMayGo = get(
  'Oldest row that may go',
  '={{ $json.name }}',
  { 'status !=': ['pending', 'sending', 'waiting'] },
  { order: 'id', limit: 1, always: true, goOn: true, choices: GROWING },
);

const sizes = code('Sizes', runSizes, { always: true });

const onlyTheSizes = when('Only the sizes?', "={{ $('Asked').isExecuted }}", {
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
  { tries: 3, choices: GROWING },
);

const whatIsNotCounted = code('What is not counted', runWhatIsNotCounted);

const newRows = get(
  'New rows',
  '={{ $json.table }}',
  { 'id >': '={{ $json.after }}', 'createdAt <': '={{ $json.before }}' },
  {
    ...{ order: 'id', limit: 3000, always: true, goOn: true },
    choices: ['sms_inbox', 'sms_outbox', 'sms_opt_outs'],
  },
);

const daySums = code('Day sums', runDaySums);

const keepTheFigures = upsert(
  'Keep the figures',
  'sms_days',
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
  name: 'Upkeep',
  about: `## SMS · Upkeep
What inbox and outbox need beside them: their tables, the names of templates and signatures, figures by day, and room.

Tables fill: n8n allows all data tables together 200 MB (\`N8N_DATA_TABLES_MAX_SIZE_BYTES\`), and PostgreSQL has a disk. When they are full, nothing can be stored or sent. So every 5 minutes the oldest rows go, some thousand at once: those older than \`days\`, and so many that the tables take no more than \`megabytes\`. Then the new rows are added to the figures of their day.

Rows that a subscriber waits for stay as long as there is room. What is not sent yet always stays: a campaign's rows, and messages that wait for the morning. When the tables take 80 % of \`megabytes_of_n8n\`, or have room for less than a day, the status page says it, and the watchdog by mail.`,
  setUp: `## Set up here
1. Select your credential in *Template* and *Signature*.
2. How long rows stay, and how much room there is: *How long to keep*. For more room, raise \`megabytes\` and \`megabytes_of_n8n\` there, and with data tables n8n's \`N8N_DATA_TABLES_MAX_SIZE_BYTES\`.
3. Publish this workflow first, and then inbox and outbox.`,
  tryIt: `## Try it
Press *Execute workflow* from *Every 5 minutes*: it cleans up and counts.`,
  settings: { ...ONLY_FAILURES, executionTimeout: 540 },
  lanes: [
    lane(
      `## Tables
They are made when this is published; if one is missing later, publish it again. The table of rules gets the rows that it lacks.`,
      [whenPublished, ...tablesOfTheInbox],
      [whenPublished, ...tablesOfTheOutbox, areThereRules, defaultRules, storeTheDefaultRules],
    ),
    lane(
      [
        `## What others ask for
The outbox a template or a signature; status page and watchdog, who name nothing, the sizes.`,
        `## Templates and signatures
A name that was asked for is asked for again after an hour at the earliest, whatever the service answers.`,
        `## How full?
A workflow is not told. So it is estimated: newest ID less oldest, times what the newest 50 rows take. PostgreSQL keeps the room of deleted rows for a while: therefore \`megabytes\` is little more than half of \`megabytes_of_n8n\`, which is the limit of n8n's data tables, or what you give PostgreSQL.`,
        `## Figures by day
The sums stay in *sms_days* when rows go. The row of a day also says how far each table is counted, so after a crash nothing is counted twice and nothing is missed. Records count 2 minutes after they were stored, sends 11 minutes after they began, when their outcome is known. Old rows go first: in full tables no figure can be stored.`,
      ],
      [asked, whatIsAskedFor, noteThatItIsAsked],
      [[whatIsAskedFor, 1], noteThatItIsAsked],
      [whatIsAskedFor, template, whatTheServiceSays, storeTheNames],
      [[whatIsAskedFor, 1], signature, whatTheServiceSays],
      [[whatIsAskedFor, 2], howLongToKeep, tablesThatExist, tablesThatGrow, newestRows],
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
