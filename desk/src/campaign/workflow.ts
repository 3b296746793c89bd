import {
  ONLY_FAILURES,
  call,
  called,
  code,
  every,
  get,
  lane,
  makeTables,
  missing,
  num,
  published,
  settings,
  sms,
  subscribe,
  update,
  when,
} from '../parts';
import { reasonOf } from '../common/messages/reasons';
import type { DeskWorkflow } from '../parts';
import runChooseTheCampaign from './choose-the-campaign';
import runMessages from './messages';
import runOutcomes from './outcomes';
import runSettledRows from './settled-rows';
import runStretchesOfRows from './stretches-of-rows';

const every10Seconds = every('Every 10 seconds', 10, 'seconds');

const toSet = settings(
  'Settings',
  { portion_size: num(100), stop_below_balance: num(1000), minutes_under_way: num(5) },
  { once: true },
);

const giveUpRowsUnderWay = update(
  'Give up rows under way',
  'sms_recipients',
  {
    status: 'sending',
    'changed <':
      "={{ $now.minus({ minutes: $('Settings').first().json.minutes_under_way }).toISO() }}",
  },
  {
    status: 'unknown',
    reason: reasonOf('Interrupted: it may have been sent'),
    changed: '={{ $now.toISO() }}',
  },
  { always: true, gives: [] },
);

const campaigns = update(
  'Campaigns',
  'sms_campaigns',
  { state: ['running', 'draft', 'incomplete', 'paused'] },
  {
    portion_size: "={{ $('Settings').first().json.portion_size }}",
    keep_balance: "={{ $('Settings').first().json.stop_below_balance }}",
    ticked_at: '={{ $now.toISO() }}',
  },
  { once: true, match: 'anyCondition' },
);

const rowsUnderWay = get(
  'Rows under way',
  'sms_recipients',
  { status: 'sending' },
  { limit: 1, once: true, always: true },
);

const rules = get('Rules', 'sms_rules', {}, { once: true, always: true });

const chooseTheCampaign = code('Choose the campaign', runChooseTheCampaign);

const nextPortion = get(
  'Next portion',
  'sms_recipients',
  {
    campaign: '={{ $json.campaign }}',
    status: 'pending',
    'changed <': '={{ $now.minus({ minutes: 1 }).toISO() }}',
  },
  { order: 'id', limit: '={{ $json.size }}', always: true, gives: ['id', 'sent_at'] },
);

const isThereAPortion = when('Is there a portion?', '={{ $json.id != null }}', { once: true });

const readTheBalance = sms(
  'Read the balance',
  { resource: 'balance', operation: 'get' },
  { once: true },
);

const enoughLeft = when(
  'Enough left?',
  "={{ Number($json.balance) >= $('Settings').first().json.stop_below_balance }}",
);

const resends = get(
  'Resends',
  'sms_resends',
  {
    'recipient >=': "={{ $('Next portion').first().json.id }}",
    'recipient <=': "={{ $('Next portion').last().json.id }}",
  },
  { order: 'id', once: true, always: true, tries: 5 },
);

const claimThePortion = update(
  'Claim the portion',
  'sms_recipients',
  {
    campaign: "={{ $('Choose the campaign').first().json.campaign }}",
    status: 'pending',
    'id <=': "={{ $('Next portion').last().json.id }}",
    'changed <': '={{ $now.minus({ minutes: 1 }).toISO() }}',
  },
  {
    status: 'sending',
    portion: '={{ $execution.id }}',
    changed: '={{ $now.toISO() }}',
    sent_at: '={{ $now.toISO() }}',
  },
  { once: true, gives: ['id', 'campaign', 'phone_number', 'parameters'] },
);

const messages = code('Messages', runMessages);

const sendThroughTheOutbox = call('Send through the outbox', 'sms-outbox', {
  always: true,
  goOn: true,
});

const outcomes = code('Outcomes', runOutcomes);

const settleThePortion = update(
  'Settle the portion',
  'sms_recipients',
  {
    portion: '={{ $execution.id }}',
    status: 'sending',
    'id >=': '={{ $json.from }}',
    'id <=': '={{ $json.to }}',
  },
  {
    status: '={{ $json.status }}',
    batch_id: '={{ $json.batch_id }}',
    reason: '={{ $json.reason }}',
    changed: '={{ $now.toISO() }}',
  },
  { together: true },
);

const isNothingLeft = missing('Is nothing left?', 'sms_recipients', {
  campaign: "={{ $('Choose the campaign').first().json.campaign }}",
  status: 'pending',
});

