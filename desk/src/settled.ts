/**
 * What delivery reports say of messages of which nobody knew whether they were sent: a report proves that the service
 * has taken its message, and names the batch. The send gave the row's own ID along as `phone_data`, or the caller's.
 * Which of two such rows a report is about, it does not say: both stay as they are.
 */
import { NO_JIT, ofEachItem, type Statement } from './postgres';

export const settled: Statement = {
  query: `${NO_JIT}WITH reports AS (SELECT phone_number, phone_data, max(batch_id) AS batch
FROM json_to_recordset($1::json) AS record(event text, phone_number text, phone_data text, batch_id text)
WHERE event = 'deliveryReport' AND phone_data <> '' AND batch_id <> '' GROUP BY 1, 2),
found AS (SELECT batch, place FROM reports CROSS JOIN LATERAL (SELECT min(id) AS place FROM sms.outbox
WHERE phone_number = reports.phone_number AND status IN ('unknown', 'claimed')
AND coalesce(NULLIF(phone_data, ''), 'sms_outbox:' || id) = reports.phone_data HAVING count(*) = 1) AS own),
changed AS (UPDATE sms.outbox SET status = 'accepted', reason = '', batch_id = batch, "updatedAt" = clock_timestamp()
FROM found WHERE id = place AND status IN ('unknown', 'claimed') RETURNING 1)
SELECT count(*)::integer AS count FROM changed`,
  values: [ofEachItem('$json')],
  once: true,
};
