import { phoneOf, says, STOP_WORDS } from '../../../builder/parts';
import {
  AS_GIVEN,
  base,
  call,
  called,
  fields,
  get,
  insert,
  lane,
  list,
  num,
  onRecord,
  only,
  posted,
  settings,
  remove,
  upsert,
  when,
} from '../parts';
import type { DeskWorkflow } from '../parts';

const newReportsAndReplies = onRecord('New reports and replies', {
  pollTimes: { item: [{ mode: 'everyMinute' }] },
  events: ['deliveryReport', 'reply'],
  options: { repeatFailed: true },
});

const rows = fields('Rows', {
  event: "={{ String($json.event ?? '').replaceAll('\\0', '') }}",
  phone_number: `={{ ${phoneOf('$json')} }}`,
  status: "={{ String($json.status ?? '').replaceAll('\\0', '') }}",
  status_desc: "={{ String($json.status_desc ?? '').replaceAll('\\0', '') }}",
  content:
    "={{ ($json.content ?? $json.value ?? $json.answer ?? '').replaceAll?.('\\0', '') ?? JSON.stringify($json.content ?? $json.value ?? $json.answer) }}",
  batch_id: "={{ String($json.batch_id ?? '').replaceAll('\\0', '') }}",
  user_data: "={{ String($json.user_data ?? '').replaceAll('\\0', '') }}",
  phone_data: "={{ String($json.phone_data ?? '').replaceAll('\\0', '') }}",
  split_count: num('={{ Number($json.split_count) || 0 }}'),
  other:
    "={{ ['phone_number', 'mobile', 'status', 'status_desc', 'content', 'batch_id', 'user_data', 'phone_data', 'value', 'answer'].some((name) => name in $json) ? '' : JSON.stringify({ ...$json, page_id: undefined }) }}",
  time: '={{ DateTime.fromISO($json.time_iso).toUTC().toISO()?.match(/^[2-9].*/)?.[0] ?? $now.toUTC().toISO() }}',
  run: '={{ $json.page_id ?? $execution.id }}',
});

const newestRow = get(
  'Newest row',
  'sms_inbox',
  {},
  { order: 'id desc', limit: 1, once: true, always: true },
);

const pageStoredAlready = get(
  'Page stored already?',
  'sms_inbox',
  {
    'id >': "={{ ($('Newest row').first().json.id ?? 0) - 20000 }}",
    run: "={{ $('Rows').first().json.run }}",
  },
  { order: 'id', limit: 1, once: true, always: true },
);

const anythingPushedLately = get(
  'Anything pushed lately?',
  'sms_inbox',
  { 'id >': "={{ ($('Newest row').first().json.id ?? 0) - 20000 }}", 'run like': 'push-%' },
  { order: 'id', limit: 1, once: true, always: true },
);

const pushedReportsAndReplies = posted(
  'Pushed reports and replies',
  'sms-push',
  { responseData: 'noData' },
  { called: 'SMS desk: push' },
);

const listOfRecords = fields('List of records', {
  page_id: "=push-{{ JSON.stringify($json.body).hash('sha256') }}",
  value: list(
    "={{ ['data' in Object($json.body) ? $json.body.data ?? [] : $json.body].flat().filter((record) => JSON.stringify(record) !== '{}') }}",
  ),
});

const oneItemPerRecord = base('splitOut', 'One item per record', {
  fieldToSplitOut: 'value',
  options: {},
});

const eventAndTime = fields(
  'Event and time',
  {
    page_id: "={{ $('List of records').first().json.page_id }}",
    event:
      "={{ ['deliveryReport', 'reply'].find((event) => event === $json.event) ?? ('status' in $json ? 'deliveryReport' : 'content' in $json || 'mobile' in $json ? 'reply' : 'unreadable') }}",
    time_iso:
      "={{ $json.time_iso ?? [Number($json.time) * 1000, Number($json.time), Date.parse(/[zZ]$|[+-]\\d\\d:?\\d\\d$/.test($json.time) ? $json.time : '')].filter((ms) => ms > 946684800000 && ms < $now.plus({ years: 1 }).toMillis()).map((ms) => DateTime.fromMillis(ms).toUTC().toISO())[0] }}",
  },
  { keepsOthers: true },
);

const askedByTheStatusPage = called('Asked by the status page');

const onlyANewPage = only(
  'Only a new page',
  "={{ !$('Page stored already?').first().json.id && $json.batch_id !== 'sample-batch-1' }}",
);

const wasItPushedOrPulled = when(
  'Was it pushed or pulled?',
  "={{ $json.run.startsWith('push-') || Boolean($('Anything pushed lately?').first().json.id) }}",
);

const sameRecordInTheTable = get(
  'Same record in the table',
  'sms_inbox',
  {
    'id >': "={{ ($('Newest row').first().json.id ?? 0) - 20000 }}",
    event: '={{ $json.event }}',
    phone_number: '={{ $json.phone_number }}',
    batch_id: '={{ $json.batch_id }}',
    status: '={{ $json.status }}',
    content: '={{ $json.content }}',
    time: '={{ $json.time }}',
  },
  { order: 'id', limit: 1 },
);

const newRecords = only(
  'New records',
  "={{ !$('Same record in the table').isExecuted || !$('Same record in the table').all().some(({ pairedItem }) => pairedItem.item === $itemIndex) }}",
);

