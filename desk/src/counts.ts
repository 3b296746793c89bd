/**
 * The table sms_counts says how many rows of a campaign are alike. Triggers of sms_recipients add to it
 * in the statement that changes rows, whatever changes them: what rows were, less, and what they are, more.
 */
import { INTERRUPTED_AFTER_MS } from './common/messages/outbox';
import { DEFAULTS } from './common/messages/thresholds';
import type { Statement } from './postgres';

/** What rows have in common. Times are to the minute. */
const ALIKE = 'campaign, status, reason, taken, sent_at, segments, blank';

const added = (rows: string, figures: string) => `INSERT INTO sms_counts
SELECT campaign, status, coalesce(reason, ''), coalesce(batch_id, '') <> '', date_trunc('minute', sent_at), segments,
coalesce(blank, ''), ${figures} FROM ${rows} GROUP BY 1, 2, 3, 4, 5, 6, 7;`;

const on = (event: string, referencing = '') =>
  `CREATE TRIGGER sms_count_${event} AFTER ${event} ON sms_recipients ${referencing} FOR EACH STATEMENT EXECUTE FUNCTION sms_count();`;

const HERE = added('here', 'count(*), max(changed), min(id)');

/**
 * Makes the table and its triggers. Only rows are added, so nobody waits for another; now and then they become few
 * again, by one execution at a time.
 */
export const MAKE_COUNTS = `DROP TABLE IF EXISTS sms_counts;
DROP FUNCTION IF EXISTS sms_count() CASCADE;
CREATE TABLE sms_counts (campaign text COLLATE "C", status text COLLATE "C", reason text COLLATE "C",
taken boolean, sent_at timestamptz, segments float8, blank text COLLATE "C", rows integer, changed timestamptz(3), row_id integer);
CREATE INDEX sms_counts_campaign ON sms_counts (campaign);
CREATE FUNCTION sms_count() RETURNS trigger LANGUAGE plpgsql AS $count$ BEGIN
IF TG_OP = 'TRUNCATE' THEN DELETE FROM sms_counts; RETURN NULL; END IF;
IF TG_OP <> 'INSERT' THEN ${added('gone', '-count(*), NULL, NULL')} END IF;
IF TG_OP <> 'DELETE' THEN
${HERE}
IF random() < 0.02 AND pg_try_advisory_xact_lock(hashtext('SMS desk'), hashtext('sms_counts')) THEN
WITH folded AS (DELETE FROM sms_counts WHERE campaign IN (SELECT campaign FROM here) RETURNING *)
INSERT INTO sms_counts SELECT ${ALIKE}, sum(rows), max(changed), min(row_id) FROM folded
GROUP BY ${ALIKE} HAVING sum(rows) <> 0;
END IF; END IF;
RETURN NULL; END $count$;
${on('INSERT', 'REFERENCING NEW TABLE AS here')}
${on('UPDATE', 'REFERENCING OLD TABLE AS gone NEW TABLE AS here')}
${on('DELETE', 'REFERENCING OLD TABLE AS gone')}
${on('TRUNCATE')}
${HERE.replace('FROM here', 'FROM sms_recipients')}`;

/** The counts of a campaign. @param campaign the expression of its name */
export const countsOf = (campaign: string): Statement => ({
  query: `SELECT status, reason, taken, sent_at, segments, blank, sum(rows)::integer AS rows, max(changed) AS changed,
min(row_id) AS row_id FROM sms_counts WHERE campaign = $1 GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(rows) <> 0`,
  values: [campaign],
});

/**
 * The counts of the campaigns that run, and of the latest: rows that are alike for the list. What depends on the time is
 * whether a row is late, and whether its execution was interrupted.
 */
export const countsOfAll = (most: number): Statement => ({
  query: `WITH late AS (SELECT $1::timestamptz - make_interval(mins => coalesce((SELECT value FROM sms_thresholds WHERE name = 'late_minutes'), ${DEFAULTS.late_minutes})::integer) AS bound)
SELECT campaign, status, reason, min(sent_at) AS first, max(sent_at) AS sent_at, sum(rows)::integer AS rows FROM sms_counts CROSS JOIN late
WHERE campaign IN (SELECT campaign FROM sms_campaigns ORDER BY coalesce(state = 'running', false) DESC, id DESC LIMIT ${most})
GROUP BY 1, 2, 3, sent_at < bound, sent_at < $1::timestamptz - interval '${INTERRUPTED_AFTER_MS} milliseconds' HAVING sum(rows) <> 0`,
  values: ['$now.toISO()'],
});

/**
 * Counts of those recipients of a draft who have opted out. OFFSET 0: each is looked up by an index, also while the
 * table has no statistics. @param campaign the expression of its name
 */
export const optedOutOf = (campaign: string): Statement => ({
  query: `SELECT segments, blank, count(*)::integer AS rows FROM sms_opt_outs AS other CROSS JOIN LATERAL
(SELECT * FROM sms_recipients WHERE campaign = $1 AND phone_number = other.phone_number OFFSET 0) AS recipient
WHERE status = 'pending' GROUP BY 1, 2`,
  values: [campaign],
});
