/**
 * Whom we spare is read generously, by a trigger of the table: a row that is typed by hand or imported counts as a reply
 * does. What is read as no mobile number stays as it came, as that of a reply does: it may be of another country.
 */

/** The 11 digits of a text that is one mobile number of the mainland, however it is written; otherwise nothing. */
const SPARED = `substring(regexp_replace(normalize(NEW.phone_number, NFKC), '[^0-9]', '', 'g') FROM '^(?:0086|86)?(1[3-9][0-9]{9})$')`;

/**
 * Makes the trigger. A time becomes one in ISO 8601, or empty if it is none: a start word takes off whoever is on the
 * list without a time, or since an earlier one. Of two spellings of a number, the older row stays.
 */
export const MAKE_SPARING = `CREATE OR REPLACE FUNCTION sms_spare() RETURNS trigger LANGUAGE plpgsql AS $spare$ BEGIN
NEW.phone_number := coalesce(${SPARED}, NEW.phone_number);
BEGIN
NEW.since := coalesce(to_char(NULLIF(NEW.since, '')::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '');
EXCEPTION WHEN data_exception THEN NEW.since := '';
END;
RETURN NEW; END $spare$;
DELETE FROM sms_opt_outs AS later USING sms_opt_outs AS NEW
WHERE NEW.id < later.id AND ${SPARED} = ${SPARED.replaceAll('NEW.', 'later.')};
DROP TRIGGER IF EXISTS sms_spare ON sms_opt_outs;
CREATE TRIGGER sms_spare BEFORE INSERT OR UPDATE ON sms_opt_outs FOR EACH ROW EXECUTE FUNCTION sms_spare();
UPDATE sms_opt_outs SET phone_number = phone_number;`;
