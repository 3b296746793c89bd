/**
 * The rows of the dashboard, counted in the database. A message stands for all that are alike: also in the minute of the clock, for the chart, in their age in minutes, and
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
  `(SELECT id, coalesce(phone_number, '') AS phone, coalesce(batch_id, '') AS batch, ${columns},
coalesce(${time}, "createdAt") AS at FROM ${table} WHERE id > ${from}::bigint
AND CASE ${asked('window')} WHEN 'all' THEN "createdAt" ELSE ${time} END BETWEEN ${asked('readFrom')} AND ${asked(to)}
AND "createdAt" <= ${asked('now')} ORDER BY id DESC LIMIT ${MOST})`;

const cutOf = (rows: string) =>
  `SELECT at FROM ${rows} WHERE id = (SELECT min(id) FROM ${rows} HAVING count(*) = ${MOST})`;

/** Each report or reply once. */
const once = (which: string, key: string, order: string) =>
  `(SELECT DISTINCT ON (key) * FROM (SELECT ${key} AS key, * FROM events
WHERE ${which} AND at >= (SELECT coalesce(max(at), '-infinity') FROM cut)) AS found ORDER BY key, ${order})`;

const moment = (at: string) => `floor(date_part('epoch', ${at}) / 60),
ceil(date_part('epoch', ${asked('now')} - ${at}) / 60), CASE WHEN ${at} > ${asked('end')} THEN 3
WHEN ${at} >= ${asked('start')} THEN 2 WHEN ${at} >= ${asked('before')} THEN 1 END`;

/** Those that may be in a list, or in the file. */
const LISTED = `${asked('view')} = 'csv' OR ${asked('status')} NOT IN ('', 'failed') OR said <> 'DELIVRD'`;

/** All of them fit in memory: sorted on a disk, they take a fifth longer. */
const ROOM = `SELECT FROM set_config('work_mem', '64MB', true) AS room WHERE room = '';\n`;

/** What messages have in common besides their times. */
const ALIKE =
  'state, reason, reason_code, reason_values, template, chars, said, told_text, segments';

/** @param from rows of sms.inbox and of sms.outbox count that have a higher ID: expressions */
export const countedOf = (...from: [inbox: string, outbox: string]): Statement => ({
  query: `${NO_JIT}${ROOM}WITH sends AS MATERIALIZED ${rowsOf('sms.messages', '$2', 'sent_at', 'sendsTo', 'state, reason, reason_code, reason_values, template, length(text) AS chars, report, report_text, reported_at, segments')},
events AS MATERIALIZED ${rowsOf('sms.inbox', '$1', 'time', 'recordsTo', 'event, status, status_desc, content, split_count, message')},
cut AS (${cutOf('sends')} UNION ALL ${cutOf('events')}),
mine AS (SELECT * FROM sends WHERE phone <> '' AND state NOT IN ('duplicate', 'replaced')
AND at >= (SELECT coalesce(max(at), '-infinity') FROM cut)),
alone AS ${once("event = 'deliveryReport' AND (message IS NULL OR message NOT IN (SELECT id FROM sends))", `CASE batch WHEN '' THEN id::text ELSE batch || E'\\n' || phone END`, 'at DESC, id')},
replies AS ${once("event = 'reply'", 'json_build_array(phone, at, content, batch)::text', 'id')},
batches AS (SELECT batch, (array_agg(template ORDER BY id))[1] AS template, count(*) AS mates FROM mine WHERE batch <> '' GROUP BY batch),
joined AS (SELECT o, i, ${ALIKE}, phone, own, sent, told, coalesce(told, sent) AS at,
CASE WHEN mates > 1 OR own = ${asked('batch')} THEN own END AS batch FROM (
SELECT id AS o, NULL AS i, state, reason, reason_code, reason_values, mine.template, phone, batch AS own, at AS sent, reported_at AS told,
CASE WHEN segments > 0 THEN 0 ELSE chars END AS chars, report AS said, report_text AS told_text, segments, mates FROM mine LEFT JOIN batches USING (batch)
UNION ALL SELECT NULL, id, CASE status WHEN 'DELIVRD' THEN 'delivered' ELSE 'failed' END, '', NULL, NULL, template, phone, batch, NULL, at,
NULL, coalesce(status, ''), status_desc, NULLIF(split_count, 0), mates FROM alone LEFT JOIN batches USING (batch)) AS each
ORDER BY at DESC, o DESC NULLS LAST, i DESC),
alike AS (SELECT max(o) AS o, max(i) AS i, json_build_object('rows', count(*), 'state', state,
'send', CASE WHEN min(o) > 0 THEN json_build_array(min(o), reason, reason_code, reason_values, batch, template, max(sent), chars) END,
'report', CASE WHEN said IS NOT NULL THEN json_build_array(min(i), '', '', said, told_text, '', batch, segments, max(told)) END,
'template', template, 'batch', batch, 'times', json_agg(round(date_part('epoch', told - sent) * 1000)) FILTER (WHERE o > 0 AND said IS NOT NULL),
'newest', (array_agg(json_build_array(o, i, at, phone, own)) FILTER (WHERE ${LISTED}))[1:CASE ${asked('view')} WHEN 'csv' THEN ${2 * MOST} ELSE 20 END]) AS message
FROM joined GROUP BY batch, ${moment('sent')}, ${moment('told')}, o IS NULL, ${ALIKE})
SELECT json_build_object('messages', (SELECT json_agg(message ORDER BY o DESC NULLS LAST, i DESC) FROM alike), 'cut', (SELECT max(at) FROM cut),
'replies', (SELECT json_agg(json_build_array(id, event, phone, status, '', content, batch, 0, at, template) ORDER BY id DESC) FROM replies LEFT JOIN batches USING (batch)))::text AS counted`,
  values: [...from, ...ASKED.map((name) => `$('What was asked').first().json.${name}`)],
});
