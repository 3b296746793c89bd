import { base, code, every, fields, get, lane, num, only, published, sms } from '../parts';
import type { DeskWorkflow } from '../parts';

const everyTenSeconds = every('Every ten seconds', 10, 'seconds');

const settings = fields('Settings', {
  campaign: 'Spring',
  from_hour: num(9),
  to_hour: num(20),
  portion_size: num(1000),
  portions_at_once: num(4),
  stop_below_balance: num(5000),
  minutes_under_way: num(15),
  hours_without_report: num(72),
});

const lookAtTheOutbox = base(
  'postgres',
  'Look at the outbox',
  {
    operation: 'executeQuery',
    query: `-- Of every campaign. These may have been sent, so they never become pending again.
WITH given_up AS (
  UPDATE sms_outbox
  SET status = 'unknown', changed = now(), reason = CASE status
    WHEN 'sending' THEN 'Interrupted: it may have been sent' ELSE 'No delivery report has come' END
  WHERE (status = 'sending' AND changed < now() - $1 * interval '1 minute')
    OR (status = 'accepted' AND changed < now() - $2 * interval '1 hour')
  RETURNING 1
)
SELECT
  EXISTS (SELECT 1 FROM sms_outbox WHERE status = 'pending' AND campaign = $3) AS waiting,
  EXISTS (SELECT 1 FROM sms_pauses WHERE campaign = $3 AND until > now()) AS paused,
  (SELECT count(DISTINCT portion)::int FROM sms_outbox
    WHERE status = 'sending' AND campaign = $3 AND changed >= now() - $1 * interval '1 minute') AS under_way,
  (SELECT count(*)::int FROM given_up) AS given_up;
`,
    options: {
      queryReplacement:
        '={{ [ $json.minutes_under_way, $json.hours_without_report, $json.campaign ] }}',
    },
  },
  { needs: 'postgres' },
);

const onlyInAllowedHoursWithWorkToDo = only(
  'Only in allowed hours, with work to do',
  "={{ $now.hour >= $('Settings').first().json.from_hour && $now.hour < $('Settings').first().json.to_hour && $json.waiting && !$json.paused && $json.under_way < $('Settings').first().json.portions_at_once }}",
);

const getTheBalance = sms('Get the balance', { resource: 'balance', operation: 'get' });

const onlyWithEnoughBalance = only(
  'Only with enough balance',
  "={{ $json.balance >= $('Settings').first().json.stop_below_balance }}",
);

const whoOptedOut = get(
  'Who opted out',
  'sms_opt_outs',
  {},
  { once: true, always: true, tries: 5 },
);

const optOutsAsOneList = code('Opt-outs as one list');

const claimAPortion = base(
  'postgres',
  'Claim a portion',
  {
    operation: 'executeQuery',
    query: `-- SKIP LOCKED: another worker that claims now gets the rows after these, and nobody waits.
WITH picked AS (
  SELECT id FROM sms_outbox
  WHERE status = 'pending'
    -- The template is that of one campaign. And portion and phone number name one row.
    AND campaign = $3
  ORDER BY id
  -- After a pause, ten rows are tried.
  LIMIT CASE WHEN EXISTS (SELECT 1 FROM sms_pauses WHERE campaign = $3) THEN 10 ELSE $2::int END
  FOR UPDATE SKIP LOCKED
), claimed AS (
  UPDATE sms_outbox AS o
  SET portion = $1, claimed = now(), changed = now(),
    status = CASE WHEN o.phone_number IN (SELECT jsonb_array_elements_text($4::jsonb))
      THEN 'opted_out' ELSE 'sending' END
  FROM picked
  WHERE o.id = picked.id
  RETURNING o.id, o.phone_number, o.parameters, o.portion, o.status
)
SELECT phone_number, parameters, portion FROM claimed WHERE status = 'sending' ORDER BY id;
`,
    options: {
      queryReplacement:
        "={{ [ $execution.id + '-' + $now.toMillis(), $('Settings').first().json.portion_size, $('Settings').first().json.campaign, $json.numbers ] }}",
    },
  },
  { needs: 'postgres' },
);

