import { base, called, code, fields, lane, list, num } from '../parts';
import type { DeskWorkflow } from '../parts';

const calledByThePage = called('Called by the page');

const recipientsAsOneList = code('Recipients as one list');

const addToTheOutbox = base(
  'postgres',
  'Add to the outbox',
  {
    operation: 'executeQuery',
    query: `WITH given AS (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS r (phone_number text, parameters jsonb)
), added AS (
  INSERT INTO sms_outbox (campaign, phone_number, parameters)
  SELECT $1, phone_number, parameters FROM given
  -- Once in a campaign, also when the same list comes again.
  ON CONFLICT (phone_number, campaign) DO NOTHING
  RETURNING 1
)
SELECT $1 AS campaign,
  (SELECT count(*)::int FROM given) AS given,
  (SELECT count(*)::int FROM added) AS added;
`,
    options: { queryReplacement: '={{ [ $json.campaign, $json.rows ] }}' },
  },
  { tries: 5, needs: 'postgres' },
);

const whatWasAdded = fields(
  'What was added',
  {
    invalid: num("={{ $('Recipients as one list').first().json.invalid }}"),
    first_invalid: list("={{ $('Recipients as one list').first().json.first_invalid }}"),
  },
  { keepsOthers: true },
);

const tryItWithSampleRecipients = base('manualTrigger', 'Try it with sample recipients', {});

const sampleRecipients = fields('Sample recipients', {
  'body.campaign': 'Sample',
  'body.recipients': list(
    '[{"phone": "13810000010", "name": "Li Lei", "order": "A-1001", "date": "June 3"}, {"phone": "+86 138 1000 0011", "name": "Han Meimei", "order": "A-1002", "date": "June 3"}, {"phone": "138-1000-0012", "name": "Wang Fang", "order": "A-1003", "date": "June 4"}]',
  ),
});

const workflow: DeskWorkflow = {
  name: 'Campaign on PostgreSQL: load',
  about: `## Campaign on PostgreSQL: load
Puts the recipients that *SMS · Campaign on PostgreSQL: page* takes, and the sample, into *sms_outbox*. A number gets one row in a campaign, however often it comes. For a million, \`\\copy sms_outbox (campaign, phone_number, parameters)\` in psql is the quickest.`,
  setUp: `## Set up here
1. Select your Postgres credential in *Add to the outbox*.
2. Publish *SMS · Campaign on PostgreSQL: send* first: it makes the tables. Then publish this.`,
  tryIt: `## Try it
Press **Execute workflow**: three recipients of the campaign *Sample* are added, which the default *Settings* do not send. To send them, put in your own phone number first, and *Sample* in *Settings*.`,
  settings: { saveDataSuccessExecution: 'none' },
  lanes: [
    lane(
      [],
      [calledByThePage, recipientsAsOneList, addToTheOutbox, whatWasAdded],
      [tryItWithSampleRecipients, sampleRecipients, recipientsAsOneList],
    ),
  ],
};

export default workflow;
