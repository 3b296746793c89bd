import { base, call, code, get, lane, page, show, sms } from '../parts';
import type { DeskWorkflow } from '../parts';
import runInWords from './in-words';
import runLights from './lights';
import runPage from './page';
import runRememberTheFailedPull from './remember-the-failed-pull';

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

const balance = sms(
  'Balance',
  { resource: 'balance', operation: 'get' },
  { once: true, goOn: true },
);

const subscribers = get(
  'Subscribers',
  'sms_subscribers',
  {},
  { limit: 1000, once: true, always: true, goOn: true },
);

const rules = get('Rules', 'sms_rules', {}, { limit: 1000, once: true, always: true, goOn: true });

const optOuts = get(
  'Opt-outs',
  'sms_opt_outs',
  {},
  { order: 'id desc', limit: 1000, once: true, always: true, goOn: true },
);

const figuresByDay = get(
  'Figures by day',
  'sms_days',
  {},
  { order: 'day desc', limit: 30, once: true, always: true, goOn: true },
);

const inboxNotCountedYet = get(
  'Inbox, not counted yet',
  'sms_inbox',
  {
    'id >':
      "={{ $('Figures by day').all().find((item) => item.json.inbox_id)?.json.inbox_id ?? 0 }}",
  },
  { order: 'id desc', limit: 1000, once: true, always: true, goOn: true },
);

const outboxNotCountedYet = get(
  'Outbox, not counted yet',
  'sms_outbox',
  {
    'id >':
      "={{ $('Figures by day').all().find((item) => item.json.outbox_id)?.json.outbox_id ?? 0 }}",
  },
  { order: 'id desc', limit: 1000, once: true, always: true, goOn: true },
);

const claimedTooLong = get(
  'Claimed too long',
  'sms_outbox',
  { status: 'claimed', 'updatedAt <': '={{ $now.minus({ minutes: 10 }).toISO() }}' },
  { order: 'id desc', limit: 1000, once: true, always: true, goOn: true },
);

const lights = code('Lights', runLights);

const inWords = code('In words', runInWords);

const pageNode = code('Page', runPage);

const showThePage = show('Show the page', '={{ $json.html }}');

const aPullHasFailed = base('errorTrigger', 'A pull has failed', {});

const rememberTheFailedPull = code('Remember the failed pull', runRememberTheFailedPull);

const workflow: DeskWorkflow = {
  name: 'Status page',
  about: `## SMS · Status page
Green, yellow and red lights: is the inbox published, does the service accept the login, when did the newest record come, which subscriber does not take its records, how full are the tables, how much was sent today. Each light says what to do and links to the place.

In English, or in Chinese for browsers that ask for it (\`?lang=zh\`). It shows no whole phone number, and every text on it is escaped.`,
  setUp: `## Set up here
1. Choose a Basic Auth credential in *Status page is opened* (user and password are up to you) and your SMS credential in *Balance*.
2. Publish. *SMS · Inbox* and *SMS · Upkeep* must be published first.
3. Open the production address of *Status page is opened*.`,

  settings: { saveDataSuccessExecution: 'none', executionTimeout: 60 },
  lanes: [
    lane(
      `## What is read
A few rows of each table, never a whole one. A table that is missing is a light.

*Not counted yet*: rows that are not in the figures by day. The page adds up to 1,000 and says “at least” when there are more.`,
      [statusPageIsOpened, doesTheInboxAnswer, sizesFromTheUpkeep, balance],
      [statusPageIsOpened, subscribers, rules, optOuts],
      [statusPageIsOpened, figuresByDay, inboxNotCountedYet, outboxNotCountedYet, claimedTooLong],
      [statusPageIsOpened, lights, inWords, pageNode, showThePage],
    ),
    lane(
      `### Failed pulls
n8n starts this line when a pull of the inbox fails, because this workflow is the *Error Workflow* in the settings of the inbox. If you choose another there, the page does not know of failed pulls.`,
      [aPullHasFailed, rememberTheFailedPull],
    ),
  ],
};

export default workflow;