const sendThePortion = sms(
  'Send the portion',
  {
    resource: 'message',
    operation: 'sendTemplate',
    signatureId: { __rl: true, mode: 'list', value: '' },
    templateId: { __rl: true, mode: 'list', value: '' },
    phoneNumbers: '={{ $json.phone_number }}',
    parameterMode: 'fields',
    parameters: {
      mappingMode: 'defineBelow',
      value: {
        name: '={{ $json.parameters.name }}',
        order: '={{ $json.parameters.order }}',
        date: '={{ $json.parameters.date }}',
      },
      matchingColumns: [],
      schema: [
        {
          id: 'name',
          displayName: 'name',
          required: true,
          defaultMatch: false,
          display: true,
          canBeUsedToMatch: false,
          type: 'string',
          removed: false,
        },
        {
          id: 'order',
          displayName: 'order',
          required: true,
          defaultMatch: false,
          display: true,
          canBeUsedToMatch: false,
          type: 'string',
          removed: false,
        },
        {
          id: 'date',
          displayName: 'date',
          required: true,
          defaultMatch: false,
          display: true,
          canBeUsedToMatch: false,
          type: 'string',
          removed: false,
        },
      ],
      attemptToConvertTypes: false,
      convertFieldsToString: false,
    },
    options: { userData: '={{ $json.portion }}', maxConcurrency: 4 },
  },
  { errors: true },
);

const outcomesAsOneList = code('Outcomes as one list');

const settleThePortion = base(
  'postgres',
  'Settle the portion',
  {
    operation: 'executeQuery',
    query: `WITH outcome AS (
  SELECT * FROM jsonb_to_recordset($2::jsonb)
    AS r (phone_number text, status text, batch_id text, reason text)
), found AS (
  SELECT o.id, r.* FROM outcome AS r
  JOIN sms_outbox AS o ON o.phone_number = r.phone_number AND o.portion = $1
  -- A report may have come first. What it says is final.
  WHERE o.status IN ('sending', 'unknown')
    -- It was late, and the row was to be sent again.
    OR (o.status = 'pending' AND o.claimed IS NOT NULL AND r.status <> 'unknown')
  -- Everybody locks rows in this order, so nobody waits for each other.
  ORDER BY o.id
  FOR UPDATE OF o
), settled AS (
  UPDATE sms_outbox AS o
  SET status = found.status, refused = found.status = 'failed', batch_id = found.batch_id,
    reason = found.reason, changed = now()
  FROM found
  WHERE o.id = found.id
  RETURNING o.status
), sent AS (
  SELECT count(*) FILTER (WHERE status = 'accepted') AS accepted, min(reason) AS cause FROM outcome
), resumed AS (
  DELETE FROM sms_pauses WHERE campaign = $3 AND (SELECT accepted > 0 FROM sent)
), paused AS (
  -- 1 minute, then 2, 4, 8 and 16. Portions that were under way when a pause began do not make it longer.
  INSERT INTO sms_pauses AS p (campaign, tries, until, cause)
  SELECT $3, 1, now() + interval '1 minute', cause FROM sent WHERE accepted = 0
  ON CONFLICT (campaign) DO UPDATE
  SET tries = p.tries + 1, until = now() + least(2 ^ p.tries, 16) * interval '1 minute',
    cause = excluded.cause
  WHERE p.until < now()
)
SELECT $1 AS portion, status, count(*)::int AS rows FROM settled GROUP BY status;
`,
    options: {
      queryReplacement:
        "={{ [ $json.portion, $json.outcomes, $('Settings').first().json.campaign ] }}",
    },
  },
  { tries: 5, needs: 'postgres' },
);

const whenPublished = published('When published');

