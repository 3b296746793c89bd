import { base, called, code, create, fields, lane, published, upsert } from '../parts';
import type { DeskWorkflow } from '../parts';

const recordsFromTheInbox = called('Records from the inbox');

const reportsAsOneList = code('Reports as one list');

const reportsToRows = base(
  'postgres',
  'Reports to rows',
  {
    operation: 'executeQuery',
    query: `WITH report AS (
  SELECT * FROM jsonb_to_recordset($1::jsonb)
    AS r (phone_number text, portion text, batch_id text, is_delivered boolean, reason text)
), found AS (
  SELECT o.id, r.batch_id, r.is_delivered, r.reason FROM report AS r
  JOIN sms_outbox AS o ON o.phone_number = r.phone_number
    -- By the batch too, for a service that does not bring back user data.
    AND ((r.portion <> '' AND o.portion = r.portion)
      OR (r.batch_id <> '' AND o.batch_id = r.batch_id))
  WHERE o.status IN ('sending', 'accepted', 'unknown')
    -- The service refused it, or seemed to. The report knows better.
    OR (o.status = 'failed' AND o.refused)
    -- Refused rows that are pending again have no claim: one that was not delivered is sent. What was unknown
    -- is not sent again, whatever its report says.
    OR (o.status = 'pending' AND (r.is_delivered OR o.claimed IS NOT NULL))
  ORDER BY o.id
  FOR UPDATE OF o
), changed AS (
  UPDATE sms_outbox AS o
  SET status = CASE WHEN best.is_delivered THEN 'delivered' ELSE 'failed' END,
    batch_id = COALESCE(NULLIF(best.batch_id, ''), o.batch_id),
    reason = best.reason, refused = false, changed = now()
  -- A report may come twice. One that says "delivered" counts more.
  FROM (SELECT DISTINCT ON (id) * FROM found ORDER BY id, is_delivered DESC) AS best
  WHERE o.id = best.id
  RETURNING 1
)
SELECT count(*)::int AS rows FROM changed;
`,
    options: { queryReplacement: '={{ [ $json.reports ] }}' },
  },
  { tries: 5, needs: 'postgres' },
);

const sendTheRefusedOnesAgain = base('manualTrigger', 'Send the refused ones again', {});

const whichCampaign = fields('Which campaign', { campaign: 'Spring' });

const makeThemPending = base(
  'postgres',
  'Make them pending',
  {
    operation: 'executeQuery',
    query: `UPDATE sms_outbox
-- The portion stays until the next claim: a report may still say that it was delivered.
SET status = 'pending', refused = false, reason = '', claimed = NULL, changed = now()
WHERE refused AND status = 'failed' AND campaign = $1;
`,
    options: { queryReplacement: '={{ [ $json.campaign ] }}' },
  },
  { needs: 'postgres' },
);

const whenPublished = published('When published');

const tableOfSubscribers = create('Table of subscribers', 'sms_subscribers', { tries: 5 });

const subscribe = upsert(
  'Subscribe',
  'sms_subscribers',
  { workflow_id: '={{ $workflow.id }}' },
  { workflow_id: '={{ $workflow.id }}', name: '={{ $workflow.name }}', wants: 'deliveryReport' },
  { tries: 5 },
);

const workflow: DeskWorkflow = {
  name: 'Campaign on PostgreSQL: reports',
  about: `## Campaign on PostgreSQL: reports
The inbox calls this with delivery reports. They are found by *user_data*, the portion, and the phone number, or by the batch. A report that comes twice changes nothing. One of a row that was refused counts, also when the row is pending again and was delivered.`,
  setUp: `## Set up here
Select your Postgres credential. Publish it after *SMS · Inbox* and *SMS · Campaign on PostgreSQL: send*. It serves all campaigns.`,
  tryIt: `## Try it: send the refused again
Rows that the service refused were not sent, unless a delivery report says so. Correct the cause, name the campaign in *Which campaign*, and press **Execute workflow**: its refused rows become pending.`,
  settings: { saveDataSuccessExecution: 'none' },
  lanes: [
    lane([], [recordsFromTheInbox, reportsAsOneList, reportsToRows]),
    lane([], [sendTheRefusedOnesAgain, whichCampaign, makeThemPending]),
    lane(
      `## When it is published
Puts this workflow on the list of those that the inbox hands delivery reports to.`,
      [whenPublished, tableOfSubscribers, subscribe],
    ),
  ],
};

export default workflow;