const markItAsDone = update(
  'Mark it as done',
  'sms_campaigns',
  {
    id: "={{ $('Choose the campaign').first().json.id }}",
    state: 'running',
    'loaded_at <': '={{ $now.minus({ minutes: 2 }).toISO() }}',
  },
  { state: 'done' },
);

const setThePause = update(
  'Set the pause',
  'sms_campaigns',
  { id: "={{ $('Choose the campaign').first().json.id }}" },
  { tries: '={{ $json.tries }}', until: '={{ $json.until }}', cause: '={{ $json.cause }}' },
  { once: true, tries: 5 },
);

const recordsFromTheInbox = called('Records from the inbox');

const stretchesOfRows = code('Stretches of rows', runStretchesOfRows);

const rowsOfTheReports = get(
  'Rows of the reports',
  'sms_recipients',
  { 'id >=': '={{ $json.from }}', 'id <=': '={{ $json.to }}' },
  { together: true, gives: ['id', 'phone_number', 'status', 'sent_at'] },
);

const settledRows = code('Settled rows', runSettledRows);

const settleByReports = update(
  'Settle by reports',
  'sms_recipients',
  {
    'id >=': '={{ $json.from }}',
    'id <=': '={{ $json.to }}',
    'status !=': ['delivered', 'failed', 'opted_out'],
    'sent_at filled': true,
  },
  {
    status: '={{ $json.status }}',
    batch_id: '={{ $json.batch_id }}',
    reason: '={{ $json.reason }}',
    changed: '={{ $now.toISO() }}',
  },
  { together: true },
);

const whenPublished = published('When published');

const tables = makeTables(
  {
    'Table of campaigns': 'sms_campaigns',
    'Table of recipients': 'sms_recipients',
    'Table of resends': 'sms_resends',
  },
  { tries: 5 },
);

const workflow: DeskWorkflow = {
  name: 'Campaign: send',
  about: `## Campaigns: send
Every 10 seconds, the next portion of the oldest running campaign goes through the outbox. The outbox leaves out who opted out, keeps the hours and the limits, and sends to each number once per campaign. After a crash, no row is sent twice: what was under way becomes unknown until a delivery report tells.

**The pages:** *SMS · Campaign: load* takes a spreadsheet, *SMS · Campaign: page* shows and starts it.`,
  setUp: `## Set up here
1. Select your credential in *Read the balance*.
2. **Settings:** \`portion_size\` every 10 seconds is the pace (100: 600 a minute), and what a crash leaves unknown at most. Nothing is sent below \`stop_below_balance\`.
3. Hours and limits: the row *marketing* of the table *sms_rules*.
4. Publish behind *SMS · Inbox* and *SMS · Outbox*, and before the other workflows of the campaign: it makes the tables.`,
  tryIt: `## Try it
Press **Execute workflow**: it sends the next portion now, if a campaign runs.`,
  settings: ONLY_FAILURES,
  lanes: [
    lane(
      [
        `## One look, one portion
The look tells the page that the send is alive. If nothing is under way, no pause holds and the hours allow it, the oldest running campaign is chosen. *Claim the portion* gives back the rows that it has claimed: each row belongs to one execution. A campaign without a row to send is done.`,
        `## After the send
If a portion had no accepted message, and not because of its recipients, the campaign pauses for 1 minute, then 2, 4, 8 and 16. Then ten rows are tried. What a press of *Send them again* has made pending goes under a key of its own; the outbox sends no other row again.`,
      ],
      [
        every10Seconds,
        toSet,
        giveUpRowsUnderWay,
        campaigns,
        rowsUnderWay,
        rules,
        chooseTheCampaign,
        nextPortion,
        isThereAPortion,
        readTheBalance,
        enoughLeft,
        resends,
        claimThePortion,
        messages,
        sendThroughTheOutbox,
        outcomes,
        settleThePortion,
      ],
      [[isThereAPortion, 1], isNothingLeft, markItAsDone],
      [outcomes, setThePause],
    ),
    lane(
      `## Delivery reports
The inbox hands them over, each time to an execution of its own. A report settles the row that its message was sent for, if its number is the row's. A final row stays as it is, so late and repeated reports change nothing. Unpublished, this workflow settles none: they come when it is published again.`,
      [recordsFromTheInbox, stretchesOfRows, rowsOfTheReports, settledRows, settleByReports],
    ),
    lane(
      `## When it is published
Makes the tables, and tells the inbox which records it wants.`,
      [whenPublished, ...tables],
      [whenPublished, subscribe('deliveryReport')],
    ),
  ],
};

export default workflow;
