/** Who needs a reply. */
import type { Row } from '../tables';
import type { Statement } from '../postgres';

/** For so long somebody waits, and so many are listed. */
const DAYS = 30;
const MOST = 500;

/** The last reply of a number that waits, since when, and how many numbers wait. */
export type Waiting = Row<'sms.inbox', 'time'> & { since: string; all: number };

const AT = 'coalesce(time, "createdAt")';

/** When a message was sent, if it may answer: what is not sent, a campaign and a code answer nobody. */
const ANSWERED = `SELECT max(CASE status WHEN 'waiting' THEN "createdAt" ELSE coalesce(sent_at, "createdAt") END) AS at FROM sms.outbox
WHERE sms.outbox.phone_number = phone.phone_number AND status NOT IN ('refused', 'rejected') AND class NOT IN ('marketing', 'code')`;

/**
 * The numbers whose last reply nothing has answered, unless it was a stop or start word: those that have waited longest.
 * Each is looked up by an index.
 *
 * @param pattern an expression of what a number is like
 */
export const waitingOf = (pattern: string): Statement => ({
  query: `WITH replies AS MATERIALIZED (SELECT *, ${AT} AS at FROM sms.inbox
WHERE event = 'reply' AND phone_number <> '' AND phone_number LIKE $1 AND "createdAt" >= $2::timestamptz - interval '${DAYS} days'),
phones AS (SELECT phone.phone_number, answer.at FROM (SELECT DISTINCT phone_number FROM replies) AS phone CROSS JOIN LATERAL (${ANSWERED}) AS answer),
latest AS (SELECT DISTINCT ON (phone_number) replies.*, min(replies.at) OVER (PARTITION BY phone_number) AS since
FROM replies JOIN phones USING (phone_number) WHERE phones.at IS NULL OR replies.at > phones.at
ORDER BY phone_number, replies.at DESC, id DESC)
SELECT json_agg(row)::text AS packed FROM (SELECT *, count(*) OVER () AS all FROM latest
WHERE coalesce(says, '') = '' ORDER BY since, id LIMIT ${MOST}) AS row`,
  values: [pattern, '$now.toISO()'],
});
