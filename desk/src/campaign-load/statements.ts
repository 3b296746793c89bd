/** How a campaign is loaded. */
import { TABLES } from '../tables';
import { added, type Statement } from '../postgres';

/** As JSON.stringify has written them, in front of their values. Within a value, a quotation mark has a backslash. */
const NAMES = 'names AS (SELECT name::text AS name FROM json_array_elements($1::json) AS name)';

/** How much a row lacks: a column that it does not have weighs more than an empty cell. */
const lackOf = (row: string) =>
  `(SELECT sum(2 - 2 * (strpos(${row}.parameters, name || ':') > 0)::integer + (strpos(${row}.parameters, name || ':""') > 0)::integer) FROM names)`;

/** A campaign has a number once, and what is none once for each set of other columns. */
const WITHOUT_NUMBER = "(CASE status WHEN 'invalid' THEN md5(parameters) ELSE '' END)";

const adding = (when: string, conflict: string) =>
  `${added('sms.recipients', Object.keys(TABLES['sms.recipients'].columns), 'json_populate_recordset(NULL::sms.recipients, $2::json) AS given')}
WHERE ${when} ON CONFLICT (campaign, phone_number, ${WITHOUT_NUMBER}) DO ${conflict}
RETURNING status, xmax = 0 AS is_new`;

const BETTER = `UPDATE
SET (parameters, segments, blank, line, portion, changed, "updatedAt") = (EXCLUDED.parameters, EXCLUDED.segments, EXCLUDED.blank, EXCLUDED.line, EXCLUDED.portion, EXCLUDED.changed, clock_timestamp())
WHERE sms.recipients.status = 'pending' AND sms.recipients.sent_at IS NULL AND ${lackOf('EXCLUDED')} < ${lackOf('sms.recipients')}`;

/**
 * Adds a part of the rows, and gives how many. What is there is left out. But as long as nobody has started the
 * campaign, a row takes better values, those that lack less: these rows are not new, and count as added.
 */
export const partAdded: Statement = {
  query: `WITH ${NAMES},
added AS (${adding('NOT $3::boolean', 'NOTHING')}),
better AS (${adding('$3::boolean', BETTER)})
SELECT count(*) FILTER (WHERE status <> 'invalid')::integer AS added, count(*) FILTER (WHERE status = 'invalid')::integer AS not_a_number, count(*) FILTER (WHERE NOT is_new)::integer AS better
FROM (TABLE added UNION ALL TABLE better) AS rows`,
  values: ['$json.names', '$json.rows', '$json.takesBetter'],
  apart: true,
};

/**
 * Gives what all parts have added, and what the campaign lacks with them. A part whose answer was lost adds nothing when
 * it is repeated, but has its rows in the table.
 */
export const partsAdded: Statement = {
  query: `WITH ${NAMES},
own AS (SELECT count(*) AS rows, count(*) FILTER (WHERE status = 'invalid') AS invalid FROM sms.recipients WHERE campaign = $3 AND portion = $4)
SELECT greatest(sum(added), max(own.rows - invalid))::integer AS added, greatest(sum(not_a_number), max(invalid))::integer AS not_a_number, ARRAY(
SELECT DISTINCT name::json #>> '{}' FROM sms.recipients CROSS JOIN names
WHERE campaign = $3 AND status <> 'invalid' AND strpos(parameters, name || ':') = 0) AS missing
FROM own, json_to_recordset($2::json) AS part(added integer, not_a_number integer)`,
  values: [
    "$('New rows').first().json.names",
    "$('Add the rows').all().map(({ json }) => json)",
    "$('Read the request').first().json.campaign",
    '$execution.id',
  ],
};

/** Loads of the same campaign at the same moment count one after the other. */
export const rowsNoted: Statement = {
  query: `UPDATE sms.campaigns SET loaded_at = clock_timestamp(), duplicates = coalesce(duplicates, 0) + $1::integer WHERE id = $2::integer`,
  values: [
    "$('Read the request').first().json.numbers - $('All rows').first().json.added",
    "$('Store the campaign').first().json.id",
  ],
};
