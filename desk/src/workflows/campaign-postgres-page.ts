import { base, button, call, code, get, goTo, lane, page, posted, show } from '../parts';
import type { DeskWorkflow } from '../parts';

const pageIsOpened = page('Page is opened', 'sms-outbox');

const countTheRows = base(
  'postgres',
  'Count the rows',
  {
    operation: 'executeQuery',
    query: `WITH counted AS (
  SELECT campaign, status,
    count(*)::int AS rows,
    -- Not those that opted out: they take no time. Nor those that wait to be sent again.
    count(*) FILTER (WHERE claimed > now() - interval '10 minutes' AND status NOT IN ('opted_out', 'pending'))::int
      AS recent,
    (extract(epoch FROM min(claimed) FILTER (WHERE claimed > now() - interval '10 minutes')) * 1000)::float
      AS since,
    (array_agg(reason ORDER BY changed DESC) FILTER (WHERE reason <> ''))[1] AS reason,
    min(p.until) AS until, min(p.cause) AS cause,
    max(max(id)) OVER (PARTITION BY campaign) AS latest
  FROM sms_outbox LEFT JOIN sms_pauses AS p USING (campaign)
  GROUP BY campaign, status
), known AS (
  -- The service has taken what it has named a batch for.
  SELECT campaign, reason, batch_id <> '' AS is_taken, count(*)::int AS rows,
    (extract(epoch FROM max(changed)) * 1000)::float AS since
  FROM sms_outbox WHERE status = 'unknown'
  GROUP BY campaign, reason, batch_id <> ''
), old AS (
  DELETE FROM sms_warnings WHERE shown < now() - interval '1 day'
), warned AS (
  INSERT INTO sms_warnings (campaign, rows, up_to)
  SELECT campaign, count(*), max(changed) FROM sms_outbox
  WHERE status = 'unknown' AND batch_id = '' AND campaign = $1
  GROUP BY campaign
  RETURNING campaign, token, rows
)
SELECT counted.*, warned.token, warned.rows AS warned,
  CASE WHEN status = 'unknown' THEN
    (SELECT jsonb_agg(jsonb_build_object(
      'reason', k.reason, 'isTaken', k.is_taken, 'rows', k.rows, 'since', k.since) ORDER BY k.rows DESC)
    FROM known AS k WHERE k.campaign = counted.campaign)
  END AS known
FROM counted LEFT JOIN warned USING (campaign)
ORDER BY latest DESC, status;
`,
    options: {
      queryReplacement:
        "={{ [ typeof $json.query.ask === 'string' ? $json.query.ask.replaceAll('\\0', '') : '' ] }}",
    },
  },
  { always: true, needs: 'postgres' },
);

const pageNode = code('Page');

const showThePage = show('Show the page', '={{ $json.page }}');

const recipientsArrive = posted('Recipients arrive', 'sms-outbox');

const loadTheRecipients = call('Load the recipients', 'sms-campaign-postgres-load');

const sendingAgainIsConfirmed = button('Sending again is confirmed', 'sms-outbox-again');

const reportsOnTheirWay = get(
  'Reports on their way',
  'sms_subscribers',
  { workflow_id: 'sms-campaign-postgres-reports', 'since <=': '={{ $now.toISO() }}' },
  { limit: 1, always: true, goOn: true },
);

const makeTheUnknownPending = base(
  'postgres',
  'Make the unknown pending',
  {
    operation: 'executeQuery',
    query: `WITH told AS (
  -- A warning holds once.
  DELETE FROM sms_warnings
  WHERE token = $1 AND shown > now() - interval '1 day'
    -- Not while reports are on their way.
    AND $2 = 0
  RETURNING campaign, rows, up_to
), found AS (
  SELECT o.id FROM told
  JOIN sms_outbox AS o ON o.campaign = told.campaign
  WHERE o.status = 'unknown' AND o.batch_id = '' AND o.changed <= told.up_to
  -- Everybody locks rows in this order, so nobody waits for each other.
  ORDER BY o.id
  FOR UPDATE OF o
), again AS (
  UPDATE sms_outbox AS o
  -- The portion stays until the next claim, and so does the time of this one: a report settles the row.
  SET status = 'pending', reason = '', changed = now()
  FROM found
  WHERE o.id = found.id
    -- No more than the person was told of.
    AND (SELECT count(*) FROM found) <= (SELECT rows FROM told)
  RETURNING 1
)
SELECT count(*)::int AS rows FROM again;
`,
    options: {
      queryReplacement:
        "={{ [ JSON.stringify($('Sending again is confirmed').first().json.body.token ?? '').replace(/[^\\w-]/g, ''), $json.id === undefined ? 0 : 1 ] }}",
    },
  },
  { once: true, needs: 'postgres' },
);

const backToThePage = goTo(
  'Back to the page',
  "=sms-outbox?again={{ $('Reports on their way').first().json.id === undefined ? $json.rows : 'later' }}{{ ['en', 'zh'].includes($('Sending again is confirmed').first().json.body.lang) ? '&lang=' + $('Sending again is confirmed').first().json.body.lang : '' }}",
);

const workflow: DeskWorkflow = {
  name: 'Campaign on PostgreSQL: page',
  about: `## Campaign on PostgreSQL: page
A web page with the state of each campaign, messages a minute, the time that is left, and what is known of rows with an unknown outcome. And the address to which a shop or script posts recipients.`,
  setUp: `## Set up here
1. Select your Postgres credential in *Count the rows* and *Make the unknown pending*, the login of the page in *Page is opened* and *Sending again is confirmed*, and that of your programs in *Recipients arrive*.
2. Publish it after *: send* and *: load*.`,
  tryIt: `## Try it
Open the address instead of pressing the button: \`…/webhook/sms-outbox\`. \`?lang=zh\` is the page in Chinese.`,
  settings: { saveDataSuccessExecution: 'none' },
  lanes: [
    lane([], [pageIsOpened, countTheRows, pageNode, showThePage]),
    lane(
      `## Load recipients
Post \`{ "campaign": "Spring", "recipients": [ { "phone": "…", "name": "…" } ] }\` to the same address, up to 50,000 at a time. All fields but \`phone\` are parameters of the template.`,
      [recipientsArrive, loadTheRecipients],
    ),
    lane(
      `## Send the unknown again
Only the rows that the warning has named, once, and not while reports are on their way. The service has taken those with a batch: they are not sent again.`,
      [sendingAgainIsConfirmed, reportsOnTheirWay, makeTheUnknownPending, backToThePage],
    ),
  ],
};

export default workflow;
