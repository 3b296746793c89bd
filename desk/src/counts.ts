/** What pages read of the counts of campaigns. */
import { DEFAULTS } from './common/messages/thresholds';
import type { Statement } from './postgres';

const STATE = 'sms.state_of(status, reason_code, sent_at, NULL, NULL, NULL) AS state';

/** The counts of a campaign. @param campaign the expression of its name */
export const countsOf = (campaign: string): Statement => ({
  query: `SELECT status, reason, reason_code, reason_values, taken, sent_at, segments, blank, ${STATE}, sum(rows)::integer AS rows,
max(changed) AS changed, min(row_id) AS row_id FROM sms.counts WHERE campaign = $1 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(rows) <> 0`,
  values: [campaign],
});

/**
 * The counts of the campaigns that run, and of the latest: rows that are alike for the list. What depends on the time is
 * whether a row is late, and whether its execution was interrupted.
 */
export const countsOfAll = (most: number): Statement => ({
  query: `WITH late AS (SELECT $1::timestamptz - make_interval(mins => coalesce((SELECT value FROM sms.thresholds WHERE name = 'late_minutes'), ${DEFAULTS.late_minutes})::integer) AS bound)
SELECT campaign, status, reason, reason_code, reason_values, ${STATE}, min(sent_at) AS first, max(sent_at) AS sent_at, sum(rows)::integer AS rows
FROM sms.counts CROSS JOIN late
WHERE campaign IN (SELECT campaign FROM sms.campaigns ORDER BY coalesce(state = 'running', false) DESC, id DESC LIMIT ${most})
GROUP BY 1, 2, 3, 4, 5, 6, sent_at < bound HAVING sum(rows) <> 0`,
  values: ['$now.toISO()'],
});

/**
 * Counts of those recipients of a draft who have opted out. OFFSET 0: each is looked up by an index, also while the
 * table has no statistics. @param campaign the expression of its name
 */
export const optedOutOf = (campaign: string): Statement => ({
  query: `SELECT segments, blank, count(*)::integer AS rows FROM sms.opt_outs AS other CROSS JOIN LATERAL
(SELECT * FROM sms.recipients WHERE campaign = $1 AND phone_number = other.phone_number OFFSET 0) AS recipient
WHERE status = 'pending' GROUP BY 1, 2`,
  values: [campaign],
});
