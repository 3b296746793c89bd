import {
  ONLY_FAILURES,
  call,
  called,
  claim,
  code,
  every,
  get,
  lane,
  makeTables,
  missing,
  num,
  only,
  published,
  settings,
  sms,
  subscribe,
  update,
  when,
} from '../parts';
import { reasonOf } from '../common/messages/reasons';
import type { DeskWorkflow } from '../parts';
import { SETTINGS } from '../../tables.mjs';
import runMessages from './messages';
import runOutcomes from './outcomes';
import runSettledRows from './settled-rows';
import runStretchesOfRows from './stretches-of-rows';
import runWhoseTurn from './whose-turn';

const every10Seconds = every('Every 10 seconds', 10, 'seconds');

const toSet = settings(
  'Settings',
  { portion_size: num(100), stop_below_balance: num(1000), minutes_under_way: num(5) },
  { once: true },
  SETTINGS['Settings of campaigns'],
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
  { always: true },
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

/** So many rows that there is one of each portion, or of as many portions as may be under way. */
const rowsUnderWay = get(
  'Rows under way',
  'sms_recipients',
  { status: 'sending' },
  {
    ...{ once: true, always: true, gives: ['campaign', 'portion'] },
    limit:
      "={{ ($('Settings').first().json.portions_at_once - 1) * $('Settings').first().json.portion_size + 1 }}",
  },
);

const rules = get('Rules', 'sms_rules', {}, { once: true, always: true });

const whoseTurn = code('Whose turn?', runWhoseTurn);

const pendingRows = (campaign: string) => ({
  ...{ campaign, status: 'pending' },
  'changed <': '={{ $now.minus({ minutes: 1 }).toISO() }}',
});

const firstRowOfEach = get(
  'First row of each',
  'sms_recipients',
  pendingRows('={{ $json.campaign }}'),
  { order: 'id', limit: 1 },
);

const readTheBalance = sms(
  'Read the balance',
  { resource: 'balance', operation: 'get' },
  { once: true },
);

const enoughLeft = when(
  'Enough left?',
  "={{ Number($json.balance) >= $('Settings').first().json.stop_below_balance }}",
);

/** It may be paused by now. */
const chooseTheCampaign = update(
  'Choose the campaign',
  'sms_campaigns',
  { campaign: "={{ $('First row of each').first().json.campaign }}", state: 'running' },
  { served_at: '={{ $now.toISO() }}' },
  { once: true },
);

/** After a pause, a small portion shows whether the service accepts messages again. */
const [nextPortion, claimThePortion] = claim(
  ['Next portion', 'Claim the portion'],
  pendingRows("={{ $('Choose the campaign').first().json.campaign }}"),
  {
    status: 'sending',
    portion: '={{ $execution.id }}',
    changed: '={{ $now.toISO() }}',
    sent_at: '={{ $now.toISO() }}',
  },
  {
    limit:
      "={{ $('Choose the campaign').first().json.tries ? 10 : $('Settings').first().json.portion_size }}",
    most: "={{ $('Settings').first().json.portions_at_once }}",
  },
);

const resends = get(
  'Resends',
  'sms_resends',
  {
    'recipient >=': "={{ $('Next portion').first().json.id }}",
    'recipient <=':
      "={{ Math.max($('Next portion').last().json.id, $('Claim the portion').last().json.id) }}",
  },
  { order: 'id', once: true, always: true, tries: 5 },
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

const nothingUnderWay = only('Nothing of it under way', '={{ !$json.under_way }}');

const isNothingLeft = missing('Is nothing left?', 'sms_recipients', {
  campaign: '={{ $json.campaign }}',
  status: 'pending',
});

/** Not if it had a turn since: what is under way may become pending again. */
const markItAsDone = update(
  'Mark it as done',
  'sms_campaigns',
  {
    id: '={{ $json.id }}',
    state: 'running',
    served_at: '={{ $json.served_at }}',
    'loaded_at <': '={{ $now.minus({ minutes: 2 }).toISO() }}',
  },
  { state: 'done' },
);

/** Of portions that went side by side, the first one that ends decides: a late one does not end its pause. */
const setThePause = update(
  'Set the pause',
  'sms_campaigns',
  {
    id: "={{ $('Choose the campaign').first().json.id }}",
    tries: "={{ $('Choose the campaign').first().json.tries ?? null }}",
  },
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
Every 10 seconds, a portion goes through the outbox; running campaigns take turns. The outbox leaves out who opted out, keeps the hours and the limits, and sends to each number once per campaign. After a crash, no row is sent twice: what was under way becomes unknown until a delivery report tells.

**The pages:** *SMS · Campaign: load* takes a spreadsheet, *SMS · Campaign: page* shows and starts it.`,
  setUp: `## Set up here
1. Select your credential in *Read the balance*.
2. **Settings:** \`portion_size\` every 10 seconds is the pace (100: 600 a minute). If one takes longer, the next ones begin beside it: up to \`portions_at_once\` are under way, which is what a crash leaves unknown at most. Nothing is sent below \`stop_below_balance\`.
3. Hours and limits: the row *marketing* of the table *sms_rules*.
4. Publish behind *SMS · Inbox* and *SMS · Outbox*, and before the other workflows of the campaign: it makes the tables.`,
  tryIt: `## Try it
Press **Execute workflow**: it sends the next portion now, if a campaign runs.`,
  settings: ONLY_FAILURES,
  lanes: [
    lane(
      [
        `## One look, one portion
The look tells the page that the send is alive. If the hours allow it and fewer than \`portions_at_once\` are under way, the campaign is chosen whose latest turn is longest ago, of those that do not pause and have rows to send. *Claim the portion* gives back the rows that it has claimed: each row belongs to one execution. A campaign with nothing left and nothing under way is done.`,
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
        whoseTurn,
        firstRowOfEach,
        readTheBalance,
        enoughLeft,
        chooseTheCampaign,
        nextPortion,
        claimThePortion,
        resends,
        messages,
        sendThroughTheOutbox,
        outcomes,
        settleThePortion,
      ],
      [whoseTurn, nothingUnderWay, isNothingLeft, markItAsDone],
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
