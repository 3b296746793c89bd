/**
 * The rows of the dashboard, joined and counted in the database. A message stands for all that are alike: also in the minute of the clock, for the chart, in their age in minutes, and
 * on which side they are of the stretch of time that the page is about.
 */
import { NO_JIT } from '../postgres';
import type { Statement } from '../postgres';
import { MOST } from './most';

const ASKED = [
  ...(['window', 'batch', 'status', 'view'] as const),
  ...(['now', 'start', 'end', 'before', 'readFrom', 'sendsTo', 'recordsTo'] as const),
];

/** The values behind the two IDs. */
const asked = (name: (typeof ASKED)[number]) => {
  const place = ASKED.indexOf(name);
  return `$${place + 3}::${place < 4 ? 'text' : 'timestamptz'}`;
};

const rowsOf = (
  table: string,
  from: string,
  time: string,
  to: 'sendsTo' | 'recordsTo',
  columns: string,
) =>
  `(SELECT id, coalesce(phone_number, '') AS phone, status, coalesce(batch_id, '') AS batch, ${columns},
coalesce(${time}, "createdAt") AS at FROM ${table} WHERE id > ${from}::bigint
AND CASE ${asked('window')} WHEN 'all' THEN "createdAt" ELSE ${time} END BETWEEN ${asked('readFrom')} AND ${asked(to)}
AND "createdAt" <= ${asked('now')} ORDER BY id DESC LIMIT ${MOST})`;

const cutOf = (rows: string) =>
  `SELECT at FROM ${rows} WHERE id = (SELECT min(id) FROM ${rows} HAVING count(*) = ${MOST})`;

/** Each message or reply once. */
const once = (rows: string, which: string, key: string, order: string) =>
  `(SELECT DISTINCT ON (key) * FROM (SELECT ${key} AS key, * FROM ${rows}
WHERE ${which} AND at >= (SELECT coalesce(max(at), '-infinity') FROM cut)) AS found ORDER BY key, ${order})`;

const keyOf = (kind: string) =>
  `CASE batch WHEN '' THEN '${kind}' || id ELSE batch || E'\\n' || phone END`;

const moment = (at: string) => `floor(date_part('epoch', ${at}) / 60),
ceil(date_part('epoch', ${asked('now')} - ${at}) / 60), CASE WHEN ${at} > ${asked('end')} THEN 3
WHEN ${at} >= ${asked('start')} THEN 2 WHEN ${at} >= ${asked('before')} THEN 1 END`;

/** A message, and not one that another row has under its key. */
const OWN = `phone <> '' AND (status = 'refused' AND reason LIKE 'Not sent again under the key "%') IS NOT TRUE`;

/** Those that may be in a list, or in the file. */
const LISTED = `${asked('view')} = 'csv' OR ${asked('status')} NOT IN ('', 'failed') OR (i > 0 AND said IS DISTINCT FROM 'DELIVRD')`;

/** All of them fit in memory: sorted on a disk, they take a fifth longer. */
const ROOM = `SELECT FROM set_config('work_mem', '64MB', true) AS room WHERE room = '';\n`;

/** @param from rows of sms.inbox and of sms.outbox count that have a higher ID: expressions */
export const countedOf = (...from: [inbox: string, outbox: string]): Statement => ({
  query: `${NO_JIT}${ROOM}WITH sends AS MATERIALIZED ${rowsOf('sms.outbox', '$2', 'sent_at', 'sendsTo', 'reason, template, length(text) AS chars')},
events AS MATERIALIZED ${rowsOf('sms.inbox', '$1', 'time', 'recordsTo', 'event, status_desc, content, split_count')},
cut AS (${cutOf('sends')} UNION ALL ${cutOf('events')}),
mine AS ${once('sends', OWN, keyOf('o'), 'id')},
reports AS ${once('events', "event = 'deliveryReport'", keyOf('i'), 'at DESC, id')},
replies AS ${once('events', "event = 'reply'", 'json_build_array(phone, at, content, batch)::text', 'id')},
batches AS (SELECT batch, (array_agg(template ORDER BY id))[1] AS template, count(*) AS mates FROM mine WHERE batch <> '' GROUP BY batch),
joined AS (SELECT s.id AS o, r.id AS i, s.status, s.reason, CASE WHEN s.id > 0 THEN s.template ELSE b.template END AS template,
coalesce(s.phone, r.phone) AS phone, coalesce(s.batch, r.batch) AS own, s.at AS sent, r.at AS told, coalesce(r.at, s.at) AS at,
CASE WHEN b.mates > 1 OR coalesce(s.batch, r.batch) = ${asked('batch')} THEN coalesce(s.batch, r.batch) END AS batch,
CASE WHEN r.split_count > 0 THEN 0 ELSE chars END AS chars, r.status AS said, status_desc, split_count AS segments
FROM mine AS s FULL JOIN reports AS r USING (key) LEFT JOIN batches AS b ON b.batch = coalesce(s.batch, r.batch)
ORDER BY at DESC, o DESC NULLS LAST, i DESC),
alike AS (SELECT max(o) AS o, max(i) AS i, json_build_object('rows', count(*),
'send', CASE WHEN min(o) > 0 THEN json_build_array(min(o), '', status, reason, batch, template, max(sent), NULL, chars) END,
'report', CASE WHEN min(i) > 0 THEN json_build_array(min(i), '', '', said, status_desc, '', batch, segments, max(told), NULL) END,
'template', template, 'batch', batch, 'times', json_agg(round(date_part('epoch', told - sent) * 1000)) FILTER (WHERE o > 0 AND i > 0),
'newest', (array_agg(json_build_array(o, i, at, phone, own)) FILTER (WHERE ${LISTED}))[1:CASE ${asked('view')} WHEN 'csv' THEN ${2 * MOST} ELSE 20 END]) AS message
FROM joined GROUP BY batch, ${moment('sent')}, ${moment('told')}, o IS NULL, i IS NULL, status, reason, template, chars, said, status_desc, segments)
SELECT json_build_object('messages', (SELECT json_agg(message ORDER BY o DESC NULLS LAST, i DESC) FROM alike), 'cut', (SELECT max(at) FROM cut),
'replies', (SELECT json_agg(json_build_array(id, event, phone, status, '', content, batch, 0, at, NULL, template) ORDER BY id DESC) FROM replies LEFT JOIN batches USING (batch)))::text AS counted`,
  values: [...from, ...ASKED.map((name) => `$('What was asked').first().json.${name}`)],
});