const createTheTables = base(
  'postgres',
  'Create the tables',
  {
    operation: 'executeQuery',
    query: `CREATE TABLE IF NOT EXISTS sms_outbox (
  id bigserial PRIMARY KEY,
  campaign text NOT NULL,
  -- As the service takes it, so that a number has one spelling only.
  phone_number text NOT NULL CHECK (phone_number ~ '^1[3-9][0-9]{9}$'),
  parameters jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'pending' CHECK (status IN
    ('pending', 'sending', 'accepted', 'delivered', 'failed', 'unknown', 'opted_out')),
  portion text NOT NULL DEFAULT '',
  batch_id text NOT NULL DEFAULT '',
  reason text NOT NULL DEFAULT '',
  -- Not sent, as the service said.
  refused boolean NOT NULL DEFAULT false,
  claimed timestamptz,
  changed timestamptz NOT NULL DEFAULT now(),
  UNIQUE (phone_number, campaign)
);
CREATE INDEX IF NOT EXISTS sms_outbox_pending ON sms_outbox (campaign, id) WHERE status = 'pending';
CREATE INDEX IF NOT EXISTS sms_outbox_refused ON sms_outbox (campaign) WHERE refused;
CREATE INDEX IF NOT EXISTS sms_outbox_open ON sms_outbox (status, changed)
  WHERE status IN ('sending', 'accepted');
-- A row per campaign that pauses, or that tries ten rows after a pause.
CREATE TABLE IF NOT EXISTS sms_pauses (
  campaign text PRIMARY KEY,
  tries int NOT NULL,
  until timestamptz NOT NULL,
  cause text NOT NULL
);
-- A row per warning that a page has shown: how many unknown rows it named, and up to when they were unknown.
CREATE TABLE IF NOT EXISTS sms_warnings (
  token text PRIMARY KEY DEFAULT gen_random_uuid()::text,
  campaign text NOT NULL,
  rows int NOT NULL,
  up_to timestamptz NOT NULL,
  shown timestamptz NOT NULL DEFAULT now()
);
`,
    options: {},
  },
  { tries: 5, needs: 'postgres' },
);

const workflow: DeskWorkflow = {
  name: 'Campaign on PostgreSQL: send',
  about: `## Campaign on PostgreSQL: send
Every recipient is a row of *sms_outbox*: pending → sending → accepted → delivered, failed or unknown. Every ten seconds a free worker claims the next portion of the campaign, and sends it in requests of 100, four at a time.

A row whose outcome was lost is *unknown* until a delivery report tells, and is sent again only if a person says so on the page.

**A second campaign:** duplicate this workflow, and name it in *Settings* there.`,
  setUp: `## Set up here
1. Select your Postgres and SMS credentials.
2. **Settings:** the *campaign*, written as its recipients are loaded. \`portion_size\` every ten seconds is the pace. \`stop_below_balance\` has to cover all portions that are under way. The hours are in the time zone of this workflow's settings.
3. **Send the portion:** template and signature. Its fields *name*, *order* and *date* are parameters of a sample template: fill in those of yours.
4. Publish *SMS · Inbox*, then this, then *: load*, *: page* and *: reports*.`,
  tryIt: `## Try it
Press **Execute workflow**: it sends the next portion now, if rows are waiting.`,
  settings: { saveDataSuccessExecution: 'none' },
  lanes: [
    lane(
      [
        `## One portion
It reads who opted out, claims rows that no other worker has, and writes down all outcomes in one statement. A portion whose worker has died becomes unknown after \`minutes_under_way\`. To go faster: a shorter interval, more portions at once, more workers.`,
        `## A pause
If a portion had no accepted message, nothing is sent for 1 minute, then 2, 4, 8 and 16. Then ten rows are tried. The page says until when, and why.

Successful executions are not kept (workflow settings): a million messages would fill the database of n8n.`,
      ],
      [
        everyTenSeconds,
        settings,
        lookAtTheOutbox,
        onlyInAllowedHoursWithWorkToDo,
        getTheBalance,
        onlyWithEnoughBalance,
        whoOptedOut,
        optOutsAsOneList,
        claimAPortion,
        sendThePortion,
        outcomesAsOneList,
        settleThePortion,
      ],
      [[sendThePortion, 1], outcomesAsOneList],
    ),
    lane(
      `## When it is published
Makes the tables in your database.`,
      [whenPublished, createTheTables],
    ),
  ],
};

export default workflow;
