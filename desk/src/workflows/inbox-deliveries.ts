import { base, call, called, create, every, get, lane, only, remove, update, when } from '../parts';
import type { DeskWorkflow } from '../parts';

const everyMinute = every('Every minute', 1, 'minutes');

const tableOfRecords = create('Table of records', 'sms_inbox');

const tableOfOptOuts = create('Table of opt-outs', 'sms_opt_outs');

const tableOfSubscribers = create('Table of subscribers', 'sms_subscribers');

const tableOfDeliveries = create('Table of deliveries', 'sms_deliveries');

const allSubscribers = get('All subscribers', 'sms_subscribers', {}, { order: 'id' });

const publishedAgain = update(
  'Published again',
  'sms_deliveries',
  {
    workflow_id: '={{ $json.workflow_id }}',
    'reason !=': 'Under way',
    'updatedAt <': '={{ $json.updatedAt }}',
  },
  { next_try: '={{ $now.toISO() }}' },
  { tries: 3 },
);

const dueDeliveries = get(
  'Due deliveries',
  'sms_deliveries',
  { workflow_id: '={{ $json.workflow_id }}', 'next_try <=': '={{ $now.toISO() }}' },
  { order: 'id', limit: 20 },
);

const claim = update(
  'Claim',
  'sms_deliveries',
  { id: '={{ $json.id }}', tries: '={{ $json.tries }}' },
  {
    reason: 'Under way',
    tries: '={{ $json.tries + 1 }}',
    next_try: '={{ $now.plus({ minutes: 10 }).toISO() }}',
  },
  { tries: 3 },
);

const oneDeliveryAtATime = base('splitInBatches', 'One delivery at a time', { options: {} });

const deliverInAnExecutionOfItsOwn = call(
  'Deliver in an execution of its own',
  '={{ $workflow.id }}',
  { waits: false },
);

const deliveryToMake = called('Delivery to make');

const rowsOfThePage = get(
  'Rows of the page',
  'sms_inbox',
  {
    'id >': '={{ $json.from_id }}',
    run: '={{ $json.page }}',
    'event like': "={{ $json.wants === 'all' ? '%' : $json.wants }}",
  },
  { order: 'id', always: true },
);

const isThePageStored = when(
  'Is the page stored?',
  "={{ Boolean($('Rows of the page').first().json.id) }}",
);

const handOver = call('Hand over', "={{ $('Delivery to make').first().json.workflow_id }}", {
  errors: true,
});

const tryAgainLater = update(
  'Try again later',
  'sms_deliveries',
  {
    id: "={{ $('Delivery to make').first().json.id }}",
    tries: "={{ $('Delivery to make').first().json.tries }}",
  },
  {
    reason: '={{ $json.error }}',
    next_try:
      "={{ $now.plus({ minutes: Math.min(15, 2 ** ($('Delivery to make').first().json.tries - 1)) }).toISO() }}",
  },
  { once: true, tries: 3 },
);

const didItSucceed = only('Did it succeed?', "={{ !$('Try again later').isExecuted }}", {
  once: true,
});

const delivered = remove(
  'Delivered',
  'sms_deliveries',
  { id: "={{ $('Delivery to make').first().json.id }}" },
  { tries: 3 },
);

const waitForThePage = update(
  'Wait for the page',
  'sms_deliveries',
  {
    id: "={{ $('Delivery to make').first().json.id }}",
    tries: "={{ $('Delivery to make').first().json.tries }}",
  },
  { reason: 'The page is not stored yet', next_try: '={{ $now.plus({ minutes: 1 }).toISO() }}' },
  { tries: 3 },
);

const giveUpAfterThreeDays = remove(
  'Give up after three days',
  'sms_deliveries',
  {
    id: "={{ $('Delivery to make').first().json.id }}",
    tries: "={{ $('Delivery to make').first().json.tries }}",
    'createdAt <': '={{ $now.minus({ days: 3 }).toISO() }}',
  },
  { tries: 3 },
);

const workflow: DeskWorkflow = {
  name: 'Inbox: deliveries',
  about: `## SMS · Inbox: deliveries
Hands the stored records to the workflows that want them, until each has taken them. The inbox calls it for each new page and subscriber; every minute it repeats what failed. Nothing is to be set up here: publish it before the inbox.

To end a subscription, unpublish the workflow and delete its row in the data table *sms_subscribers*.`,

  settings: { saveDataSuccessExecution: 'none', executionTimeout: 540 },
  lanes: [
    lane(
      `## Every minute: what is due
Deliveries that were interrupted, that failed, or whose subscriber was not published: 20 for each subscriber, the oldest first. When a subscriber is published again, everything that waits for it is due.

It also makes the tables of the inbox.`,
      [everyMinute, tableOfRecords, tableOfOptOuts, tableOfSubscribers, tableOfDeliveries],
      [everyMinute, allSubscribers, publishedAgain],
      [
        allSubscribers,
        dueDeliveries,
        claim,
        [oneDeliveryAtATime, 1],
        deliverInAnExecutionOfItsOwn,
        oneDeliveryAtATime,
      ],
    ),
    lane(
      `## One delivery: a page for a subscriber
Each delivery has an execution of its own, so a subscriber that fails or hangs keeps nothing from the others. The subscriber gets all its rows of the page in one call, and has confirmed when its execution has succeeded. Otherwise *sms_deliveries* says why, and it comes again after 1, 2, 4, 8 and then every 15 minutes, days later too; after a crash, or if the subscriber takes longer than 9 minutes, after 10 minutes.

So a subscriber can get a row twice: it knows the row by its *id*.`,
      [deliveryToMake, rowsOfThePage, isThePageStored, [handOver, 1], tryAgainLater],
      [isThePageStored, didItSucceed, delivered],
      [[isThePageStored, 1], waitForThePage],
      [[isThePageStored, 1], giveUpAfterThreeDays],
    ),
  ],
};

export default workflow;
