import { ONLY_FAILURES, called, code, get, lane, subscription, update } from '../parts';
import type { DeskWorkflow } from '../parts';
import runSettledRows from './settled-rows';
import runStretchesOfRows from './stretches-of-rows';

const recordsFromTheInbox = called('Records from the inbox');

const stretchesOfRows = code('Stretches of rows', runStretchesOfRows);

const rowsOfTheReports = get('Rows of the reports', 'sms_recipients', {
  'id >=': '={{ $json.from }}',
  'id <=': '={{ $json.to }}',
});

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

const workflow: DeskWorkflow = {
  name: 'Campaign: reports',
  about: `## Campaigns: delivery reports
The inbox calls this with the rows of its reports. A report settles the row of *sms_recipients* that its message was sent for, if its number is the row's. A final row stays as it is, so late and repeated reports change nothing.`,
  setUp: `## Set up here
Nothing to choose: publish it after *SMS · Inbox*.`,

  settings: ONLY_FAILURES,
  lanes: [
    lane(
      [],
      [recordsFromTheInbox, stretchesOfRows, rowsOfTheReports, settledRows, settleByReports],
    ),
    subscription('deliveryReport'),
  ],
};

export default workflow;