const stopAndStartWords = settings(
  'Stop and start words',
  { stop_words: STOP_WORDS, start_words: 'START, 恢复' },
  { keepsOthers: true },
);

const whatTheReplySays = fields('What the reply says', {
  phone_number: '={{ $json.phone_number }}',
  word: '={{ $json.content }}',
  since: '={{ $json.time }}',
  says: `={{ $json.event === 'reply' && $json.phone_number && ['stop', 'start'].find((way) => ${says('$json.content', "$json[way + '_words']")}) || '' }}`,
  stop_words: '={{ $json.stop_words }}',
  start_words: '={{ $json.start_words }}',
});

const stopOrStart = only('Stop or start', '={{ Boolean($json.says) }}');

const laterRepliesOfTheNumber = get(
  'Later replies of the number',
  'sms_inbox',
  {
    'id >': "={{ ($('Newest row').first().json.id ?? 0) - 20000 }}",
    phone_number: '={{ $json.phone_number }}',
    event: 'reply',
    'time >': '={{ $json.since }}',
  },
  { order: 'id' },
);

const lastWordOfEachNumber = only(
  'Last word of each number',
  `={{ !$input.all().some(({ json }, index) => json.phone_number === $json.phone_number && (json.since > $json.since || (json.since === $json.since && index > $itemIndex))) && !$('Later replies of the number').all().some(({ json, pairedItem }) => pairedItem.item === $itemIndex && ['stop_words', 'start_words'].some((list) => ${says('json.content', '$json[list]')})) }}`,
);

const aStopWord = when('A stop word?', "={{ $json.says === 'stop' }}");

const putOnTheOptOutList = upsert(
  'Put on the opt-out list',
  'sms_opt_outs',
  { phone_number: '={{ $json.phone_number }}' },
  {
    phone_number: '={{ $json.phone_number }}',
    word: '={{ $json.word }}',
    since: '={{ $json.since }}',
  },
  { tries: 3 },
);

const takeOffTheOptOutList = remove(
  'Take off the opt-out list',
  'sms_opt_outs',
  { phone_number: '={{ $json.phone_number }}', 'since <=': '={{ $json.since }}' },
  { tries: 3 },
);

const store = insert('Store', 'sms_inbox', AS_GIVEN, { tries: 3, atOnce: true });

const serveTheSubscribers = call('Serve the subscribers', 'sms-inbox-serve', {
  waits: false,
  once: true,
});

const workflow: DeskWorkflow = {
  name: 'Inbox',
  about: `## SMS · Inbox: all delivery reports and replies
The only workflow with the SMS trigger, because a pull takes the records out of the service. It stores each record once in the table *sms_inbox*, keeps the opt-out list, and hands the records to the workflows that want them, its *subscribers*. They subscribe themselves when they are published.

Its parts: *SMS · Upkeep* makes the tables, deletes old rows and counts by day; *SMS · Inbox: serve* hands the records over. Publish these two first.`,
  setUp: `## Set up here
Choose your credential below and publish. Does your SMS provider push? Choose a Header Auth credential in *Pushed reports and replies*, the name and secret value of the header that the provider sends, and give it the production address of that node.

A test of the trigger in the editor brings sample records and stores them too.`,

  settings: {
    saveDataSuccessExecution: 'none',
    errorWorkflow: 'sms-dashboard',
    executionTimeout: 540,
  },
  lanes: [
    lane(
      [
        `## Store first
One execution per page of records. A page that was not stored for any reason (n8n stopped, table full) comes again, and nothing more is pulled until it is stored: the records stay with the service. So everything before *Store* can be done twice, and no Code node is in front of it, because Code nodes fail while n8n stops. *Store* is one step: all rows of a page, or none. Then the subscribers are served; if n8n stops before that, the next minute does it.

*Rows* makes a row of each record, whatever it holds. n8n runs branches from top to bottom: keep the order of what follows *New records*, with *Store* the lowest.`,
        `## Set up here: stop and start words
A reply that is nothing but a stop word puts its number on the list *sms_opt_outs*; a start word takes it off again. Case, spaces, punctuation, emoji, full-width letters, 回复 before it and thanks do not matter. Add words that your messages announce, such as N. 取消 is none: it may mean an order. The latest word by its time counts, in whatever order they come, also across pages. Replies are pulled once a minute: a number can still get what is sent in that minute.

Do you type numbers into *sms_opt_outs* yourself? It holds numbers of 11 digits only, such as 13800138000.`,
        `### Pushed records
For providers that send records to an address of yours, as \`{"count": 2, "data": [ … ]}\`, as a list, or one at a time. What is stored already is not stored again. The answer is 200 only when everything is stored.`,
      ],
      [newReportsAndReplies, rows, newestRow, pageStoredAlready, anythingPushedLately],
      [pushedReportsAndReplies, listOfRecords, oneItemPerRecord, eventAndTime, rows],
      [rows, onlyANewPage, wasItPushedOrPulled, sameRecordInTheTable],
      [onlyANewPage, newRecords, stopAndStartWords, whatTheReplySays, stopOrStart],
      [stopOrStart, laterRepliesOfTheNumber],
      [stopOrStart, lastWordOfEachNumber, aStopWord, putOnTheOptOutList],
      [[aStopWord, 1], takeOffTheOptOutList],
      [newRecords, store, serveTheSubscribers],
    ),
    lane([], [askedByTheStatusPage]),
  ],
};

export default workflow;
