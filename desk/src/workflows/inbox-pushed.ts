import { base, call, fields, lane, list, posted } from '../parts';
import type { DeskWorkflow } from '../parts';

const pushedReportsAndReplies = posted('Pushed reports and replies', 'sms-push', {
  responseData: 'noData',
});

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

const storeInTheInbox = call('Store in the inbox', 'sms-inbox');

const workflow: DeskWorkflow = {
  name: 'Inbox: pushed records',
  about: `## SMS · Inbox: pushed records
Only for SMS providers that send reports and replies to an address of yours, as \`{"count": 2, "data": [ … ]}\`, as a list, or one at a time. It hands them to the inbox, which stores each record once, pushed or pulled.

The answer is 200 only when everything is stored, so the provider can send it again after an error.`,
  setUp: `## Set up here
1. Choose a Header Auth credential in *Pushed reports and replies*: the name and secret value of the header that the provider sends.
2. Publish this workflow. The inbox must be published first.
3. Give the provider the production address of *Pushed reports and replies*.`,

  settings: { saveDataSuccessExecution: 'none', executionTimeout: 300 },
  lanes: [
    lane(
      [],
      [pushedReportsAndReplies, listOfRecords, oneItemPerRecord, eventAndTime, storeInTheInbox],
    ),
  ],
};

export default workflow;
