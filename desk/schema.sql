-- The tables of the desk, and what it lets PostgreSQL promise: the schema sms. `npm run desk` runs this file, by the
-- workflow "SMS · Schema". Without it: psql -1 -v ON_ERROR_STOP=1 -f desk/schema.sql
--
-- Run again, it changes nothing. Tables change by numbered steps, functions and views are made anew. Functions name the
-- schema of all that they call: a dump restores without a search path.

SET LOCAL lock_timeout = '20s';
SET LOCAL client_min_messages = warning;
SELECT FROM pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('schema')) AS turn WHERE turn IS NULL;

CREATE SCHEMA IF NOT EXISTS sms;
CREATE TABLE IF NOT EXISTS sms.versions (version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT clock_timestamp());

DO $$ DECLARE own CONSTANT integer := 6; there integer := max(version) FROM sms.versions; BEGIN
  IF current_setting('server_version_num')::integer < 130000 THEN
    RAISE 'The SMS desk needs PostgreSQL 13 or later. This is %.', current_setting('server_version');
  ELSIF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE 'The SMS desk needs a database in UTF8. This one is in %.', current_setting('server_encoding');
  ELSIF there > own THEN
    RAISE 'The tables of the desk are of version %, and this is version %. Use the newer desk.', there, own;
  ELSIF there < 6 OR there IS NULL AND to_regclass('sms_opt_outs') IS NOT NULL THEN
    RAISE 'The tables here are of a desk from before its first release, which cannot be updated. Rename them (the schema sms, or the tables sms_…), run this again, and copy whom that desk spares into sms.opt_outs: phone_number, word, since.';
  END IF;
END $$;

-- Functions. They come before what they name.
SET LOCAL check_function_bodies = off;

-- Whom we spare is read generously: a row that is typed by hand or imported counts as a reply does. The digits of a text,
-- however it is written, also as a decimal, with + where a country code may begin.
CREATE OR REPLACE FUNCTION sms.spared_digits(given text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(regexp_replace(normalize(given, NFKC), '\.0+\s*$', ''), '[^0-9+]', '', 'g')
$$;

-- The 11 digits of each number of a text that is mobile numbers of the mainland and nothing else. With + or 00 before it, a
-- number is one of the country that it names.
CREATE OR REPLACE FUNCTION sms.spared_phones(given text) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
  SELECT DISTINCT number[1] FROM sms.spared_digits(given) AS digits CROSS JOIN LATERAL regexp_matches(digits, '1[3-9][0-9]{9}', 'g') AS number
  WHERE digits ~ '^((?:[+]?(?:00)?86[+]?)?1[3-9][0-9]{9})+[+]?$'
$$;

-- A number as tables keep it. What is read as no mobile number, or as several, stays as it came, as that of a reply does, up
-- to 100 characters: it may be of another country.
CREATE OR REPLACE FUNCTION sms.kept_phone(given text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(substring(sms.spared_digits(given) FROM '^(?:[+]?(?:00)?86[+]?)?(1[3-9][0-9]{9})[+]?$'), left(given, 100))
$$;

-- The number is as tables keep it; several are as many rows. A time becomes one in ISO 8601, now if it is to come, or empty
-- if it is none: a start word takes off whoever is on the list without a time.
CREATE OR REPLACE FUNCTION sms.spare() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE numbers CONSTANT text[] := ARRAY(SELECT * FROM sms.spared_phones(NEW.phone_number)); BEGIN
  NEW.phone_number := coalesce(numbers[1], left(NEW.phone_number, 100));
  BEGIN
    NEW.since := CASE WHEN NEW.since <> '' THEN to_char(least(NEW.since::timestamptz, clock_timestamp()) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ELSE '' END;
  EXCEPTION WHEN data_exception THEN NEW.since := '';
  END;
  IF cardinality(numbers) > 1 THEN
    INSERT INTO sms.opt_outs (phone_number, word, since) SELECT other, NEW.word, NEW.since FROM unnest(numbers[2:]) AS other ON CONFLICT DO NOTHING;
  END IF;
  RETURN NEW;
END $$;

-- The numbers of a list, a text each, and which comes first of those that are the same. An empty text is none. Of a text,
-- a row has its beginning: with all of it, ten thousand numbers in one took gigabytes.
CREATE OR REPLACE FUNCTION sms.numbers_in(numbers json) RETURNS TABLE (line integer, given text, phone text, listed text, is_first boolean)
LANGUAGE sql STABLE AS $$
  SELECT line, given, phone, listed, row_number() OVER (PARTITION BY listed ORDER BY line) = 1
  FROM (SELECT place::integer AS line, left(each, 100) AS given, phone, coalesce(phone, left(each, 100)) AS listed
    FROM json_array_elements_text(numbers) WITH ORDINALITY AS all_of_them(each, place) LEFT JOIN LATERAL sms.spared_phones(each) AS phone ON true
    WHERE each <> '') AS list
$$;

-- Puts a list of numbers, JSON, on the opt-out list, and says of each what was done. What is read as no mobile number of
-- the mainland is listed as it came. As for every insert of the desk: whoever sees a row sees all with a lower ID.
CREATE OR REPLACE FUNCTION sms.add_opt_outs(numbers json) RETURNS TABLE (line integer, given text, phone text, done text)
LANGUAGE sql AS $$
  WITH list AS MATERIALIZED (SELECT * FROM sms.numbers_in(numbers)),
  added AS (
    INSERT INTO sms.opt_outs (phone_number, word, since) SELECT listed, '', clock_timestamp()::text
    FROM (SELECT pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('sms.opt_outs')) OFFSET 0) AS turn,
      (SELECT * FROM list WHERE is_first ORDER BY line) AS firsts
    ON CONFLICT (phone_number) DO NOTHING RETURNING phone_number
  )
  SELECT line, given, phone, CASE
    WHEN phone IS NULL THEN 'no mainland number'
    WHEN is_first AND added.phone_number IS NOT NULL THEN 'added'
    ELSE 'was there' END
  FROM list LEFT JOIN added ON phone_number = listed ORDER BY line, phone
$$;

-- Takes them off.
CREATE OR REPLACE FUNCTION sms.remove_opt_outs(numbers json) RETURNS TABLE (line integer, given text, phone text, done text)
LANGUAGE sql AS $$
  WITH list AS MATERIALIZED (SELECT * FROM sms.numbers_in(numbers)),
  -- Also what an older desk has listed as it came.
  removed AS (DELETE FROM sms.opt_outs WHERE phone_number IN (SELECT listed FROM list UNION SELECT given FROM list) RETURNING phone_number)
  SELECT line, given, phone, CASE WHEN is_first AND removed.phone_number IS NOT NULL THEN 'removed' ELSE 'not there' END
  FROM list LEFT JOIN removed ON phone_number = listed ORDER BY line, phone
$$;

-- The rules as they start.
CREATE OR REPLACE FUNCTION sms.first_rules() RETURNS TABLE (class text, check_opt_outs boolean, from_hour double precision,
  to_hour double precision, outside_hours text, per_hour double precision, per_day double precision) LANGUAGE sql IMMUTABLE AS $$
  VALUES ('code', false, 0::double precision, 24::double precision, 'refuse', 5::double precision, 10::double precision),
    ('alarm', false, 0, 24, 'refuse', 20, 100),
    ('notice', true, 8, 21, 'wait', 5, 20),
    ('marketing', true, 9, 20, 'refuse', 1, 2),
    ('all', false, 0, 24, 'refuse', 0, 10000), -- per_day: of all messages
    ('reserved', false, 0, 24, 'refuse', 0, 1000) -- per_day: what of that is kept for codes and alarms
$$;

-- A workflow is of this version, or does nothing: what it would write, or leave out, nobody knows.
CREATE OR REPLACE FUNCTION sms.for_version(asked integer) RETURNS void LANGUAGE plpgsql STABLE AS $$
DECLARE own CONSTANT integer := max(version) FROM sms.versions; BEGIN
  IF asked IS DISTINCT FROM own THEN
    RAISE 'The tables of the desk are of version %, and this workflow is of version %. Update the desk: npm run desk.', own, asked;
  END IF;
END $$;

-- The next time at which messages of a class may go. Without one, they may go now.
CREATE OR REPLACE FUNCTION sms.opening(from_hour double precision, to_hour double precision, at timestamptz, zone text)
RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN CASE WHEN from_hour <= to_hour THEN hour >= from_hour AND hour < to_hour ELSE hour >= from_hour OR hour < to_hour END THEN NULL
    WHEN (day + clock) AT TIME ZONE zone > at THEN (day + clock) AT TIME ZONE zone
    ELSE (day + interval '1 day' + clock) AT TIME ZONE zone END
  FROM (SELECT date_trunc('day', local) AS day, extract(hour FROM local) + extract(minute FROM local) / 60.0 AS hour,
      make_interval(hours => floor(from_hour)::integer, mins => ceil((from_hour - floor(from_hour)) * 60)::integer) AS clock
    FROM (SELECT at AT TIME ZONE zone AS local) AS at_place) AS clocks
$$;

-- After how many minutes an accepted message without a report is late, as the pages read it: a row of sms.thresholds, or 60.
CREATE OR REPLACE FUNCTION sms.late_minutes() RETURNS double precision LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT least(coalesce(max(value), 60), 1e9) FROM sms.thresholds WHERE name = 'late_minutes'
$$;

-- Keeps sms.counts: what rows were, less, and what they are, more, whatever changes them. Only rows are added, so nobody
-- waits for another. Now and then they become few again, by one execution at a time.
CREATE OR REPLACE FUNCTION sms.count() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'TRUNCATE' THEN DELETE FROM sms.counts; RETURN NULL; END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO sms.counts SELECT campaign, status, coalesce(reason, ''), coalesce(batch_id, '') <> '',
      date_trunc('minute', sent_at), segments, coalesce(blank, ''), -count(*), NULL, NULL, reason_code, reason_values
    FROM gone GROUP BY 1, 2, 3, 4, 5, 6, 7, 11, 12;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO sms.counts SELECT campaign, status, coalesce(reason, ''), coalesce(batch_id, '') <> '',
      date_trunc('minute', sent_at), segments, coalesce(blank, ''), count(*), max(changed), min(id), reason_code, reason_values
    FROM here GROUP BY 1, 2, 3, 4, 5, 6, 7, 11, 12;
    IF random() < 0.02 AND pg_try_advisory_xact_lock(hashtext('SMS desk'), hashtext('sms.counts')) THEN
      WITH folded AS (DELETE FROM sms.counts WHERE campaign IN (SELECT campaign FROM here) RETURNING *)
      INSERT INTO sms.counts SELECT campaign, status, reason, taken, sent_at, segments, blank, sum(rows), max(changed),
        min(row_id), reason_code, reason_values
      FROM folded GROUP BY 1, 2, 3, 4, 5, 6, 7, 11, 12 HAVING sum(rows) <> 0;
    END IF;
  END IF;
  RETURN NULL;
END $$;

-- The state of a message, of a row of sms.outbox or sms.recipients: for all pages, mails and boards. Its time is that of
-- the statement, so that PostgreSQL puts it into the statement: called for each row, it takes ten times as long.
CREATE OR REPLACE FUNCTION sms.state_of(status text, reason_code text, sent_at timestamptz, report text, sent_by integer, phone_data text)
RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT CASE
  WHEN status = 'accepted' AND report IS NULL AND sent_by IS NULL THEN status -- as most are: first, because it is quick
  WHEN report = 'DELIVRD' THEN 'delivered'
  WHEN report IS NOT NULL THEN 'failed'
  WHEN sent_by IS NOT NULL THEN 'replaced' -- another row has what became of it
  WHEN status IN ('claimed', 'sending') AND sent_at >= statement_timestamp() - interval '10 minutes' THEN 'sending'
  WHEN status = 'refused' AND reason_code = 'opted_out' THEN 'opted_out'
  WHEN status = 'refused' AND reason_code = 'key_used' THEN 'duplicate'
  -- Its campaign sends it later.
  WHEN status = 'refused' AND reason_code IN ('hours', 'days_limit') AND phone_data LIKE 'sms_recipients:%' THEN 'pending'
  WHEN status IN ('accepted', 'delivered', 'failed', 'refused', 'rejected', 'opted_out', 'invalid', 'waiting', 'pending', 'duplicate') THEN status
  ELSE 'unknown'
END $$;

-- In which way a message was not sent or not confirmed, and pages say it first. Nothing: it was, or nobody wants it to be.
CREATE OR REPLACE FUNCTION sms.kind_of(state text, at timestamptz, moment timestamptz, late_minutes double precision) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE state
    WHEN 'accepted' THEN CASE WHEN at < moment - late_minutes * interval '1 minute' THEN 'late' END
    WHEN 'waiting' THEN CASE WHEN at < moment - interval '5 minutes' THEN 'overdue' ELSE 'waiting' END
    WHEN 'rejected' THEN 'rejected' WHEN 'refused' THEN 'refused' WHEN 'unknown' THEN 'unknown' WHEN 'pending' THEN 'pending' END
$$;

-- A delivery report is written into its message, before it is stored itself: the latest one by its time counts. It proves
-- that the service has taken the message, whatever it had answered, and names the batch. The message is that of its number and
-- batch to which the send gave this phone_data; or, of those without a known batch that were sent with it, the first of which
-- nobody knows whether it went, or else the first that was accepted, or else the last: what was tried again may have been
-- refused by a rule at last; or the first of the batch. While one of several is under way, its answer
-- decides. All that may become it are locked: what a send is just writing is seen, or sees the report.
CREATE OR REPLACE FUNCTION sms.report() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told CONSTANT timestamptz := coalesce(NEW.time, NEW."createdAt");
BEGIN
  WITH candidates AS (
    SELECT id, status, coalesce(batch_id, '') = '' AS has_no_batch, batch_id = NEW.batch_id AS is_its_batch, data = NEW.phone_data AS is_its_data
    FROM sms.outbox CROSS JOIN LATERAL (SELECT coalesce(NULLIF(phone_data, ''), 'sms_outbox:' || id) AS data) AS given
    WHERE phone_number = NEW.phone_number AND phone_number <> '' AND NEW.batch_id <> '' AND (batch_id = NEW.batch_id OR coalesce(batch_id, '') = ''
      -- What waits and was never tried was never sent, nor was what is refused, unless the name is its own.
      AND (status IN ('claimed', 'unknown') OR data = NEW.phone_data AND (status NOT IN ('waiting', 'refused')
        OR reason_code IN ('tried_again', 'too_late') OR status = 'refused' AND coalesce(phone_data, '') = '')))
    -- As a send locks them: its own rows, and then what they replace.
    ORDER BY status IN ('refused', 'rejected'), id FOR UPDATE OF outbox
  ),
  named AS (SELECT id, status, status IN ('claimed', 'unknown') AS is_open FROM candidates WHERE has_no_batch AND is_its_data)
  SELECT coalesce(min(id) FILTER (WHERE is_its_batch AND is_its_data),
    (SELECT coalesce(min(id) FILTER (WHERE is_open), min(id) FILTER (WHERE status = 'accepted'), max(id)) FROM named
      HAVING count(*) FILTER (WHERE is_open) = 1 OR count(*) FILTER (WHERE status = 'claimed') = 0),
    min(id) FILTER (WHERE is_its_batch))
  INTO NEW.message FROM candidates;
  -- What waits to be tried again, does so no more.
  UPDATE sms.outbox SET report = coalesce(NEW.status, ''), report_text = NEW.status_desc, reported_at = told, batch_id = NEW.batch_id,
    segments = NULLIF(NEW.split_count, 0), sent_at = CASE WHEN status = 'accepted' THEN sent_at ELSE least(sent_at, clock_timestamp()) END
  WHERE id = NEW.message AND coalesce(reported_at <= told, true);
  RETURN NEW;
END $$;

-- The recipients of campaigns that reports are about, by their messages, or by what the send gave along.
CREATE OR REPLACE FUNCTION sms.report_recipients() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE sms.recipients AS r SET status = CASE told.status WHEN 'DELIVRD' THEN 'delivered' ELSE 'failed' END,
    reason = CASE told.status WHEN 'DELIVRD' THEN '' ELSE left(coalesce(NULLIF(told.status_desc, ''), told.status), 200) END,
    reason_code = NULL, reason_values = NULL, batch_id = told.batch_id, changed = clock_timestamp()
  FROM (SELECT DISTINCT ON (1) sms.recipient_of(coalesce(m.phone_data, records.phone_data)) AS id,
      records.*, m.id IS NULL OR m.reported_at = coalesce(records.time, records."createdAt") AS is_latest
    FROM records LEFT JOIN sms.outbox AS m ON m.id = records.message
    WHERE event = 'deliveryReport' ORDER BY 1, is_latest DESC, records.status = 'DELIVRD' DESC, records.time DESC) AS told(recipient)
  WHERE r.id = told.recipient AND sms.kept_phone(r.phone_number) = told.phone_number AND r.sent_at IS NOT NULL AND r.status <> 'opted_out'
    AND told.is_latest AND CASE WHEN told.message IS NULL THEN r.status NOT IN ('delivered', 'failed')
      -- Sent twice, it has arrived, whatever becomes of the other message.
      ELSE told.status = 'DELIVRD' OR told.message = (SELECT max(id) FROM sms.messages_to(r))
        AND NOT EXISTS (SELECT FROM sms.messages_to(r) AS m WHERE m.report = 'DELIVRD' AND m.id <> told.message) END;
  RETURN NULL;
END $$;

-- What a report has proved, the end of a send does not take back. A batch that becomes known may have its report already.
CREATE OR REPLACE FUNCTION sms.settle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF coalesce(NEW.batch_id, '') NOT IN ('', coalesce(OLD.batch_id, '')) AND NEW.report IS NULL THEN
    SELECT coalesce(status, ''), status_desc, coalesce(time, "createdAt"), NULLIF(split_count, 0)
    INTO NEW.report, NEW.report_text, NEW.reported_at, NEW.segments
    FROM sms.inbox WHERE event = 'deliveryReport' AND batch_id = NEW.batch_id AND phone_number = NEW.phone_number AND message IS NULL
    ORDER BY coalesce(time, "createdAt") DESC, id DESC LIMIT 1;
    IF FOUND THEN
      UPDATE sms.inbox SET message = NEW.id
      WHERE event = 'deliveryReport' AND batch_id = NEW.batch_id AND phone_number = NEW.phone_number AND message IS NULL;
    END IF;
  END IF;
  IF NEW.report IS NOT NULL THEN
    NEW.status := 'accepted';
    NEW.reason := '';
    NEW.reason_code := NULL;
    NEW.reason_values := NULL;
    NEW.batch_id := coalesce(NULLIF(NEW.batch_id, ''), OLD.batch_id);
  END IF;
  RETURN NEW;
END $$;

-- What was not sent and goes later, under the same key or to the same recipient, has another row now: that one says what
-- became of it.
CREATE OR REPLACE FUNCTION sms.replace() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE sms.outbox SET sent_by = NEW.id
  WHERE phone_number = NEW.phone_number AND id < NEW.id AND status IN ('refused', 'rejected') AND sent_by IS NULL
    AND (key <> '' AND key = NEW.key OR phone_data LIKE 'sms_recipients:%' AND phone_data = NEW.phone_data);
  RETURN NULL;
END $$;

-- Step 6: the tables. Text is compared byte by byte, in every database alike.

DO $step$ BEGIN
IF EXISTS (SELECT FROM sms.versions) THEN RETURN; END IF;

-- What every table has. It goes at the end.
CREATE TABLE sms.every (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(), "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- What the dashboard reads of each row comes first: the longest texts are last.
CREATE TABLE sms.outbox (LIKE sms.every INCLUDING ALL,
  sent_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(), -- of one that waits: when it goes
  reported_at timestamptz(3),
  segments double precision, -- by its latest delivery report; as long as none says them, by the usual rule
  estimate double precision,
  sent_by integer, -- the row that stands for it now
  status text COLLATE "C",
  report text COLLATE "C", -- the status of that report, and what it says
  report_text text COLLATE "C",
  template text COLLATE "C", batch_id text COLLATE "C", reason text COLLATE "C",
  reason_code text COLLATE "C", -- of a reason of the desk, with its values as JSON: pages say it in their language
  reason_values text COLLATE "C",
  phone_number text COLLATE "C", phone_data text COLLATE "C", class text COLLATE "C", signature text COLLATE "C",
  source text COLLATE "C", reference text COLLATE "C", key text COLLATE "C",
  run text COLLATE "C", -- the execution, and the message in it: all rows of one message have the same
  parameters text COLLATE "C", -- of the template, or the text as "content", as JSON
  text text COLLATE "C" -- as the customer gets it, for people to read: what is sent is made from the parameters
);
CREATE INDEX outbox_key ON sms.outbox USING hash (key);
CREATE INDEX outbox_status_sent_at ON sms.outbox (status, sent_at);
CREATE INDEX outbox_createdat ON sms.outbox ("createdAt");
CREATE INDEX outbox_at ON sms.outbox (sent_at);
CREATE INDEX outbox_sent_at ON sms.outbox (sent_at) WHERE status IS DISTINCT FROM 'accepted';
-- What has had a number lately is found without what it had before.
CREATE INDEX outbox_phone_number_sent_at ON sms.outbox (phone_number, sent_at);
-- Of two messages with a key, a number gets one, whoever stores them.
CREATE UNIQUE INDEX outbox_key_open ON sms.outbox (key, phone_number) WHERE key <> '' AND status IN ('claimed', 'waiting');
CREATE TRIGGER settle BEFORE UPDATE ON sms.outbox FOR EACH ROW EXECUTE FUNCTION sms.settle();
CREATE TRIGGER replace AFTER UPDATE ON sms.outbox FOR EACH ROW
  WHEN (OLD.status = 'claimed' AND NEW.status <> 'claimed' AND NEW.reason_code IS DISTINCT FROM 'key_used')
  EXECUTE FUNCTION sms.replace();
CREATE TRIGGER replace_insert AFTER INSERT ON sms.outbox FOR EACH ROW
  WHEN (NEW.status <> 'claimed' AND NEW.reason_code IS DISTINCT FROM 'key_used') EXECUTE FUNCTION sms.replace();

-- What holds for each class of messages.
CREATE TABLE sms.rules (LIKE sms.every INCLUDING ALL,
  class text COLLATE "C", check_opt_outs boolean, from_hour double precision, to_hour double precision,
  outside_hours text COLLATE "C", per_hour double precision, per_day double precision
);
CREATE UNIQUE INDEX rules_class ON sms.rules (class);
INSERT INTO sms.rules (class, check_opt_outs, from_hour, to_hour, outside_hours, per_hour, per_day) SELECT * FROM sms.first_rules();

-- From when on pages and watchdog say that something is wrong: what is not as it comes.
CREATE TABLE sms.thresholds (LIKE sms.every INCLUDING ALL,
  name text COLLATE "C", value double precision
);
CREATE UNIQUE INDEX thresholds_name ON sms.thresholds (name);

-- Templates and signatures, by their IDs.
CREATE TABLE sms.templates (LIKE sms.every INCLUDING ALL,
  kind text COLLATE "C", record_id text COLLATE "C", name text COLLATE "C", content text COLLATE "C"
);
CREATE UNIQUE INDEX templates_kind_record_id ON sms.templates (kind, record_id);

-- What the service said last, for pages: of the balance, the templates and the signatures.
CREATE TABLE sms.service (LIKE sms.every INCLUDING ALL,
  what text COLLATE "C", balance double precision,
  records text COLLATE "C", -- the templates or signatures, as JSON
  answered timestamptz(3),
  asked timestamptz(3), -- last, and why it has not answered then
  error text COLLATE "C"
);
CREATE UNIQUE INDEX service_what ON sms.service (what);

CREATE TABLE sms.tokens (LIKE sms.every INCLUDING ALL,
  token text COLLATE "C", page text COLLATE "C"
);

CREATE TABLE sms.questions (LIKE sms.every INCLUDING ALL,
  phone_number text COLLATE "C", question text COLLATE "C", answers text COLLATE "C", asked timestamptz(3),
  execution text COLLATE "C", resume_url text COLLATE "C", batch_id text COLLATE "C", answer text COLLATE "C",
  reply text COLLATE "C"
);
CREATE INDEX questions_phone_number ON sms.questions USING hash (phone_number);
CREATE INDEX questions_reply ON sms.questions USING hash (reply);

CREATE TABLE sms.campaigns (LIKE sms.every INCLUDING ALL,
  campaign text COLLATE "C", state text COLLATE "C",
  missing text COLLATE "C", -- the parameters of the template that have no column
  template_id text COLLATE "C", template text COLLATE "C", content text COLLATE "C", signature_id text COLLATE "C",
  signature text COLLATE "C",
  duplicates double precision, -- how many recipients came more than once
  tries double precision, -- the portions in a row without an accepted message, until when they are a pause, and why
  until timestamptz(3), cause text COLLATE "C", cause_code text COLLATE "C", cause_values text COLLATE "C",
  portion_size double precision, -- what the settings of the send said at its last look, and when that was
  keep_balance double precision, ticked_at timestamptz(3),
  served_at timestamptz(3), -- when it had its latest turn
  loaded_at timestamptz(3), -- when the latest list was loaded, and the name of its file
  file text COLLATE "C",
  presses text COLLATE "C" -- the latest ones of its buttons, a line each: when, which, and the name of the login
);
CREATE UNIQUE INDEX campaigns_campaign ON sms.campaigns (campaign);

-- A campaign has a number once, and what is none ("invalid") once for each set of other columns.
CREATE TABLE sms.recipients (LIKE sms.every INCLUDING ALL,
  campaign text COLLATE "C", phone_number text COLLATE "C",
  parameters text COLLATE "C", -- the other columns, as JSON
  line double precision, -- in the file or the list
  segments double precision, -- of its text, and the parameters that it has nothing for, a line each
  blank text COLLATE "C", status text COLLATE "C", portion text COLLATE "C", batch_id text COLLATE "C",
  reason text COLLATE "C", reason_code text COLLATE "C", reason_values text COLLATE "C",
  changed timestamptz(3), sent_at timestamptz(3),
  press text COLLATE "C" -- the token of the page that sends it again
);
CREATE INDEX recipients_campaign_id ON sms.recipients (campaign, id);
CREATE INDEX recipients_campaign_status_id ON sms.recipients (campaign, status, id);
CREATE INDEX recipients_status_changed ON sms.recipients (status, changed);
CREATE UNIQUE INDEX recipients_campaign_phone_number ON sms.recipients
  (campaign, phone_number, (CASE status WHEN 'invalid' THEN md5(parameters) ELSE '' END));
CREATE TRIGGER count_insert AFTER INSERT ON sms.recipients REFERENCING NEW TABLE AS here
  FOR EACH STATEMENT EXECUTE FUNCTION sms.count();
CREATE TRIGGER count_update AFTER UPDATE ON sms.recipients REFERENCING OLD TABLE AS gone NEW TABLE AS here
  FOR EACH STATEMENT EXECUTE FUNCTION sms.count();
CREATE TRIGGER count_delete AFTER DELETE ON sms.recipients REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION sms.count();
CREATE TRIGGER count_truncate AFTER TRUNCATE ON sms.recipients FOR EACH STATEMENT EXECUTE FUNCTION sms.count();

-- How many recipients of a campaign are alike. Only rows are added, so nobody waits for another.
CREATE TABLE sms.counts (
  campaign text COLLATE "C", status text COLLATE "C", reason text COLLATE "C", taken boolean,
  sent_at timestamptz, -- to the minute
  segments double precision, blank text COLLATE "C", rows integer, changed timestamptz(3), row_id integer,
  reason_code text COLLATE "C", reason_values text COLLATE "C"
);
CREATE INDEX counts_campaign ON sms.counts (campaign);

-- Delivery reports and replies.
CREATE TABLE sms.inbox (LIKE sms.every INCLUDING ALL,
  event text COLLATE "C", phone_number text COLLATE "C", status text COLLATE "C", status_desc text COLLATE "C",
  content text COLLATE "C", batch_id text COLLATE "C", user_data text COLLATE "C", phone_data text COLLATE "C",
  split_count double precision, other text COLLATE "C", time timestamptz(3), run text COLLATE "C",
  says text COLLATE "C", -- what a reply says by the words of the inbox: stop, start, or doubt if it also says something else
  message integer -- the row of sms.outbox that a report is about
);
CREATE INDEX inbox_run ON sms.inbox USING hash (run);
CREATE INDEX inbox_phone_number ON sms.inbox USING hash (phone_number);
CREATE INDEX inbox_batch_id ON sms.inbox USING hash (batch_id);
CREATE INDEX inbox_event_id ON sms.inbox (event, id);
CREATE INDEX inbox_alone ON sms.inbox (coalesce(time, "createdAt")) WHERE message IS NULL;
CREATE INDEX inbox_createdat ON sms.inbox USING brin ("createdAt");
CREATE TRIGGER report BEFORE INSERT ON sms.inbox FOR EACH ROW WHEN (NEW.event = 'deliveryReport')
  EXECUTE FUNCTION sms.report();
CREATE TRIGGER report_recipients AFTER INSERT ON sms.inbox REFERENCING NEW TABLE AS records
  FOR EACH STATEMENT EXECUTE FUNCTION sms.report_recipients();

CREATE TABLE sms.subscribers (LIKE sms.every INCLUDING ALL,
  workflow_id text COLLATE "C", name text COLLATE "C", wants text COLLATE "C",
  read_to double precision, -- the last row that it has taken. Without one, it is new
  free_at timestamptz(3), since timestamptz(3), reason text COLLATE "C"
);
CREATE UNIQUE INDEX subscribers_workflow_id ON sms.subscribers (workflow_id);

-- Who removes a desk keeps this one.
CREATE TABLE IF NOT EXISTS sms.opt_outs (LIKE sms.every INCLUDING ALL,
  phone_number text COLLATE "C", word text COLLATE "C", since text COLLATE "C"
);
CREATE UNIQUE INDEX IF NOT EXISTS opt_outs_phone_number ON sms.opt_outs (phone_number);
DROP TRIGGER IF EXISTS spare ON sms.opt_outs;
CREATE TRIGGER spare BEFORE INSERT OR UPDATE ON sms.opt_outs FOR EACH ROW EXECUTE FUNCTION sms.spare();

-- The figures of days, which stay when their rows go.
CREATE TABLE sms.days (LIKE sms.every INCLUDING ALL,
  day text COLLATE "C", sent double precision, accepted double precision, delivered double precision,
  failed double precision, replies double precision, unreadable double precision, opt_outs double precision
);
CREATE UNIQUE INDEX days_day ON sms.days (day);

-- When each workflow with a schedule ran last: "updatedAt". It runs every so many minutes.
CREATE TABLE sms.heartbeats (LIKE sms.every INCLUDING ALL,
  name text COLLATE "C", workflow_id text COLLATE "C", minutes double precision
);
CREATE UNIQUE INDEX heartbeats_name ON sms.heartbeats (name);

DROP TABLE sms.every;
INSERT INTO sms.versions (version) VALUES (6);
END $step$;

-- A row of several numbers, as an older desk has listed it, spares none of them: each gets its own, and then it goes.
INSERT INTO sms.opt_outs (phone_number, word, since, "createdAt") SELECT phone, word, since, "createdAt"
FROM sms.opt_outs CROSS JOIN LATERAL sms.spared_phones(phone_number) AS phone WHERE phone_number !~ '^1[3-9][0-9]{9}$' ON CONFLICT DO NOTHING;
DELETE FROM sms.opt_outs AS o WHERE phone_number !~ '^1[3-9][0-9]{9}$' AND EXISTS (SELECT FROM sms.spared_phones(o.phone_number));

-- The rules that hold. What a row of sms.rules leaves open is as it starts, and of a class of one's own as of notices.
DROP VIEW IF EXISTS sms.rules_in_force;
CREATE VIEW sms.rules_in_force AS
WITH own AS (SELECT lower(btrim(class)) AS class,
    -- Of two rows of a name, the last that says something holds.
    (array_agg(check_opt_outs ORDER BY id DESC) FILTER (WHERE check_opt_outs IS NOT NULL))[1] AS check_opt_outs,
    (array_agg(from_hour ORDER BY id DESC) FILTER (WHERE from_hour IS NOT NULL))[1] AS from_hour,
    (array_agg(to_hour ORDER BY id DESC) FILTER (WHERE to_hour IS NOT NULL))[1] AS to_hour,
    (array_agg(outside_hours ORDER BY id DESC) FILTER (WHERE outside_hours <> ''))[1] AS outside_hours,
    (array_agg(per_hour ORDER BY id DESC) FILTER (WHERE per_hour IS NOT NULL))[1] AS per_hour,
    (array_agg(per_day ORDER BY id DESC) FILTER (WHERE per_day IS NOT NULL))[1] AS per_day
  FROM sms.rules WHERE btrim(class) <> '' GROUP BY 1),
known AS (SELECT class, coalesce(own.check_opt_outs, first.check_opt_outs) AS check_opt_outs,
    coalesce(own.from_hour, first.from_hour) AS from_hour, coalesce(own.to_hour, first.to_hour) AS to_hour,
    coalesce(own.outside_hours, first.outside_hours) AS outside_hours, coalesce(own.per_hour, first.per_hour) AS per_hour,
    CASE class WHEN 'reserved' THEN own.per_day ELSE coalesce(own.per_day, first.per_day) END AS per_day
  FROM own FULL JOIN sms.first_rules() AS first USING (class))
SELECT class, coalesce(known.check_opt_outs, notice.check_opt_outs) AS check_opt_outs,
  coalesce(known.from_hour, notice.from_hour) AS from_hour, coalesce(known.to_hour, notice.to_hour) AS to_hour,
  coalesce(known.outside_hours, notice.outside_hours) AS outside_hours, coalesce(known.per_hour, notice.per_hour) AS per_hour,
  CASE class WHEN 'reserved' THEN greatest(0, coalesce(known.per_day, floor((SELECT per_day FROM known WHERE class = 'all') / 10)))
    ELSE coalesce(known.per_day, notice.per_day) END AS per_day
FROM known CROSS JOIN (SELECT check_opt_outs, from_hour, to_hour, outside_hours, per_hour, per_day FROM known WHERE class = 'notice') AS notice;

-- What stands before a message: whether this very one was taken before; what was sent under its key; since when its number
-- is opted out; and how many messages of its class the number has had.
DROP FUNCTION IF EXISTS sms.had(sms.outbox, text, text[], timestamptz, timestamptz);
DROP TYPE IF EXISTS sms.had;
CREATE TYPE sms.had AS (taken integer, key_status text, key_batch text, key_reason json, opted_out text, in_hour integer, in_day integer);
CREATE FUNCTION sms.had(m sms.outbox, class_of text, classes text[], goes timestamptz, moment timestamptz) RETURNS sms.had LANGUAGE sql STABLE AS $$
  SELECT taken, key_status, key_batch, key_reason, (SELECT coalesce(since, '') FROM sms.opt_outs WHERE phone_number = m.phone_number), in_hour, in_day
  FROM (SELECT
      min(id) FILTER (WHERE m.id IS NULL AND run = m.run AND "createdAt" > moment - interval '10 minutes') AS taken,
      -- A message waits for a day at most, and is tried for one: an older one does not count, and cannot go.
      (count(*) FILTER (WHERE counts AND (status = 'waiting' OR sent_at > goes - interval '1 hour')))::integer AS in_hour,
      (count(*) FILTER (WHERE counts AND (status = 'waiting' OR sent_at > goes - interval '24 hours')))::integer AS in_day
    FROM (SELECT *, id < coalesce(m.id, 2147483647) AND status NOT IN ('refused', 'rejected') AND reason_code IS DISTINCT FROM 'key_used'
        AND CASE WHEN class = ANY (classes) THEN class ELSE 'notice' END = class_of AS counts
      FROM sms.outbox WHERE phone_number = m.phone_number AND sent_at > moment - interval '50 hours') AS lately) AS counted
  LEFT JOIN LATERAL (
    SELECT CASE WHEN status = 'claimed' AND sent_at < moment - interval '10 minutes' THEN 'interrupted' ELSE status END AS key_status, batch_id AS key_batch,
      json_build_object('reason', reason, 'reason_code', reason_code, 'reason_values', reason_values) AS key_reason
    FROM (SELECT * FROM sms.outbox WHERE key = m.key AND m.key <> '' OFFSET 0) AS same
    -- Another n8n begins to count its executions again.
    WHERE id < coalesce(m.id, 2147483647) AND (run IS DISTINCT FROM m.run OR m.id IS NULL AND "createdAt" < moment - interval '10 minutes')
      AND status NOT IN ('refused', 'rejected') ORDER BY id LIMIT 1) AS before ON true
$$;

-- Takes messages: rows of sms.outbox as JSON, or, without any, those that waited until now. It stores each with what is
-- decided about it, and gives them. "claimed" are those that whoever calls sends. One take goes after the other, so
-- what stands before a message is in the table. All or none: if it fails, nothing is to be sent.
CREATE OR REPLACE FUNCTION sms.message_take(version integer, messages json, zone text) RETURNS SETOF sms.outbox LANGUAGE plpgsql SET jit = off AS $$
DECLARE
  r record; m sms.outbox; had sms.had;
  code text; given json; -- why it does not go
  moment timestamptz; midnight timestamptz; hour timestamptz;
  classes text[]; all_of_day double precision; kept double precision; most double precision;
  today integer := 0; ended integer[];
BEGIN
  PERFORM sms.for_version(version), pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('sms.outbox'));
  moment := clock_timestamp();
  midnight := date_trunc('day', moment AT TIME ZONE zone) AT TIME ZONE zone;
  IF messages IS NULL THEN
    -- An execution that was interrupted sends no more: what it had under way may have been sent.
    WITH gone AS (UPDATE sms.outbox SET status = 'unknown', reason = '', reason_code = 'interrupted', reason_values = '', "updatedAt" = moment
      WHERE status = 'claimed' AND sent_at < moment - interval '10 minutes' RETURNING id)
    SELECT array_agg(id) INTO ended FROM gone;
  END IF;
  SELECT max(per_day) FILTER (WHERE class = 'all'), max(per_day) FILTER (WHERE class = 'reserved'), array_agg(class) FILTER (WHERE class NOT IN ('all', 'reserved'))
  INTO all_of_day, kept, classes FROM sms.rules_in_force;
  -- It is counted only if the day can become full: a million rows take a tenth of a second.
  IF messages IS NOT NULL AND all_of_day > 0 AND (SELECT max(id) FROM sms.outbox) + json_array_length(messages) - coalesce(
    (SELECT min(id) FROM sms.outbox WHERE "createdAt" = (SELECT min("createdAt") FROM sms.outbox WHERE "createdAt" >= midnight)), 2147483647) >= all_of_day - kept - 1
  THEN
    SELECT count(*) INTO today FROM sms.outbox WHERE "createdAt" >= midnight
      AND status NOT IN ('refused', 'rejected') AND reason_code IS DISTINCT FROM 'key_used';
  END IF;
  FOR r IN
    WITH rules AS MATERIALIZED (SELECT *, sms.opening(from_hour, to_hour, moment, zone) AS opens FROM sms.rules_in_force),
    list AS MATERIALIZED (
      SELECT json_populate_record(NULL::sms.outbox, value) AS own, ordinality AS place FROM json_array_elements(messages) WITH ORDINALITY
      UNION ALL (SELECT due, id FROM sms.outbox AS due WHERE messages IS NULL AND status = 'waiting' AND sent_at <= moment ORDER BY id LIMIT 500))
    SELECT own, rules.*, sms.had(own, rules.class, classes, coalesce(opens, moment), moment) AS had,
      -- Its number or its key comes twice in the list: what stands before is looked up when its turn comes.
      row_number() OVER (PARTITION BY (own).phone_number ORDER BY place) > 1 OR (own).key <> '' AND row_number() OVER (PARTITION BY (own).key ORDER BY place) > 1 AS again
    FROM list JOIN rules ON rules.class = CASE WHEN (own).class = ANY (classes) THEN (own).class ELSE 'notice' END ORDER BY place
  LOOP
    m := r.own;
    had := r.had;
    IF r.again THEN
      had := sms.had(m, r.class, classes, coalesce(r.opens, moment), moment);
    END IF;
    -- Asked again, because the answer was lost, it gives what it has taken.
    IF had.taken IS NOT NULL THEN
      RETURN QUERY SELECT * FROM sms.outbox WHERE id = had.taken;
      CONTINUE;
    END IF;
    hour := CASE WHEN m.id IS NOT NULL THEN coalesce(sms.opening(r.from_hour, r.to_hour, m."createdAt", zone), m."createdAt") END;
    most := CASE WHEN all_of_day <= 0 OR messages IS NULL THEN 'Infinity' WHEN r.class IN ('code', 'alarm') THEN all_of_day ELSE greatest(0, all_of_day - kept) END;
    code := NULL;
    given := '{}';
    IF had.key_status IS NOT NULL THEN
      code := 'key_used';
      given := json_build_object('key', m.key, 'reason', CASE
        WHEN had.key_status = 'unknown' THEN had.key_reason
        ELSE json_build_object('reason_code', CASE WHEN had.key_status IN ('accepted', 'waiting') THEN 'first_' || had.key_status
          WHEN had.key_status = 'interrupted' THEN 'interrupted' ELSE 'first_under_way' END) END);
    -- No hour of any day is one of the class.
    ELSIF (CASE WHEN r.from_hour <= r.to_hour THEN greatest(r.from_hour, 0) >= least(r.to_hour, 24) ELSE r.from_hour >= 24 AND r.to_hour <= 0 END) THEN
      code := 'hours';
      given := json_build_object('class', r.class, 'never', r.from_hour, 'to', r.to_hour);
    -- A code is not stored, so it cannot wait. Who is in a campaign waits there.
    ELSIF r.opens IS NOT NULL AND (r.outside_hours <> 'wait' OR r.class = 'code' OR m.phone_data LIKE 'sms_recipients:%') THEN
      code := 'hours';
      given := json_build_object('class', r.class, 'from', r.from_hour, 'to', r.to_hour);
    -- The minutes are those that its last try may take to begin.
    ELSIF moment > ((hour AT TIME ZONE zone) + interval '1 day') AT TIME ZONE zone + interval '10 minutes' THEN
      code := 'too_late';
      given := json_build_object('reason', json_build_object('reason', m.reason, 'reason_code', m.reason_code, 'reason_values', m.reason_values));
    ELSIF r.check_opt_outs AND had.opted_out IS NOT NULL THEN
      code := 'opted_out';
      given := CASE WHEN had.opted_out <> '' THEN json_build_object('day', left(had.opted_out, 10)) ELSE '{}' END;
    ELSIF r.per_hour > 0 AND had.in_hour >= r.per_hour THEN
      code := 'limit';
      given := json_build_object('count', r.per_hour, 'class', r.class, 'hours', 1);
    ELSIF r.per_day > 0 AND had.in_day >= r.per_day THEN
      code := 'limit';
      given := json_build_object('count', r.per_day, 'class', r.class, 'hours', 24);
    ELSIF today >= most THEN
      code := 'days_limit';
      given := json_strip_nulls(json_build_object('limit', to_char(all_of_day, 'FM999,999,999,999'), 'kept', CASE WHEN today < all_of_day THEN to_char(all_of_day - most, 'FM999,999,999,999') END));
    END IF;
    IF code IS NULL THEN
      today := today + 1;
      m.status := CASE WHEN r.opens IS NULL THEN 'claimed' ELSE 'waiting' END;
      m.sent_at := coalesce(r.opens, moment);
      -- What was tried stays so: its report may come until then.
      IF r.opens IS NOT NULL AND m.reason_code IS DISTINCT FROM 'tried_again' THEN
        code := 'hours';
        given := json_build_object('time', to_char(r.opens AT TIME ZONE zone, 'YYYY-MM-DD HH24:MI'));
      END IF;
    ELSE
      m.status := 'refused';
      m.sent_at := coalesce(m.sent_at, moment);
      m.batch_id := had.key_batch;
    END IF;
    -- What has waited keeps why, until it is settled.
    IF code IS NOT NULL OR m.reason_code IS NULL THEN
      m.reason := '';
      m.reason_code := coalesce(code, '');
      m.reason_values := CASE WHEN given::text = '{}' THEN '' ELSE given::text END;
    END IF;
    m.batch_id := coalesce(m.batch_id, '');
    m."updatedAt" := moment;
    IF messages IS NULL THEN
      UPDATE sms.outbox SET status = m.status, reason = m.reason, reason_code = m.reason_code, reason_values = m.reason_values,
        batch_id = m.batch_id, sent_at = m.sent_at, "updatedAt" = moment WHERE id = m.id AND status = 'waiting';
      CONTINUE WHEN NOT FOUND; -- a report has come meanwhile
    ELSE
      m.id := nextval('sms.outbox_id_seq');
      m."createdAt" := moment;
      INSERT INTO sms.outbox VALUES (m.*);
    END IF;
    IF m.status <> 'claimed' THEN
      ended := ended || m.id;
    END IF;
    RETURN NEXT m;
  END LOOP;
  PERFORM sms.tell_recipients(ended);
END $$;

-- What the service said of the messages that were taken: their IDs and *sent_at*, "accepted", "rejected" or anything else,
-- which proves nothing. It ends its own claim: said again, it changes nothing. What had waited and was certainly not sent
-- waits again, as long as it is late: at least a minute, at most an hour, and for the hours of its class. A day after its
-- hour, it is refused.
CREATE OR REPLACE FUNCTION sms.message_settle(version integer, outcomes json, zone text) RETURNS integer LANGUAGE plpgsql SET jit = off AS $$
DECLARE settled integer; BEGIN
  PERFORM sms.for_version(version);
  WITH late AS (
    SELECT m.id, m.sent_at, o.msg, moment, ((hour AT TIME ZONE zone) + interval '1 day') AT TIME ZONE zone AS last, coalesce(sms.opening(from_hour, to_hour, soon, zone), soon) AS next
    FROM json_to_recordset(outcomes) AS o(id integer, sent_at timestamptz, status text, msg text) JOIN sms.outbox AS m USING (id, sent_at)
      CROSS JOIN LATERAL (SELECT from_hour, to_hour FROM sms.rules_in_force AS r WHERE r.class IN (m.class, 'notice') AND r.class NOT IN ('all', 'reserved') ORDER BY r.class = m.class DESC LIMIT 1) AS rule
      CROSS JOIN LATERAL (SELECT clock_timestamp() AS moment, coalesce(sms.opening(from_hour, to_hour, m."createdAt", zone), m."createdAt") AS hour) AS times
      CROSS JOIN LATERAL (SELECT moment + least(greatest(moment - hour, interval '1 minute'), interval '1 hour') AS soon) AS next_try
    -- It had waited: it goes later than it came. A claim may count as interrupted meanwhile.
    WHERE o.status = 'rejected' AND m.status IN ('claimed', 'unknown') AND m.sent_at > m."createdAt"
  )
  UPDATE sms.outbox AS m SET status = CASE WHEN next > last THEN 'refused' ELSE 'waiting' END,
    sent_at = CASE WHEN next > last THEN m.sent_at ELSE next END, "updatedAt" = moment, reason = '',
    reason_code = CASE WHEN next > last THEN 'too_late' ELSE 'tried_again' END,
    reason_values = json_strip_nulls(json_build_object('time', CASE WHEN next <= last THEN to_char(next AT TIME ZONE zone, 'YYYY-MM-DD HH24:MI') END,
      'reason', json_build_object('reason', left(msg, 300))))::text
  FROM late WHERE (m.id, m.sent_at) = (late.id, late.sent_at) AND m.status IN ('claimed', 'unknown'); -- no report has come meanwhile
  UPDATE sms.outbox AS m SET status = CASE WHEN o.status IN ('accepted', 'rejected') THEN o.status ELSE 'unknown' END,
    reason = CASE o.status WHEN 'accepted' THEN '' ELSE left(coalesce(o.msg, ''), 300) END, reason_code = '', reason_values = '',
    batch_id = coalesce(o.batch_id, ''), "updatedAt" = clock_timestamp()
  FROM json_to_recordset(outcomes) AS o(id integer, sent_at timestamptz, status text, batch_id text, msg text)
  WHERE m.id = o.id AND m.sent_at = o.sent_at AND m.status IN ('claimed', 'unknown');
  GET DIAGNOSTICS settled = ROW_COUNT;
  PERFORM sms.tell_recipients(ARRAY(SELECT (value->>'id')::integer FROM json_array_elements(outcomes)));
  RETURN settled;
END $$;

-- The recipient of a campaign whom a message is for.
CREATE OR REPLACE FUNCTION sms.recipient_of(phone_data text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT substring(phone_data FROM '^sms_recipients:([0-9]{1,9})$')::integer
$$;

-- The messages to a recipient, whose number may be typed by hand.
CREATE OR REPLACE FUNCTION sms.messages_to(r sms.recipients) RETURNS SETOF sms.outbox LANGUAGE sql STABLE AS $$
  SELECT * FROM sms.outbox WHERE phone_number = sms.kept_phone(r.phone_number) AND phone_data = 'sms_recipients:' || r.id
$$;

-- What became of these messages, written into the recipients of campaigns. Of a message whose key was used, that of the
-- message that was sent under it, if it was the recipient's own. What is refused to everybody, not to one number, goes later.
CREATE OR REPLACE FUNCTION sms.tell_recipients(messages integer[]) RETURNS void LANGUAGE sql AS $$
  UPDATE sms.recipients AS r SET status = became, batch_id = told.batch_id, reason = told.reason, reason_code = told.reason_code,
    reason_values = told.reason_values, changed = clock_timestamp()
  FROM (SELECT sms.recipient_of(m.phone_data) AS recipient, own.*, CASE
      WHEN own.report = 'DELIVRD' THEN 'delivered'
      WHEN own.report IS NOT NULL THEN 'failed'
      WHEN own.status = 'refused' THEN CASE own.reason_code WHEN 'hours' THEN 'pending' WHEN 'days_limit' THEN 'pending'
        WHEN 'opted_out' THEN 'opted_out' WHEN 'key_used' THEN 'duplicate' ELSE 'refused' END
      ELSE own.status END AS became
    FROM sms.outbox AS m CROSS JOIN LATERAL (SELECT * FROM sms.outbox AS o
      WHERE o.phone_number = m.phone_number AND o.phone_data = m.phone_data
        AND (o.id = m.id OR m.reason_code = 'key_used' AND o.key = m.key AND o.status NOT IN ('refused', 'rejected'))
      ORDER BY o.reason_code IS NOT DISTINCT FROM 'key_used', o.id DESC LIMIT 1) AS own
    WHERE m.id = ANY (messages) AND sms.recipient_of(m.phone_data) IS NOT NULL) AS told
  WHERE r.id = recipient AND sms.kept_phone(r.phone_number) = told.phone_number
    AND became NOT IN ('claimed', 'waiting')
    -- A person may have sent it again meanwhile.
    AND (r.status IN ('sending', 'unknown') OR r.status = 'pending' AND became IN ('accepted', 'delivered', 'failed') AND r.sent_at IS NOT NULL)
$$;

-- Loading, and buttons. Who loads a campaign and who presses a button of it wait for each other.
CREATE OR REPLACE FUNCTION sms.campaign_alone(name text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtext('SMS campaign'), hashtext(name))
$$;

-- Why a campaign does not take a list as it is now.
CREATE OR REPLACE FUNCTION sms.campaign_refusal(list json) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN state = 'stopped' THEN format('The campaign "%s" was stopped. Choose another name.', campaign)
    WHEN state IN ('draft', 'incomplete') THEN NULL
    WHEN NULLIF(list->>'template_id', '') <> template_id
      THEN format('The campaign "%s" has been started with the template %s. Choose another name.', campaign, template_id)
    -- The form has told of a draft. A program knows.
    WHEN list->>'isStarted' = 'false' THEN format('The campaign "%s" was started meanwhile. Load the list again.', campaign) END
  FROM sms.campaigns WHERE campaign = list->>'campaign'
$$;

-- What the service said last, as *SMS · Service* has stored it: who is not asked is not known. A page asks nobody, so it
-- comes also while the service hangs.
CREATE OR REPLACE VIEW sms.service_lately AS SELECT * FROM sms.service WHERE asked > statement_timestamp() - interval '15 minutes';

-- A template or a signature, as the service gave it last.
CREATE OR REPLACE FUNCTION sms.record_of(kind text, record_id text) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT record FROM sms.service CROSS JOIN json_array_elements(records::json) AS record WHERE what = kind AND record->>'id' = record_id LIMIT 1
$$;

-- What a list is loaded with: the template that it names, or what its campaign has. Or why it is not loaded, with the status
-- of HTTP that says so. A request that is wrong by itself comes with its problem.
CREATE OR REPLACE FUNCTION sms.campaign_choice(version integer, list json) RETURNS TABLE
  (problem text, status integer, template_id text, template text, content text, signature_id text, signature text) LANGUAGE plpgsql STABLE AS $$
DECLARE
  c sms.campaigns; chosen json; signed json;
  wanted CONSTANT text := list->>'template_id'; signer CONSTANT text := list->>'signature_id';
BEGIN
  PERFORM sms.for_version(version);
  SELECT * INTO c FROM sms.campaigns WHERE campaign = list->>'campaign';
  chosen := sms.record_of('template', wanted);
  -- Without a signature of its own choice, a campaign has that of its template.
  signed := sms.record_of('signature', coalesce(NULLIF(signer, ''), chosen->>'sign_id'));
  SELECT coalesce((list->>'status')::integer, 409), coalesce(list->>'problem', sms.campaign_refusal(list)) INTO status, problem;
  IF problem IS NULL AND (wanted = '' AND c.id IS NOT NULL OR c.state NOT IN ('draft', 'incomplete')) THEN
    SELECT 200, c.template_id, c.template, c.content, c.signature_id, c.signature INTO status, template_id, template, content, signature_id, signature;
  ELSIF problem IS NULL THEN
    SELECT CASE WHEN count(*) = 2 OR wanted = '' THEN 400 ELSE 503 END INTO status FROM sms.service_lately
    WHERE what IN ('template', 'signature') AND records <> '';
    problem := CASE
      WHEN wanted = '' THEN format('There is no campaign "%s" yet: its first list needs "template_id".', list->>'campaign')
      WHEN status = 503 THEN 'The templates and signatures are not known: SMS · Service is not published, or gets no answer. Post the list again.'
      WHEN chosen IS NULL THEN format('The account has no template with the ID %s.', wanted)
      WHEN chosen->>'status' IN ('false', '0') THEN format('The template %s is not approved and enabled.', wanted)
      WHEN signer <> '' AND signed IS NULL THEN format('The account has no signature with the ID %s.', signer) END;
    IF problem IS NULL THEN
      SELECT 200, wanted, coalesce(chosen->>'name', ''), coalesce(chosen->>'content', ''), signer, coalesce(signed->>'name', '')
      INTO status, template_id, template, content, signature_id, signature;
    END IF;
  END IF;
  RETURN NEXT;
END $$;

-- How much the parameters of a row lack: a column that it does not have weighs more than an empty cell. The names are as
-- JSON.stringify has written them, in front of their values. Within a value, a quotation mark has a backslash.
CREATE OR REPLACE FUNCTION sms.lack(parameters text, names json) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT sum(CASE WHEN strpos(parameters, name::text || ':""') > 0 THEN 1 WHEN strpos(parameters, name::text || ':') > 0 THEN 0 ELSE 2 END)
  FROM json_array_elements(names) AS name
$$;

-- Loads a part of a list. All parts are one transaction, so all of it is loaded or nothing, and the last part says what was.
-- Loaded again by the same execution, it changes nothing. A campaign has a number once, and what is none once for each set of
-- other columns. What is there is left out; but as long as nobody has started the campaign, a row takes better values: those
-- that lack less. These rows count as added.
CREATE OR REPLACE FUNCTION sms.campaign_load(version integer, execution text, list json, given json) RETURNS TABLE
  (id integer, state text, missing text, recipients integer, added integer, not_a_number integer, problem text, status integer) LANGUAGE plpgsql SET jit = off AS $$
#variable_conflict use_column
DECLARE
  moment CONSTANT timestamptz := clock_timestamp(); name CONSTANT text := list->>'campaign'; names CONSTANT json := list->'names';
  c sms.campaigns; is_open boolean;
BEGIN
  PERFORM sms.for_version(version), sms.campaign_alone(name);
  SELECT * INTO c FROM sms.campaigns WHERE campaign = name;
  is_open := c.id IS NULL OR c.state IN ('draft', 'incomplete');
  problem := sms.campaign_refusal(list);
  status := 409;
  IF problem IS NULL AND NOT is_open THEN
    -- They are sent at once, so no later list can give what they lack.
    status := 400;
    SELECT format('The campaign "%s" has been started, and its template needs %s: each recipient must have it.', name, string_agg(each, ', '))
    INTO problem FROM json_array_elements_text(names) AS each WHERE each NOT IN (SELECT json_array_elements_text(list->'columns')) HAVING count(*) > 0;
  END IF;
  IF problem IS NOT NULL THEN
    RETURN QUERY SELECT NULL::integer, NULL, NULL, NULL::integer, NULL::integer, NULL::integer, problem, status WHERE (list->>'isLast')::boolean;
    RETURN;
  END IF;
  INSERT INTO sms.recipients AS r (campaign, phone_number, parameters, line, segments, blank, status, portion, batch_id, reason, reason_code, reason_values, changed)
  SELECT name, phone_number, parameters, line, segments, blank, status, execution, '', '', CASE status WHEN 'invalid' THEN 'invalid' ELSE '' END, '', moment
  FROM json_to_recordset(given) AS row(phone_number text, parameters text, line double precision, segments double precision, blank text, status text)
  ON CONFLICT (campaign, phone_number, (CASE status WHEN 'invalid' THEN md5(parameters) ELSE '' END)) DO UPDATE
  SET (parameters, segments, blank, line, portion, changed, "updatedAt") = (EXCLUDED.parameters, EXCLUDED.segments, EXCLUDED.blank, EXCLUDED.line, execution, moment, moment)
  WHERE is_open AND r.status = 'pending' AND r.sent_at IS NULL AND sms.lack(EXCLUDED.parameters, names) < sms.lack(r.parameters, names);
  IF NOT (list->>'isLast')::boolean THEN RETURN; END IF;
  -- What was counted of another text.
  UPDATE sms.recipients SET segments = NULL, blank = '', "updatedAt" = moment WHERE is_open AND campaign = name AND segments IS NOT NULL
    AND portion IS DISTINCT FROM execution AND (c.content, c.signature) IS DISTINCT FROM (list->>'content', list->>'signature');
  SELECT count(*) FILTER (WHERE status <> 'invalid'), count(*) FILTER (WHERE status = 'invalid') INTO added, not_a_number
  FROM sms.recipients WHERE campaign = name AND portion = execution;
  SELECT coalesce(string_agg(each #>> '{}', ', '), '') INTO missing FROM json_array_elements(names) AS each
  WHERE is_open AND EXISTS (SELECT FROM sms.recipients WHERE campaign = name AND status <> 'invalid' AND strpos(parameters, each::text || ':') = 0);
  IF is_open THEN
    INSERT INTO sms.campaigns (campaign, state, missing, template_id, template, content, signature_id, signature)
    SELECT name, CASE WHEN missing <> '' THEN 'incomplete' WHEN (list->>'start')::boolean THEN 'running' ELSE 'draft' END, missing,
      list->>'template_id', list->>'template', list->>'content', list->>'signature_id', list->>'signature'
    ON CONFLICT (campaign) DO UPDATE SET (state, missing, template_id, template, content, signature_id, signature)
      = (EXCLUDED.state, EXCLUDED.missing, EXCLUDED.template_id, EXCLUDED.template, EXCLUDED.content, EXCLUDED.signature_id, EXCLUDED.signature);
  END IF;
  INSERT INTO sms.tokens (token, page) SELECT execution, 'sms-campaign-load'
  WHERE NOT EXISTS (SELECT FROM sms.tokens WHERE token = execution AND page = 'sms-campaign-load');
  UPDATE sms.campaigns SET loaded_at = moment, "updatedAt" = moment, file = coalesce(NULLIF(list->>'file', ''), file),
    -- It has more to send now, also if a send has called it done meanwhile.
    state = CASE state WHEN 'done' THEN 'running' ELSE state END,
    duplicates = coalesce(duplicates, 0) + CASE WHEN FOUND THEN (list->>'numbers')::integer - added ELSE 0 END
  WHERE campaign = name RETURNING id, state, missing INTO id, state, missing;
  recipients := (list->>'recipients')::integer;
  status := 200;
  problem := '';
  IF (list->>'start')::boolean AND state = 'incomplete' THEN
    status := 422;
    problem := format('The list is loaded, but not started: the template needs %s. Post the recipients again, each with it.', missing);
  END IF;
  RETURN NEXT;
END $$;

-- A button of the page of a campaign is pressed, a form of its token. It says what it did: "done", and "gone" if there is
-- nothing left of the campaign; "outdated", "late" or "others" if nothing; or "test", with the message that is wanted.
CREATE OR REPLACE FUNCTION sms.campaign_press(version integer, form json, login text, OUT did text, OUT campaign text, OUT template_id text,
  OUT signature_id text, OUT content text, OUT parameters text) LANGUAGE plpgsql SET jit = off AS $$
#variable_conflict use_column
DECLARE
  moment CONSTANT timestamptz := clock_timestamp(); action CONSTANT text := form->>'action';
  c sms.campaigns; starts timestamptz;
BEGIN
  PERFORM sms.for_version(version);
  did := 'outdated';
  DELETE FROM sms.tokens WHERE token = form->>'token' AND page = 'sms-campaign:' || (form->>'campaign') AND "createdAt" >= moment - interval '1 day';
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM sms.campaign_alone(campaign) FROM sms.campaigns WHERE id = (form->>'campaign')::integer;
  SELECT * INTO c FROM sms.campaigns WHERE id = (form->>'campaign')::integer;
  IF c.id IS NULL THEN RETURN; END IF;
  -- The latest 20.
  UPDATE sms.campaigns SET presses = concat_ws(E'\n', json_build_array(floor(extract(epoch FROM moment) * 1000), left(action, 20), left(login, 100)),
    array_to_string((string_to_array(presses, E'\n'))[1:19], E'\n')) WHERE id = c.id;
  IF action = 'test' THEN
    did := 'test';
    SELECT c.campaign, c.template_id, c.signature_id, c.content, (SELECT parameters FROM sms.recipients
      WHERE campaign = ANY (ARRAY[c.campaign]) AND status = 'pending' ORDER BY campaign, id LIMIT 1)
    INTO campaign, template_id, signature_id, content, parameters;
  ELSIF action = 'again' AND c.state <> 'stopped' THEN
    did := 'done';
    UPDATE sms.recipients SET status = 'pending', portion = '', reason = '', reason_code = '', reason_values = '', "updatedAt" = moment
    WHERE campaign = c.campaign AND status IN ('refused', 'rejected') AND coalesce(batch_id, '') = '';
    UPDATE sms.campaigns SET state = 'running', until = NULL, "updatedAt" = moment WHERE id = c.id AND state = 'done';
  ELSIF action = 'resend' THEN
    did := CASE WHEN sms.send_unknown_again(c.id, (form->>'rows')::integer, (form->>'changed')::timestamptz, form->>'token') THEN 'done' ELSE 'others' END;
  ELSE
    starts := CASE WHEN action = 'start' THEN NULLIF(form->>'at', '')::timestamp AT TIME ZONE (form->>'zone') END;
    IF starts <= moment THEN did := 'late'; RETURN; END IF;
    -- A start and its opposite want the draft as its page has shown it: with no list loaded since. Stopped is the end.
    -- One that has not begun keeps its time.
    UPDATE sms.campaigns SET state = CASE action WHEN 'pause' THEN 'paused' WHEN 'stop' THEN 'stopped' ELSE 'running' END,
      until = CASE WHEN action <> 'start' AND served_at IS NULL THEN until ELSE starts END, "updatedAt" = moment
    WHERE id = c.id AND CASE action WHEN 'start' THEN state = 'draft' AND loaded_at = (form->>'loaded')::timestamptz
      -- Of a running campaign, it ends the pause after faults. A done one may have rows to send.
      WHEN 'resume' THEN state IN ('paused', 'running', 'done') WHEN 'pause' THEN state = 'running' WHEN 'stop' THEN state IN ('running', 'paused') END;
    did := CASE WHEN FOUND THEN 'done' ELSE did END;
    DELETE FROM sms.campaigns WHERE action = 'discard' AND id = c.id AND state IN ('draft', 'incomplete') AND loaded_at = (form->>'loaded')::timestamptz;
    IF FOUND THEN
      did := 'gone';
      DELETE FROM sms.recipients WHERE campaign = c.campaign AND sent_at IS NULL;
    END IF;
  END IF;
EXCEPTION WHEN data_exception THEN did := CASE WHEN form->>'at' <> '' THEN 'late' ELSE 'outdated' END; -- no form of a page of ours
END $$;

-- What the pages of campaigns show, as JSON: they draw it, and count nothing. They read counts, not rows: a campaign of
-- a million is a few. The figures are those of sms.public_campaigns.
CREATE OR REPLACE FUNCTION sms.campaign_shown(c sms.campaigns) RETURNS jsonb LANGUAGE sql STABLE SET jit = off AS $$
  WITH cells AS (
    SELECT status, state, kind, is_old, reason, reason_code, reason_values, taken, min(sent_at) AS first, max(sent_at) AS last, sum(rows)::integer AS rows, max(changed) AS changed
    FROM (SELECT *, sms.state_of(status, reason_code, sent_at, NULL, NULL, NULL) AS state FROM sms.counts WHERE campaign = c.campaign) AS counts
      CROSS JOIN (SELECT sms.late_minutes() AS minutes) AS late CROSS JOIN LATERAL sms.kind_of(state, sent_at, clock_timestamp(), minutes) AS kind
      CROSS JOIN LATERAL (SELECT sent_at < clock_timestamp() - minutes * interval '1 minute' AS is_old) AS ages
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    HAVING sum(rows) <> 0),
  -- What went in the last ten minutes, by the minute. One portion says nothing about how often they come.
  lately AS (SELECT sum(sent) / extract(epoch FROM clock_timestamp() - min(sent_at)) * 60 AS pace
    FROM (SELECT sent_at, sum(rows) AS sent FROM sms.counts WHERE campaign = c.campaign AND status <> 'pending'
      AND sent_at >= clock_timestamp() - interval '10 minutes' GROUP BY 1 HAVING sum(rows) > 0) AS minutes
    HAVING min(sent_at) < clock_timestamp() - interval '30 seconds'),
  -- What the settings of the send allow: it takes turns with those that run, too.
  allowed AS (SELECT coalesce(c.portion_size, 100) * 6 / (1 + count(*)) AS pace FROM sms.campaigns
    WHERE id <> c.id AND state = 'running' AND coalesce(until <= clock_timestamp(), true))
  SELECT to_jsonb(c) || to_jsonb(figures) || jsonb_build_object('pace', least(lately.pace, allowed.pace),
    'first', (SELECT min(first) FROM cells), 'last', (SELECT max(last) FROM cells), 'cells', (SELECT coalesce(jsonb_agg(cells), '[]') FROM cells))
  FROM sms.public_campaigns AS figures CROSS JOIN allowed LEFT JOIN lately ON true WHERE figures.id = c.id
$$;

-- What a start would send: not to who has opted out. Segments are unknown if a later list has brought another text.
-- OFFSET 0: each is looked up by an index, also while the table has no statistics.
CREATE OR REPLACE FUNCTION sms.campaign_plan(name text) RETURNS json LANGUAGE sql STABLE SET jit = off AS $$
  WITH opted_out AS (SELECT segments, coalesce(blank, '') AS blank, count(*) AS rows FROM sms.opt_outs AS o CROSS JOIN LATERAL
      (SELECT * FROM sms.recipients WHERE campaign = name AND phone_number = o.phone_number OFFSET 0) AS r
    WHERE status = 'pending' AND (SELECT check_opt_outs FROM sms.rules_in_force WHERE class = 'marketing') GROUP BY 1, 2),
  planned AS (SELECT segments, blank, sum(rows) AS rows FROM (
      SELECT segments, blank, rows FROM sms.counts WHERE campaign = name AND status = 'pending'
      UNION ALL SELECT segments, blank, -rows FROM opted_out) AS alike GROUP BY 1, 2 HAVING sum(rows) <> 0)
  SELECT json_build_object('people', coalesce(sum(rows), 0), 'optedOut', (SELECT coalesce(sum(rows), 0) FROM opted_out),
    'segments', CASE WHEN NOT coalesce(bool_or(segments IS NULL), false) THEN coalesce(sum(rows * segments), 0) END,
    -- Those whose message lacks nothing, and how many have nothing in each parameter.
    'ready', coalesce(sum(rows) FILTER (WHERE blank = ''), 0), 'blank', (SELECT coalesce(json_agg(each), '[]')
      FROM (SELECT parameter AS name, sum(rows) AS rows FROM planned CROSS JOIN unnest(string_to_array(NULLIF(blank, ''), E'\n')) AS parameter GROUP BY 1 ORDER BY 1) AS each))
  FROM planned
$$;

-- The rule of campaigns, and how many of their messages the limit of all lets go on a day, and today. Nothing: all.
CREATE OR REPLACE FUNCTION sms.campaign_rule(zone text) RETURNS TABLE (from_hour double precision, to_hour double precision, later double precision, today double precision)
LANGUAGE sql STABLE AS $$
  SELECT m.from_hour, m.to_hour, most, most - least(most, coalesce((SELECT sent FROM sms.days WHERE day = to_char(clock_timestamp() AT TIME ZONE zone, 'YYYY-MM-DD')), 0))
  FROM sms.rules_in_force AS m, sms.rules_in_force AS a, sms.rules_in_force AS r,
    LATERAL (SELECT CASE WHEN a.per_day > 0 THEN greatest(0, a.per_day - r.per_day) END AS most) AS limited
  WHERE m.class = 'marketing' AND a.class = 'all' AND r.class = 'reserved'
$$;

-- The page of a campaign, with a token for its buttons; or, if there is no such campaign, the list: those that run, and the latest.
DROP FUNCTION IF EXISTS sms.campaign_page(integer, integer, text);
CREATE FUNCTION sms.campaign_page(version integer, asked integer, zone text) RETURNS TABLE
  (campaign jsonb, list jsonb, all_of_them integer, token text, rule json, balance json, thresholds json, plan json, samples json, is_template_gone boolean, is_template_changed boolean)
LANGUAGE plpgsql SET jit = off AS $$
#variable_conflict use_column
DECLARE
  c sms.campaigns; is_draft boolean;
BEGIN
  PERFORM sms.for_version(version);
  SELECT * INTO c FROM sms.campaigns WHERE id = asked;
  is_draft := c.state IN ('draft', 'incomplete');
  IF c.id IS NULL THEN
    SELECT jsonb_agg(sms.campaign_shown(shown)), (SELECT count(*) FROM sms.campaigns) INTO list, all_of_them
    FROM (SELECT * FROM sms.campaigns ORDER BY coalesce(state = 'running', false) DESC, id DESC LIMIT 100) AS shown;
  ELSE
    INSERT INTO sms.tokens (token, page) VALUES (gen_random_uuid(), 'sms-campaign:' || c.id) RETURNING token INTO token;
    campaign := sms.campaign_shown(c);
  END IF;
  SELECT row_to_json(r) INTO rule FROM sms.campaign_rule(zone) AS r;
  SELECT json_agg(t) INTO thresholds FROM sms.thresholds AS t;
  SELECT row_to_json(s) INTO balance FROM sms.service_lately AS s WHERE what = 'balance';
  IF is_draft THEN
    plan := sms.campaign_plan(c.campaign);
    -- Recipients whose texts are shown: the first, one with the most segments, one in the middle, and the last.
    WITH ends AS (SELECT (SELECT id FROM sms.recipients WHERE campaign = ANY (ARRAY[c.campaign]) ORDER BY campaign, id LIMIT 1) AS first,
        (SELECT id FROM sms.recipients WHERE campaign = ANY (ARRAY[c.campaign]) ORDER BY campaign DESC, id DESC LIMIT 1) AS last,
        (SELECT min(row_id) FROM sms.counts WHERE campaign = c.campaign AND status = 'pending' GROUP BY segments HAVING sum(rows) > 0 ORDER BY segments DESC NULLS LAST LIMIT 1) AS longest)
    SELECT json_agg(r ORDER BY place) INTO samples FROM ends CROSS JOIN unnest(ARRAY[first, longest, (first + last) / 2, last]) WITH ORDINALITY AS look(at, place)
      CROSS JOIN LATERAL (SELECT id, phone_number, parameters FROM sms.recipients WHERE campaign = ANY (ARRAY[c.campaign]) AND status = 'pending' AND id >= at ORDER BY campaign, status, id LIMIT 1) AS r;
    -- The list of templates may be older than the one that was chosen.
    SELECT coalesce(template->>'status' IN ('false', '0'), template IS NULL), template->>'content' <> c.content
    INTO is_template_gone, is_template_changed FROM sms.service_lately CROSS JOIN sms.record_of('template', c.template_id) AS template
    WHERE what = 'template' AND answered > c.loaded_at;
  END IF;
  RETURN NEXT;
END $$;

-- What the settings of the campaigns are now, and whose turn it is: of those that run, do not pause and have something to
-- send, the one whose latest turn is longest ago. Nobody's out of hours, or if no portion more may be under way. What was
-- claimed and never became a message goes back; a campaign without anything left is done.
CREATE OR REPLACE FUNCTION sms.campaign_turn(version integer, settings json, zone text) RETURNS SETOF sms.campaigns LANGUAGE plpgsql SET jit = off AS $$
DECLARE moment CONSTANT timestamptz := clock_timestamp(); BEGIN
  PERFORM sms.for_version(version);
  UPDATE sms.campaigns SET portion_size = (settings->>'portion_size')::integer, keep_balance = (settings->>'stop_below_balance')::double precision,
    ticked_at = moment, "updatedAt" = moment WHERE state IN ('running', 'draft', 'incomplete', 'paused');
  UPDATE sms.recipients AS r SET status = 'pending', portion = '', changed = moment
  WHERE status = 'sending' AND changed < moment - interval '10 minutes' AND NOT EXISTS (SELECT FROM sms.messages_to(r) AS m WHERE m.sent_at >= r.sent_at);
  UPDATE sms.campaigns AS c SET state = 'done', "updatedAt" = moment
  WHERE state = 'running' AND loaded_at < moment - interval '2 minutes'
    -- ORDER BY: an index finds the first of a status, however many there are of another.
    AND NOT EXISTS (SELECT FROM (VALUES ('pending'), ('sending')) AS open(state) CROSS JOIN LATERAL
      (SELECT FROM sms.recipients WHERE campaign = ANY (ARRAY[c.campaign]) AND status = open.state ORDER BY campaign, status, id LIMIT 1) AS r);
  RETURN QUERY SELECT c.* FROM sms.campaigns AS c
  WHERE state = 'running' AND coalesce(until <= moment, true) AND sms.portions_under_way() < (settings->>'portions_at_once')::integer
    AND (SELECT sms.opening(from_hour, to_hour, moment, zone) FROM sms.rules_in_force WHERE class = 'marketing') IS NULL
    -- After a pause, the next portion goes when the one before has ended.
    AND NOT (coalesce(tries, 0) > 0 AND EXISTS (SELECT FROM sms.recipients WHERE campaign = ANY (ARRAY[c.campaign]) AND status = 'sending'))
    AND (SELECT id FROM sms.recipients WHERE campaign = ANY (ARRAY[c.campaign]) AND status = 'pending' AND changed < moment - interval '1 minute' ORDER BY campaign, status, id LIMIT 1) IS NOT NULL
  ORDER BY served_at NULLS FIRST, id LIMIT 1;
END $$;

CREATE OR REPLACE FUNCTION sms.portions_under_way() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(DISTINCT portion) FROM sms.recipients WHERE status = 'sending'
$$;

-- Claims the next portion of a campaign for an execution, and gives the campaign with it, its rows as one text. No row is
-- of two executions. After a pause, ten show whether the service accepts messages again. It may have been paused by now.
CREATE OR REPLACE FUNCTION sms.campaign_take(version integer, asked integer, execution text, settings json) RETURNS TABLE
  (campaign text, template_id text, signature_id text, content text, tries double precision, first integer, last integer, packed text) LANGUAGE plpgsql SET jit = off AS $$
DECLARE c sms.campaigns; moment timestamptz; BEGIN
  PERFORM sms.for_version(version), pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('claim'));
  moment := clock_timestamp();
  IF sms.portions_under_way() >= (settings->>'portions_at_once')::integer THEN RETURN; END IF;
  UPDATE sms.campaigns SET served_at = moment, "updatedAt" = moment WHERE id = asked AND state = 'running' RETURNING * INTO c;
  IF c.id IS NULL THEN RETURN; END IF;
  RETURN QUERY WITH next AS (
    SELECT r.id FROM sms.recipients AS r WHERE r.campaign = ANY (ARRAY[c.campaign]) AND status = 'pending' AND changed < moment - interval '1 minute'
    ORDER BY r.campaign, status, r.id LIMIT CASE WHEN c.tries > 0 THEN 10 ELSE (settings->>'portion_size')::integer END FOR UPDATE SKIP LOCKED),
  claimed AS (
    UPDATE sms.recipients AS r SET status = 'sending', portion = execution, changed = moment, sent_at = moment, "updatedAt" = moment
    WHERE id = ANY (ARRAY(SELECT id FROM next)) RETURNING id, phone_number, parameters, press)
  SELECT c.campaign, c.template_id, c.signature_id, c.content, c.tries, min(id), max(id), json_agg(claimed ORDER BY id)::text FROM claimed HAVING count(*) > 0;
END $$;

-- The end of a portion. Its rows say what became of them, but for those of which the outbox has no message: it has said why,
-- or failed as a whole, and then nothing was sent. If no message was accepted, and not because of recipients or hours, the campaign
-- pauses for 1 minute, then 2, 4, 8 and 16, or until tomorrow if the day is full. Of portions that went side by side, the
-- first one that ends decides. After hours it rests for 16 minutes: those of the outbox may be of another time zone.
CREATE OR REPLACE FUNCTION sms.campaign_settle(version integer, asked integer, execution text, portion_of json, answers json, zone text)
RETURNS void LANGUAGE plpgsql SET jit = off AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  failure CONSTANT text := (SELECT coalesce(value->'error'->>'message', value->>'error') FROM json_array_elements(answers)
    WHERE value->>'status' IS NULL AND value->>'error' IS NOT NULL LIMIT 1);
  before CONSTANT double precision := (portion_of->>'tries')::double precision;
  ids CONSTANT integer[] := ARRAY(SELECT id FROM sms.recipients
    WHERE id BETWEEN (portion_of->>'first')::integer AND (portion_of->>'last')::integer AND portion = execution);
  sent boolean; is_full boolean := false; code text; given text; said text;
BEGIN
  PERFORM sms.for_version(version);
  UPDATE sms.recipients AS r SET status = 'rejected', reason = left(a.reason, 300), reason_code = a.reason_code, reason_values = a.reason_values, changed = moment
  FROM json_to_recordset(answers) AS a(phone_data text, status text, reason text, reason_code text, reason_values text)
  WHERE r.id = sms.recipient_of(a.phone_data) AND r.status = 'sending' AND portion = execution AND a.status = 'rejected';
  IF failure IS NOT NULL THEN
    UPDATE sms.recipients AS r SET status = 'pending', portion = '', reason = '', reason_code = '', reason_values = '', changed = moment
    WHERE id = ANY (ids) AND status = 'sending' AND NOT EXISTS (SELECT FROM sms.messages_to(r) AS m WHERE m.sent_at >= r.sent_at);
    code := 'outbox_away';
    given := json_build_object('reason', failure);
  END IF;
  SELECT bool_or(status IN ('accepted', 'delivered', 'failed')) INTO sent FROM sms.recipients WHERE id = ANY (ids);
  IF NOT sent AND code IS NULL THEN
    SELECT reason_code = 'days_limit', CASE WHEN reason <> '' OR reason_code <> '' THEN reason_code ELSE 'none_accepted' END, reason_values, reason
    INTO is_full, code, given, said FROM sms.recipients
    WHERE id = ANY (ids) AND status IN ('rejected', 'unknown', 'pending') AND reason_code IS DISTINCT FROM 'hours'
    ORDER BY (reason_code = 'days_limit') DESC, id LIMIT 1;
  END IF;
  sent := coalesce(sent, false) OR code IS NULL;
  UPDATE sms.campaigns SET tries = CASE WHEN sent OR is_full THEN 0 ELSE coalesce(before, 0) + 1 END, until = CASE
      WHEN sent THEN moment + CASE WHEN EXISTS (SELECT FROM sms.recipients WHERE id = ANY (ids) AND status = 'pending' AND reason_code = 'hours')
        THEN interval '16 minutes' ELSE '0' END
      WHEN is_full THEN (date_trunc('day', moment AT TIME ZONE zone) + interval '1 day') AT TIME ZONE zone
      ELSE moment + least(2 ^ coalesce(before, 0), 16) * interval '1 minute' END,
    cause = CASE WHEN sent THEN '' ELSE left(coalesce(said, ''), 300) END, cause_code = CASE WHEN sent THEN '' ELSE coalesce(code, '') END,
    cause_values = CASE WHEN sent THEN '' ELSE coalesce(given, '') END, "updatedAt" = moment
  WHERE id = asked AND tries IS NOT DISTINCT FROM before;
END $$;

-- Somebody sends again those of whom nobody knows, as a page has told of them: no more of them than that. What was sent
-- after all is settled. The others rest for a minute, in which a report takes its row out.
CREATE OR REPLACE FUNCTION sms.send_unknown_again(asked integer, told integer, page_of timestamptz, token text) RETURNS boolean LANGUAGE plpgsql SET jit = off AS $$
DECLARE moment CONSTANT timestamptz := clock_timestamp(); ids integer[]; BEGIN
  ids := ARRAY(SELECT r.id FROM sms.recipients AS r JOIN sms.campaigns AS c USING (campaign) WHERE c.id = asked AND state <> 'stopped'
    AND status = 'unknown' AND coalesce(batch_id, '') = '' AND changed <= page_of FOR UPDATE OF r);
  IF cardinality(ids) NOT BETWEEN 1 AND told THEN RETURN false; END IF;
  PERFORM sms.tell_recipients(ARRAY(SELECT m.id FROM sms.recipients AS r CROSS JOIN LATERAL sms.messages_to(r) AS m WHERE r.id = ANY (ids) AND m.status = 'accepted'));
  UPDATE sms.recipients AS r SET status = 'pending', portion = '', press = token, reason = '', reason_code = '', reason_values = '', changed = moment
  WHERE id = ANY (ids) AND status = 'unknown' AND NOT EXISTS (SELECT FROM sms.messages_to(r) AS m WHERE (m.status = 'waiting' OR m.status = 'claimed' AND m.sent_at > moment - interval '10 minutes'));
  UPDATE sms.campaigns SET state = 'running', until = NULL, "updatedAt" = moment WHERE id = asked AND state = 'done';
  RETURN true;
END $$;

-- Stores what the service said: of what has no answer, the answer before stays, and so do the names of templates and
-- signatures that it has no more.
CREATE OR REPLACE FUNCTION sms.service_store(version integer, said json) RETURNS void LANGUAGE sql AS $$
  SELECT sms.for_version(version);
  INSERT INTO sms.service AS s (what, balance, records, answered, asked, error)
  SELECT what, balance, records, answered, asked, error FROM json_populate_recordset(NULL::sms.service, said)
  ON CONFLICT (what) DO UPDATE SET balance = coalesce(excluded.balance, s.balance), records = coalesce(excluded.records, s.records),
    answered = coalesce(excluded.answered, s.answered), asked = excluded.asked, error = excluded.error, "updatedAt" = clock_timestamp();
  INSERT INTO sms.templates (kind, record_id, name, content)
  SELECT DISTINCT ON (1, 2) what, each->>'id', coalesce(each->>'name', ''), coalesce(each->>'content', '')
  FROM sms.service CROSS JOIN LATERAL json_array_elements(records::json) AS each
  WHERE what IN ('template', 'signature') AND each->>'id' <> ''
  ON CONFLICT (kind, record_id) DO UPDATE SET name = excluded.name, content = excluded.content, "updatedAt" = clock_timestamp()
$$;

-- Upkeep: figures of days, how full the tables are, and which rows go.

-- How full the tables are whose rows go. About: by their IDs, by what the newest rows take, and by the share of the indexes.
-- `newest` is when the last row came, and of messages when the last that was accepted went. `free` is the first row that may
-- go: what is not sent yet stays. A gap behind such rows is not counted.
CREATE OR REPLACE FUNCTION sms.sizes() RETURNS TABLE (name text, rows double precision, bytes double precision, newest timestamptz,
  oldest timestamptz, free integer) LANGUAGE plpgsql STABLE AS $$ BEGIN
  FOREACH name IN ARRAY '{sms.inbox,sms.outbox,sms.recipients}'::text[] LOOP
    RETURN QUERY EXECUTE format('SELECT %1$L::text, n, n * row_bytes * greatest(1, pg_total_relation_size(%1$L)::double precision / greatest(pg_relation_size(%1$L), 65536)),
        CASE %1$L WHEN ''sms.outbox'' THEN (SELECT max(sent_at) FROM sms.outbox WHERE status = ''accepted'') ELSE newest END, coalesce(free_at, first_at), free
      FROM (SELECT max(id) AS last, max("createdAt") AS newest, avg(pg_column_size(latest))::double precision AS row_bytes
        FROM (SELECT * FROM %1$s ORDER BY id DESC LIMIT 50) AS latest) AS newest
      LEFT JOIN (SELECT id AS free, "createdAt" AS free_at FROM %1$s
        WHERE status IS NULL OR status NOT IN (''pending'', ''sending'', ''waiting'') ORDER BY id LIMIT 1) AS free ON true
      CROSS JOIN LATERAL (SELECT id, "createdAt" AS first_at FROM %1$s ORDER BY id LIMIT 1) AS first
      CROSS JOIN LATERAL (SELECT (last - coalesce(free, first.id) + 1)::double precision AS n) AS counted', name);
  END LOOP;
END $$;

-- Keeps the figures of days, from yesterday on or from the last one that was counted, and then makes room: rows older than the days go, and, while all take too much, the oldest ones
-- of the table that goes back furthest. Not what is not sent yet, and nothing of today and yesterday, which limits and keys
-- are looked up in. A recipient is as old as the last list and the last portion of its campaign: its row is what keeps its
-- number from a second message. What a subscriber waits for goes only if it takes half of the room.
CREATE OR REPLACE FUNCTION sms.upkeep(version integer, days double precision, megabytes double precision, zone text) RETURNS integer
LANGUAGE plpgsql SET jit = off AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  yesterday CONSTANT timestamptz := (date_trunc('day', moment AT TIME ZONE zone) - interval '1 day') AT TIME ZONE zone;
  room CONSTANT double precision := megabytes * 1e6;
  waited CONSTANT double precision := (SELECT min(read_to) FROM sms.subscribers WHERE read_to >= 0);
  aged CONSTANT timestamptz := least(yesterday, moment - make_interval(secs => least(days, 36500) * 86400));
  excess double precision; each record; gone integer := 0; these integer;
BEGIN
  PERFORM sms.for_version(version);
  -- A message that waits counts on the day it was taken. A zone is looked up once for a day, not for each row: that takes
  -- ten times as long as to count.
  INSERT INTO sms.days (day, sent, accepted, delivered, failed, replies, unreadable, opt_outs)
  SELECT to_char(local, 'YYYY-MM-DD'), o.sent, o.accepted, i.delivered, i.failed, i.replies, i.unreadable, x.opt_outs
  FROM (SELECT least(yesterday, coalesce((SELECT max(day) FROM sms.days)::timestamp AT TIME ZONE zone, '-infinity')) AS start,
      coalesce(least((SELECT min("createdAt") FROM sms.outbox), (SELECT "createdAt" FROM sms.inbox ORDER BY id LIMIT 1),
        (SELECT min("createdAt") FROM sms.opt_outs)), moment) AS oldest) AS times
    CROSS JOIN LATERAL generate_series(date_trunc('day', greatest(start, oldest) AT TIME ZONE zone), moment AT TIME ZONE zone, '1 day') AS local
    CROSS JOIN LATERAL (SELECT local AT TIME ZONE zone AS first, (local + interval '1 day') AT TIME ZONE zone AS next) AS bounds
    CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE status IS NULL OR status NOT IN ('rejected', 'refused', 'skipped')) AS sent,
      count(*) FILTER (WHERE status = 'accepted') AS accepted FROM sms.outbox WHERE "createdAt" >= first AND "createdAt" < next) AS o
    CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE event = 'deliveryReport' AND status = 'DELIVRD') AS delivered,
      count(*) FILTER (WHERE event = 'deliveryReport' AND status IS DISTINCT FROM 'DELIVRD') AS failed,
      count(*) FILTER (WHERE event = 'reply') AS replies, count(*) FILTER (WHERE event = 'unreadable') AS unreadable FROM sms.inbox WHERE "createdAt" >= first AND "createdAt" < next) AS i
    CROSS JOIN LATERAL (SELECT count(*) AS opt_outs FROM sms.opt_outs WHERE "createdAt" >= first AND "createdAt" < next) AS x
  ON CONFLICT (day) DO UPDATE SET (sent, accepted, delivered, failed, replies, unreadable, opt_outs, "updatedAt") =
    (excluded.sent, excluded.accepted, excluded.delivered, excluded.failed, excluded.replies, excluded.unreadable, excluded.opt_outs, moment);
  DELETE FROM sms.tokens WHERE "createdAt" < moment - interval '1 day' AND page LIKE 'sms-%';
  SELECT sum(bytes) - room INTO excess FROM sms.sizes();
  FOR each IN
    SELECT *, excess > 0 AND row_number() OVER (ORDER BY oldest) = 1 AS gives_room
    FROM (SELECT name, rows, bytes, CASE WHEN name <> 'sms.inbox' OR excess > 0 AND bytes > room / 2 THEN NULL ELSE waited END AS stop,
        CASE WHEN name = 'sms.recipients' THEN r.id ELSE free END AS free, CASE WHEN name = 'sms.recipients' THEN r."createdAt" ELSE oldest END AS oldest
      FROM sms.sizes() CROSS JOIN LATERAL (SELECT CASE WHEN excess > 0 THEN yesterday ELSE aged END AS bound) AS bounds
      -- Behind those that stay: there may be a million of them, and none is looked at before the first is old enough.
      LEFT JOIN LATERAL (SELECT id, "createdAt" FROM sms.recipients WHERE name = 'sms.recipients' AND oldest < bound AND id >= free
        AND status NOT IN ('pending', 'sending') AND campaign NOT IN (SELECT campaign FROM sms.campaigns WHERE greatest(loaded_at, served_at) >= bound)
        ORDER BY id LIMIT 1) AS r ON true) AS sizes
    WHERE free <= coalesce(stop, free) ORDER BY oldest
  LOOP
    EXECUTE format('DELETE FROM %s WHERE id < $1 AND id <= coalesce($2, id) AND "createdAt" < $3
      AND (status IS NULL OR status NOT IN (''pending'', ''sending'', ''waiting'')) %s', each.name, CASE each.name
      WHEN 'sms.recipients' THEN 'AND campaign NOT IN (SELECT campaign FROM sms.campaigns WHERE greatest(loaded_at, served_at) >= $3)' END)
    USING each.free + least(50000, CASE WHEN each.gives_room THEN ceil(excess / (each.bytes / each.rows)) END), each.stop,
      CASE WHEN each.gives_room THEN yesterday ELSE aged END;
    GET DIAGNOSTICS these = ROW_COUNT;
    gone := gone + these;
  END LOOP;
  RETURN gone;
END $$;

-- The inbox, and who gets its records.

-- Stores the records of a page, all or none, and what their replies say of the opt-out list: of a number, the latest that
-- says stop or start counts, and at the same time a stop. Who only mentions it, or complains, is on the list too, until a
-- person takes the number off. What is stored already is left out: by its page, of which the trigger gives all again, or records
-- alone, with their number behind the page's ID; and what was pushed, if a row is the same. One store goes after the other:
-- whoever sees a row sees all with a lower ID.
CREATE OR REPLACE FUNCTION sms.inbox_store(version integer, page json) RETURNS integer LANGUAGE plpgsql SET jit = off SET enable_seqscan = off AS $$
DECLARE stored integer[]; came timestamptz; BEGIN
  PERFORM sms.for_version(version), pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('sms.inbox')),
    pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('sms.opt_outs'));
  -- All records of a page came at one moment: what stands further down in it did not come later.
  came := clock_timestamp();
  WITH records AS MATERIALIZED (
    SELECT r.*, place, split_part(run, '/', 1) AS whole, coalesce(NULLIF(split_part(run, '/', 2), ''), place::text) AS number
    FROM json_array_elements(page) WITH ORDINALITY AS given(record, place) CROSS JOIN LATERAL json_populate_record(NULL::sms.inbox, record) AS r),
  added AS (
    INSERT INTO sms.inbox (event, phone_number, status, status_desc, content, batch_id, user_data, phone_data, split_count, other, time, run, says, "createdAt")
    SELECT event, phone_number, status, status_desc, content, batch_id, user_data, phone_data, split_count, other, time, run, says, came
    FROM records AS r
    -- OFFSET 0, and no scan of the table: each is looked up by an index.
    -- A customer may write the same again: without a time of day, a push is known for an hour.
    WHERE NOT EXISTS (SELECT FROM sms.inbox AS i WHERE i.run = r.whole AND (i.run NOT LIKE '%-timeless' OR i."createdAt" > came - interval '1 hour') OFFSET 0)
      AND NOT EXISTS (SELECT FROM sms.inbox AS i WHERE i.run = r.whole || '/' || r.number OFFSET 0)
      AND NOT EXISTS (SELECT FROM sms.inbox AS i WHERE r.event <> 'unreadable' AND i.phone_number = r.phone_number AND (r.run LIKE 'push-%' OR i.run LIKE 'push-%')
        AND (i.event, i.batch_id, i.status, i.content, i.time) IS NOT DISTINCT FROM (r.event, r.batch_id, r.status, r.content, r.time)
        -- Two messages of a batch may be to one number.
        AND coalesce(NULLIF(i.phone_data, '') = NULLIF(r.phone_data, ''), true) OFFSET 0)
    ORDER BY place RETURNING id)
  SELECT array_agg(id) INTO stored FROM added;
  WITH words AS (SELECT latest.* FROM (SELECT DISTINCT phone_number FROM sms.inbox WHERE id = ANY (stored) AND says <> '') AS one CROSS JOIN LATERAL (
      SELECT * FROM sms.inbox AS i WHERE i.phone_number = one.phone_number AND event = 'reply' AND says <> ''
        -- Nothing was written after it came: a clock that runs ahead makes no later stop word an earlier one.
        ORDER BY least(time, "createdAt") DESC, time DESC, says = 'start', id DESC LIMIT 1) AS latest
    WHERE latest.id = ANY (stored)),
  -- Once for each number that is spared, in whatever spellings it has come.
  stopped AS (INSERT INTO sms.opt_outs (phone_number, word, since)
    SELECT DISTINCT ON (sms.kept_phone(phone_number)) phone_number, content, time::text FROM words WHERE says IN ('stop', 'doubt')
    ORDER BY sms.kept_phone(phone_number), time DESC, id DESC
    ON CONFLICT (phone_number) DO UPDATE SET word = excluded.word, since = excluded.since, "updatedAt" = clock_timestamp()
    WHERE opt_outs.since <= excluded.since)
  DELETE FROM sms.opt_outs AS o USING words WHERE says = 'start' AND o.phone_number = sms.kept_phone(words.phone_number)
    AND coalesce(NULLIF(since, '')::timestamptz <= words.time, true);
  RETURN coalesce(cardinality(stored), 0);
END $$;

-- Claims a subscriber that is free, and gives what it wants of the next thousand rows behind its cursor: `seen` are all of
-- them, up to `up_to`. A claim is for a day: what takes long is not handed over again beside itself. Ask and wait takes an
-- answer once in any case, and must not keep it waiting. A new subscriber begins with what came after it.
CREATE OR REPLACE FUNCTION sms.inbox_claim(version integer, asked integer) RETURNS TABLE (id integer, workflow_id text, free_at timestamptz,
  seen integer, up_to integer, rows json) LANGUAGE plpgsql SET jit = off AS $$
DECLARE s sms.subscribers; moment CONSTANT timestamptz := clock_timestamp(); cursor_of integer; BEGIN
  PERFORM sms.for_version(version);
  UPDATE sms.subscribers AS c SET free_at = moment + CASE c.workflow_id WHEN 'sms-ask-and-wait' THEN interval '10 minutes' ELSE interval '1 day' END, since = coalesce(c.since, moment), "updatedAt" = moment
  WHERE c.id = asked AND c.free_at <= moment RETURNING * INTO s;
  IF s.id IS NULL THEN RETURN; END IF;
  cursor_of := coalesce(s.read_to, (SELECT max(i.id) FROM sms.inbox AS i WHERE i."createdAt" < s."createdAt"), 0);
  RETURN QUERY SELECT s.id, s.workflow_id, s.free_at, count(*)::integer, coalesce(max(next.id), cursor_of),
    coalesce(json_agg(next ORDER BY next.id) FILTER (WHERE s.wants IN ('all', next.event)), '[]')
  FROM (SELECT * FROM sms.inbox AS i WHERE i.id > cursor_of ORDER BY i.id LIMIT 1000) AS next;
END $$;

-- Ends a claim, if whoever ends it still holds it: the cursor moves if there was no failure.
CREATE OR REPLACE FUNCTION sms.inbox_served(version integer, asked integer, claim timestamptz, up_to integer, failure text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE moment CONSTANT timestamptz := clock_timestamp(); BEGIN
  PERFORM sms.for_version(version);
  UPDATE sms.subscribers SET free_at = moment, reason = coalesce(failure, ''), "updatedAt" = moment,
    read_to = CASE WHEN failure IS NULL THEN up_to ELSE read_to END, since = CASE WHEN failure IS NOT NULL THEN since END
  WHERE id = asked AND free_at = claim;
END $$;

-- Writes answers of customers, and reports of failure, into the questions that they are about, once, and gives these: the open
-- question of the number that `phone_data` or the batch names, or, if nothing is known of the batch, the newest. An answer is
-- one of those allowed, and not from before the question; a failure is none if another report says that the SMS has arrived.
-- Without records, it gives those whose answer is not taken yet.
CREATE OR REPLACE FUNCTION sms.answer_questions(version integer, records json) RETURNS SETOF sms.questions LANGUAGE plpgsql SET jit = off AS $$
DECLARE r record; q sms.questions; BEGIN
  PERFORM sms.for_version(version);
  IF records IS NULL THEN
    RETURN QUERY SELECT * FROM sms.questions WHERE answer NOT IN ('', '(a newer question)') AND resume_url <> '' ORDER BY id;
  END IF;
  FOR r IN SELECT *, event <> 'reply' AS failed, substring(phone_data FROM '^question-([0-9]{1,9})$')::integer AS question
    FROM json_to_recordset(records) AS one(event text, phone_number text, answer text, reply text, batch_id text, phone_data text, time text)
  LOOP
    SELECT * INTO q FROM sms.questions AS open WHERE phone_number = r.phone_number AND answer = '' AND resume_url <> ''
      AND NOT EXISTS (SELECT FROM sms.outbox AS m WHERE m.phone_number = r.phone_number AND m.phone_data = 'question-' || open.id AND m.status = 'waiting') AND CASE
        WHEN r.failed AND r.question IS NOT NULL THEN id = r.question
        WHEN r.failed THEN r.batch_id <> '' AND r.batch_id = open.batch_id
        ELSE r.batch_id IN ('', open.batch_id) OR coalesce(open.batch_id, '') = '' AND NOT EXISTS (SELECT FROM sms.questions AS other
          WHERE other.phone_number = r.phone_number AND other.batch_id = r.batch_id) END
      ORDER BY id DESC LIMIT 1 FOR UPDATE;
    CONTINUE WHEN NOT FOUND OR EXISTS (SELECT FROM sms.questions WHERE reply = r.reply);
    IF r.failed THEN
      CONTINUE WHEN EXISTS (SELECT FROM sms.inbox AS report WHERE report.phone_number = r.phone_number AND report.event = 'deliveryReport'
        AND report.status = 'DELIVRD' AND CASE WHEN r.question IS NULL THEN report.batch_id = r.batch_id ELSE report.phone_data = r.phone_data END);
    ELSE
      CONTINUE WHEN r.answer = '' OR NULLIF(r.time, '')::timestamptz < q.asked - interval '2 minutes'
        OR r.answer <> ALL (regexp_split_to_array(upper(normalize(q.answers, NFKC)), '[\s,;、]+'));
    END IF;
    UPDATE sms.questions SET answer = r.answer, reply = r.reply, "updatedAt" = clock_timestamp() WHERE id = q.id RETURNING * INTO q;
    RETURN NEXT q;
  END LOOP;
END $$;

-- What pages read. The columns of a view are those of its table, and its state.
DROP VIEW IF EXISTS sms.known_messages;
DROP VIEW IF EXISTS sms.unsent;
DROP VIEW IF EXISTS sms.messages;
CREATE VIEW sms.messages AS SELECT m.*, sms.state_of(status, reason_code, sent_at, report, sent_by, phone_data) AS state
FROM sms.outbox AS m;

-- What was not sent in the last 24 hours, and what is still to go: a row for all that are alike.
CREATE VIEW sms.unsent AS SELECT kind, reason, reason_code, reason_values, max("createdAt") AS "createdAt", count(*)::integer AS rows
FROM sms.messages CROSS JOIN LATERAL sms.kind_of(state, sent_at, statement_timestamp(), 0) AS kind
WHERE status IS DISTINCT FROM 'accepted' AND (sent_at >= statement_timestamp() - interval '1 day' OR status = 'waiting') AND kind <> ''
GROUP BY 1, 2, 3, 4;

-- Conversations: what was sent to numbers, what came from them, and who has opted out, in one order. Pages name a row by its
-- table and its ID: o12, i34.
DROP VIEW IF EXISTS sms.said;
CREATE VIEW sms.said AS
SELECT 'o' AS side, id, phone_number, CASE status WHEN 'waiting' THEN "createdAt" ELSE sent_at END AS at, 'send' AS event,
  text, class, template, signature, parameters, source, status, sms.state_of(status, reason_code, sent_at, report, sent_by, phone_data) AS state,
  reason, reason_code, reason_values, sent_at, report, report_text, reported_at, NULL::integer AS message
FROM sms.outbox
UNION ALL SELECT 'i', id, phone_number, coalesce(time, "createdAt"), event, content, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  status, status_desc, NULL, message FROM sms.inbox
UNION ALL SELECT 'x', id, phone_number, NULLIF(since, '')::timestamptz, 'optOut', word, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL FROM sms.opt_outs WHERE since <> '';

-- The numbers with these last digits whose last reply in 30 days nothing has answered, unless it was a stop or start word:
-- since when, and that reply. What is not sent or has not arrived, a campaign and a code answer nobody. Each
-- number is looked up by an index.
CREATE OR REPLACE FUNCTION sms.waiting(digits text) RETURNS TABLE (phone_number text, reply integer, since timestamptz) LANGUAGE sql STABLE SET jit = off AS $$
  WITH replies AS MATERIALIZED (SELECT i.id, i.phone_number, i.says, coalesce(i.time, i."createdAt") AS at FROM sms.inbox AS i WHERE i.event = 'reply'
    AND i.phone_number <> '' AND i.phone_number LIKE '%' || digits AND i."createdAt" >= clock_timestamp() - interval '30 days'),
  phones AS (SELECT phone.phone_number, answer.at FROM (SELECT DISTINCT replies.phone_number FROM replies) AS phone CROSS JOIN LATERAL (
    SELECT max(CASE status WHEN 'waiting' THEN "createdAt" ELSE sent_at END) AS at FROM sms.messages AS m
    WHERE m.phone_number = phone.phone_number AND state IN ('accepted', 'delivered', 'sending', 'waiting', 'unknown') AND class NOT IN ('marketing', 'code')) AS answer),
  latest AS (SELECT DISTINCT ON (replies.phone_number) replies.*, min(replies.at) OVER (PARTITION BY replies.phone_number) AS since
    FROM replies JOIN phones USING (phone_number) WHERE phones.at IS NULL OR replies.at > phones.at ORDER BY replies.phone_number, replies.at DESC, replies.id DESC)
  SELECT latest.phone_number, latest.id, latest.since FROM latest WHERE coalesce(latest.says, '') NOT IN ('stop', 'start')
$$;

-- The list: the last row of each number of the newest 50 messages and 50 replies below these IDs, and of 50 who wait, or of
-- those alone, 500 of them. Who has waited longest stands first. Beside it: how many wait, below which IDs older rows are, and
-- how many messages of a day were not sent, or not confirmed.
CREATE OR REPLACE FUNCTION sms.threads(digits text, sends_below integer, records_below integer, only_waiting boolean) RETURNS json LANGUAGE sql STABLE SET jit = off AS $$
  WITH waiting AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY since, reply) AS place FROM sms.waiting(digits)),
  near AS MATERIALIZED (
    (SELECT 'o' AS side, id FROM sms.outbox WHERE NOT only_waiting AND id < sends_below AND phone_number <> '' AND phone_number LIKE '%' || digits ORDER BY id DESC LIMIT 50)
    UNION ALL (SELECT 'i', id FROM sms.inbox WHERE NOT only_waiting AND id < records_below AND event = 'reply' AND phone_number <> ''
      AND phone_number LIKE '%' || digits ORDER BY id DESC LIMIT 50)),
  threads AS (SELECT DISTINCT ON (phone_number) s.*, w.since FROM (SELECT side, id FROM near UNION SELECT 'i', reply FROM waiting
      WHERE place <= CASE WHEN only_waiting THEN 500 WHEN sends_below < 2147483647 OR records_below < 2147483647 THEN 0 ELSE 50 END) AS one
    CROSS JOIN LATERAL (SELECT * FROM sms.said WHERE said.side = one.side AND said.id = one.id) AS s LEFT JOIN waiting AS w USING (phone_number)
    ORDER BY phone_number, s.at DESC, s.id DESC)
  SELECT json_build_object('threads', coalesce((SELECT json_agg(threads ORDER BY since, at DESC) FROM threads), '[]'),
    'waiting', (SELECT count(*) FROM waiting),
    'older', (SELECT json_build_object('o', coalesce(min(id) FILTER (WHERE side = 'o'), sends_below), 'i', coalesce(min(id) FILTER (WHERE side = 'i'), records_below))
      FROM near HAVING count(*) FILTER (WHERE side = 'o') = 50 OR count(*) FILTER (WHERE side = 'i') = 50),
    'unsent', (SELECT count(*) FROM sms.messages WHERE status IS DISTINCT FROM 'accepted' AND sent_at > clock_timestamp() - interval '1 day'
      AND (state IN ('rejected', 'refused', 'unknown') OR state = 'waiting' AND sent_at < clock_timestamp() - interval '5 minutes')))
$$;

-- A conversation, the oldest row first: the newest 100 rows before one that is named, or of all. A report that is written in
-- its message is none by itself.
CREATE OR REPLACE FUNCTION sms.thread(phone text, before text) RETURNS json LANGUAGE sql STABLE SET jit = off AS $$
  WITH rows AS (SELECT * FROM sms.said WHERE phone_number = phone AND (message IS NULL OR event <> 'deliveryReport')),
  part AS (SELECT * FROM rows WHERE before = '' OR (at, side, id) < (SELECT at, side, id FROM rows WHERE side || id = before)
    ORDER BY at DESC, side DESC, id DESC LIMIT 101)
  SELECT json_build_object('rows', coalesce(json_agg(part ORDER BY at, side, id) FILTER (WHERE place <= 100), '[]'), 'isCut', count(*) > 100)
  FROM (SELECT *, row_number() OVER (ORDER BY at DESC, side DESC, id DESC) AS place FROM part) AS part
$$;

-- What boards and reports may build on. A column never goes, is never renamed, and keeps its meaning; new ones come
-- behind. No texts, no parameters, and of a number the last four digits. They read tables and `state_of` only: what is
-- dropped and made anew cannot carry them.
CREATE OR REPLACE VIEW sms.public_messages AS SELECT id,
  sent_at, -- of one that waits: when it goes
  class, sms.state_of(status, reason_code, sent_at, report, sent_by, phone_data) AS state,
  reason_code, -- of what the desk has refused
  template, signature, batch_id, source, right(phone_number, 4) AS last_four,
  report, reported_at, -- the status of the latest report, and its time
  extract(epoch FROM reported_at - sent_at)::double precision AS seconds, -- from the send to that report
  segments -- by the report
FROM sms.outbox;

CREATE OR REPLACE VIEW sms.public_replies AS SELECT id, coalesce(time, "createdAt") AS received_at, right(phone_number, 4) AS last_four,
  CASE WHEN says IN ('stop', 'start') THEN says END AS says, -- or nothing
  NULLIF(batch_id, '') AS batch_id
FROM sms.inbox WHERE event = 'reply';

CREATE OR REPLACE VIEW sms.public_opt_outs AS SELECT id, right(phone_number, 4) AS last_four,
  "createdAt" AS listed_at, NULLIF(since, '')::timestamptz AS since,
  coalesce(word, '') <> '' AS by_reply -- otherwise by hand
FROM sms.opt_outs;

-- The figures are those of the pages: sent is delivered, failed or without a report; not sent is refused, rejected, or
-- unknown.
CREATE OR REPLACE VIEW sms.public_campaigns AS SELECT id, campaign, state, template, "createdAt" AS created_at,
  people, pending, sent, delivered, failed, not_sent, opted_out
FROM sms.campaigns AS c CROSS JOIN LATERAL (
  SELECT coalesce(sum(rows) FILTER (WHERE became NOT IN ('invalid', 'duplicate')), 0)::integer AS people,
    coalesce(sum(rows) FILTER (WHERE became = 'pending'), 0)::integer AS pending,
    coalesce(sum(rows) FILTER (WHERE became IN ('delivered', 'failed', 'accepted')), 0)::integer AS sent,
    coalesce(sum(rows) FILTER (WHERE became = 'delivered'), 0)::integer AS delivered,
    coalesce(sum(rows) FILTER (WHERE became = 'failed'), 0)::integer AS failed,
    coalesce(sum(rows) FILTER (WHERE became IN ('refused', 'rejected', 'unknown')), 0)::integer AS not_sent,
    coalesce(sum(rows) FILTER (WHERE became = 'opted_out'), 0)::integer AS opted_out
  FROM (SELECT rows, sms.state_of(status, reason_code, sent_at, NULL, NULL, NULL) AS became FROM sms.counts WHERE campaign = c.campaign) AS counted
) AS figures;

-- What the dashboard shows.

-- All messages, each when it was or will be sent: those of sms.outbox and, of senders without rows there, those that reports
-- are about, when these came.
CREATE VIEW sms.known_messages AS
SELECT id, true AS is_own, status, sent_at AS at, phone_number, coalesce(template, '') AS template, coalesce(batch_id, '') AS batch,
  sms.state_of(status, reason_code, sent_at, report, sent_by, phone_data) AS state, reason, reason_code, reason_values,
  report, report_text, reported_at, segments, estimate
FROM sms.outbox
UNION ALL SELECT id, false, NULL, coalesce(time, "createdAt"), phone_number, NULL, coalesce(batch_id, ''),
  CASE status WHEN 'DELIVRD' THEN 'delivered' ELSE 'failed' END, NULL, NULL, NULL, coalesce(status, ''), status_desc, time, NULLIF(split_count, 0), NULL
FROM sms.inbox WHERE event = 'deliveryReport' AND message IS NULL;

-- Whether a page that is narrowed to a template, a batch or a status shows a message. A status is a kind, or that of a
-- report, or "failed", "none" for those without a report, or "unsent".
CREATE OR REPLACE FUNCTION sms.is_shown(asked_template text, asked_batch text, asked_status text, template text, batch text, state text, kind text, report text)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (asked_template = '' OR template = asked_template) AND (asked_batch = '' OR batch = asked_batch) AND (asked_status IN ('', report)
    OR state = CASE asked_status WHEN 'none' THEN 'accepted' WHEN 'failed' THEN 'failed' END
    OR kind = asked_status OR asked_status = 'unsent' AND kind <> 'late')
$$;

-- The replies that it shows: of a template, those to its messages.
CREATE OR REPLACE FUNCTION sms.shown_replies(asked json, begins timestamptz, ends timestamptz) RETURNS SETOF sms.inbox LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT * FROM sms.inbox WHERE event = 'reply' AND message IS NULL AND coalesce(time, "createdAt") BETWEEN begins AND ends
    AND asked->>'status' = '' AND (asked->>'batch' = '' OR batch_id = asked->>'batch') AND (asked->>'template' = '' OR batch_id IN (
      SELECT batch FROM sms.known_messages WHERE at BETWEEN begins AND ends AND batch <> '' AND template = asked->>'template'))
$$;

-- The starts of the bars of a chart: at most 32, at full hours, days, weeks, months or years of a time zone.
CREATE OR REPLACE FUNCTION sms.bars(opens timestamptz, closes timestamptz, zone text) RETURNS TABLE (unit text, starts timestamptz[]) LANGUAGE sql STABLE AS $$
  SELECT unit, (SELECT array_agg(DISTINCT start AT TIME ZONE zone) FROM generate_series(date_trunc(round, opens AT TIME ZONE zone), closes AT TIME ZONE zone, unit::interval) AS start
    WHERE (start + unit::interval) AT TIME ZONE zone > opens)
  FROM (VALUES ('5 minutes', 'hour', interval '150 minutes'), ('1 hour', 'hour', '30 hours'), ('6 hours', 'day', '180 hours'), ('1 day', 'day', '720 hours'),
    ('1 week', 'week', '5040 hours'), ('1 month', 'month', '21900 hours'), ('1 year', 'year', '10000 years')) AS units (unit, round, most)
  WHERE closes - opens <= most ORDER BY most LIMIT 1
$$;

-- What the dashboard shows of a stretch of time, until now if it has no end, and what is judged of the last 24 and 2 hours.
-- What is overdue is shown as long as it has not gone. It goes through the messages once: what is alike becomes a cell,
-- between two of the times that matter. Without hashing, PostgreSQL would sort all of them on a disk; with INTO, no worker
-- would help.
CREATE OR REPLACE FUNCTION sms.dashboard(asked json) RETURNS json LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' SET enable_sort = off AS $$
DECLARE
  moment CONSTANT timestamptz := asked->>'now';
  opens timestamptz := asked->>'start'; -- the first message or record, without one
  closes CONSTANT timestamptz := asked->>'end';
  ends CONSTANT timestamptz := coalesce(closes, 'infinity');
  earlier CONSTANT timestamptz := asked->>'before'; -- since when the figures before are counted
  day CONSTANT timestamptz := moment - interval '24 hours';
  recent CONSTANT timestamptz := moment - interval '2 hours';
  zone CONSTANT text := asked->>'zone';
  of_template CONSTANT text := asked->>'template';
  of_batch CONSTANT text := asked->>'batch';
  of_status CONSTANT text := asked->>'status';
  late_minutes CONSTANT double precision := sms.late_minutes();
  -- How long a delivery took, in steps as pages say it: of a second, a minute, an hour or a day.
  lengths CONSTANT interval[] := ARRAY(SELECT DISTINCT step FROM generate_series(0, 99) AS n CROSS JOIN LATERAL (VALUES (n * interval '1 second'),
    (n * interval '1 minute'), (n * interval '1 hour'), (n * interval '1 day')) AS steps (step) ORDER BY step);
  begins timestamptz; unit text; bars timestamptz[]; times timestamptz[]; latest text[]; batched timestamptz;
BEGIN
  opens := coalesce(opens, least((SELECT sent_at FROM sms.outbox ORDER BY sent_at LIMIT 1),
    (SELECT coalesce(time, "createdAt") AS at FROM sms.inbox WHERE message IS NULL ORDER BY at LIMIT 1), moment - interval '1 hour'));
  begins := least(opens, earlier);
  IF closes IS NULL THEN
    begins := least(begins, day, (SELECT min(sent_at) FROM sms.outbox WHERE status = 'waiting'));
  END IF;
  SELECT b.unit, b.starts INTO unit, bars FROM sms.bars(opens, least(ends, moment), zone) AS b;
  times := ARRAY(SELECT DISTINCT at FROM unnest(bars || ARRAY[begins, opens, earlier, day, recent, moment - late_minutes * interval '1 minute',
    moment - interval '5 minutes']) AS at WHERE at >= begins ORDER BY at);
  -- A workflow that sends to one person at a time makes a batch of each message. A request takes its messages at one time.
  IF of_batch <> '' THEN
    latest := ARRAY[of_batch];
    batched := '-infinity';
  ELSE
    SELECT array_agg(batch ORDER BY at DESC), min(first) INTO latest, batched
    FROM (SELECT batch, max(at) AS at, min(at) AS first FROM (SELECT batch, at FROM sms.known_messages
        WHERE at BETWEEN opens AND ends AND template IS NOT NULL AND batch <> '' AND of_template IN ('', template)
        ORDER BY at DESC LIMIT 10000) AS newest
      GROUP BY batch HAVING count(*) > 1 ORDER BY 2 DESC LIMIT 10) AS batches;
  END IF;
  RETURN (WITH counted AS MATERIALIZED (
    SELECT state, template, batch, report, why, slot, took, count(*) AS n, max(at) AS at, max(report_text) FILTER (WHERE report <> 'DELIVRD') AS report_text,
      sum(segments) AS told, sum(CASE WHEN segments IS NULL THEN coalesce(estimate, 1) END) AS guessed
    FROM (SELECT state, template, CASE WHEN at >= batched AND batch = ANY (latest) THEN batch END AS batch, report, width_bucket(at, times) AS slot, at,
        CASE WHEN status <> 'accepted' THEN json_build_object('reason', reason, 'reason_code', reason_code, 'reason_values', reason_values)::text END AS why,
        report_text, segments, estimate, CASE report WHEN 'DELIVRD' THEN width_bucket(reported_at - at, lengths) END AS took
      FROM sms.known_messages WHERE at BETWEEN begins AND ends) AS placed
    GROUP BY 1, 2, 3, 4, 5, 6, 7),
  cells AS (
    SELECT *, sms.is_shown(of_template, of_batch, of_status, template, coalesce(batch, ''), state, kind, report) AS shows,
      since >= opens OR kind = 'overdue' AND closes IS NULL AS is_here
    FROM (SELECT *, template IS NOT NULL AS is_own, times[slot] AS since, sms.kind_of(state, times[slot], moment, late_minutes) AS kind FROM counted) AS kinds),
  periods AS MATERIALIZED (
    SELECT * FROM (VALUES ('here'), ('before'), ('day'), ('recent')) AS of (period) LEFT JOIN cells ON CASE period
      WHEN 'here' THEN is_here AND shows WHEN 'before' THEN is_here IS NOT TRUE AND since >= earlier AND shows WHEN 'day' THEN since >= day ELSE since >= recent END),
  replies AS MATERIALIZED (SELECT *, coalesce(time, "createdAt") AS at FROM sms.shown_replies(asked, least(opens, earlier), ends)),
  figures AS MATERIALIZED (
    SELECT period, template, batch, grouping(template, batch) AS whole, max(at) AS at, coalesce(sum(n) FILTER (WHERE kind <> 'late'), 0) AS unsent,
      coalesce(sum(n) FILTER (WHERE is_own AND state IN ('delivered', 'failed', 'accepted')), 0) AS sent,
      coalesce(sum(n) FILTER (WHERE state IN ('delivered', 'failed')), 0) AS reported,
      coalesce(sum(n) FILTER (WHERE state = 'delivered'), 0) AS delivered, coalesce(sum(n) FILTER (WHERE state = 'failed'), 0) AS failed,
      coalesce(sum(n) FILTER (WHERE state = 'accepted'), 0) AS missing, coalesce(sum(n) FILTER (WHERE kind = 'late'), 0) AS late,
      coalesce(sum(n) FILTER (WHERE NOT is_own), 0) AS unknown,
      coalesce(sum(coalesce(told, 0) + coalesce(guessed, 0)) FILTER (WHERE state IN ('delivered', 'failed', 'accepted')), 0) AS segments,
      coalesce(sum(guessed) FILTER (WHERE state IN ('delivered', 'failed', 'accepted')), 0) AS estimated,
      max(template) AS of_one
    FROM periods GROUP BY GROUPING SETS ((period), (period, template), (period, batch))),
  quantiles AS (
    SELECT period, date_part('epoch', coalesce(lengths[min(took) FILTER (WHERE upto >= whole * 0.5)], '0')) AS p50,
      date_part('epoch', coalesce(lengths[min(took) FILTER (WHERE upto >= whole * 0.95)], '0')) AS p95
    FROM (SELECT period, took, sum(sum(n)) OVER (PARTITION BY period ORDER BY took) AS upto, sum(sum(n)) OVER (PARTITION BY period) AS whole
      FROM periods WHERE is_own AND took IS NOT NULL GROUP BY 1, 2) AS spread GROUP BY period),
  listed AS (SELECT min(since) AS first, max(at) AS last FROM periods WHERE period = 'here' AND (of_status NOT IN ('', 'failed') OR state = 'failed'))
  SELECT json_build_object(
    'isNow', closes IS NULL, 'unit', replace(unit, '1 ', ''),
    'figures', (SELECT json_object_agg(period, of_period) FROM (SELECT f.*, p50, p95, (SELECT count(*) FROM replies
      WHERE CASE period WHEN 'here' THEN replies.at >= opens WHEN 'before' THEN replies.at < opens END) AS replies
      FROM figures AS f LEFT JOIN quantiles USING (period) WHERE whole = 3) AS of_period),
    'bars', (SELECT json_agg(bar ORDER BY place) FROM (SELECT place, start AS "from", coalesce(sum(n) FILTER (WHERE state = 'delivered'), 0) AS delivered,
        coalesce(sum(n) FILTER (WHERE state = 'failed'), 0) AS failed, coalesce(sum(n) FILTER (WHERE state = 'accepted'), 0) AS missing,
        coalesce(sum(n) FILTER (WHERE kind <> 'late'), 0) AS unsent
      FROM unnest(bars) WITH ORDINALITY AS b (start, place) LEFT JOIN periods ON period = 'here' AND greatest(width_bucket(since, bars), 1) = place
      GROUP BY 1, 2) AS bar),
    'templates', (SELECT json_agg(line) FROM (SELECT * FROM figures WHERE period = 'here' AND whole = 1 AND sent + unsent > 0
      ORDER BY unsent + sent DESC LIMIT 20) AS line),
    'batches', (SELECT json_agg(line) FROM (SELECT * FROM figures WHERE period = 'here' AND whole = 2 AND batch IS NOT NULL ORDER BY at DESC) AS line),
    'reasons', (SELECT json_agg(line) FROM (SELECT report AS status, max(report_text) AS text, sum(n) AS count FROM periods
      WHERE period = 'here' AND state = 'failed' GROUP BY 1 ORDER BY 3 DESC LIMIT 8) AS line),
    'listed', (SELECT json_agg(line) FROM (SELECT CASE WHEN template IS NULL THEN 'i' ELSE 'o' END || id AS row, at, phone_number AS phone, template, batch, state,
        report AS status, report_text AS text, reason, reason_code, reason_values
      FROM sms.known_messages CROSS JOIN LATERAL sms.kind_of(state, at, moment, late_minutes) AS kind
      WHERE at BETWEEN (SELECT first FROM listed) AND (SELECT last FROM listed) AND (at >= opens OR kind = 'overdue') AND (of_status NOT IN ('', 'failed') OR state = 'failed')
        AND sms.is_shown(of_template, of_batch, of_status, template, batch, state, kind, report)
      ORDER BY at DESC LIMIT CASE WHEN of_status IN ('', 'failed') THEN 12 ELSE 20 END) AS line),
    'replies', (SELECT json_agg(line) FROM (SELECT 'i' || id AS row, at, phone_number AS phone, content FROM replies WHERE at >= opens ORDER BY at DESC LIMIT 8) AS line),
    'unsent', (SELECT json_agg(line) FROM (SELECT kind, state, since < moment - late_minutes * interval '1 minute' AS is_old, why::json AS why, sum(n) AS rows FROM periods
      WHERE period = 'here' AND is_own GROUP BY 1, 2, 3, why) AS line),
    'failures', (SELECT json_agg(line) FROM (SELECT template, json_object_agg(period, json_build_object('reported', reported, 'failed', failed)) AS figures
      FROM figures WHERE period IN ('day', 'recent') AND whole = 1 AND template <> '' GROUP BY template HAVING sum(failed) > 0) AS line),
    'thresholds', (SELECT json_agg(json_build_object('name', name, 'value', value)) FROM sms.thresholds),
    'sentPerDay', (SELECT avg(sent) FROM sms.days WHERE days.day < to_char(moment AT TIME ZONE zone, 'YYYY-MM-DD')
      AND days.day >= to_char(moment AT TIME ZONE zone - interval '7 days', 'YYYY-MM-DD')),
    'optOuts', (SELECT count(*) FROM sms.opt_outs WHERE coalesce(NULLIF(since, '')::timestamptz, "createdAt") BETWEEN opens AND ends),
    'balance', (SELECT balance FROM sms.service_lately WHERE what = 'balance' AND coalesce(error, '') = ''),
    'names', (SELECT json_object_agg(record_id, name) FROM sms.templates WHERE kind = 'template'),
    'lastStored', (SELECT "createdAt" FROM sms.inbox ORDER BY id DESC LIMIT 1),
    'isNew', NOT EXISTS (SELECT FROM sms.outbox) AND NOT EXISTS (SELECT FROM sms.inbox) AND NOT EXISTS (SELECT FROM sms.days WHERE sent + delivered + failed + replies > 0)));
END $$;

-- A message or a record, by "o" or "i" and its ID, and the newest 200 of its number, or of all that end with these digits.
CREATE OR REPLACE FUNCTION sms.messages_of(asked json) RETURNS json LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  place CONSTANT bigint := NULLIF(substr(asked->>'row', 2), ''); pattern CONSTANT text := asked->>'pattern';
  found json; numbers text[];
BEGIN
  IF asked->>'row' LIKE 'i%' THEN
    SELECT row_to_json(i) INTO found FROM sms.inbox AS i WHERE id = place;
  ELSE
    SELECT row_to_json(m) INTO found FROM sms.messages AS m WHERE id = place;
  END IF;
  numbers := CASE WHEN pattern LIKE '\%%'
    THEN ARRAY(SELECT phone_number FROM sms.outbox WHERE phone_number LIKE pattern UNION SELECT phone_number FROM sms.inbox WHERE phone_number LIKE pattern)
    ELSE ARRAY[coalesce(NULLIF(pattern, ''), NULLIF(found->>'phone_number', ''))] END;
  RETURN json_build_object('found', found,
    'templates', (SELECT coalesce(json_agg(t), '[]') FROM sms.templates AS t WHERE kind = 'template'
      AND record_id IN (SELECT template FROM sms.outbox WHERE phone_number = ANY (numbers))),
    'sends', (SELECT coalesce(json_agg(m), '[]') FROM (SELECT * FROM sms.messages WHERE phone_number = ANY (numbers) ORDER BY id DESC LIMIT 200) AS m),
    'records', (SELECT coalesce(json_agg(i), '[]') FROM (SELECT * FROM sms.inbox WHERE phone_number = ANY (numbers) ORDER BY id DESC LIMIT 200) AS i));
END $$;

-- The rows of it, the newest 60,000: messages as they were sent, and what came, each as a list of cells.
CREATE OR REPLACE FUNCTION sms.dashboard_file(asked json) RETURNS json LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  opens CONSTANT timestamptz := coalesce((asked->>'start')::timestamptz, '-infinity');
  ends CONSTANT timestamptz := coalesce((asked->>'end')::timestamptz, 'infinity');
  -- What is overdue is in it as long as it has not gone.
  begins CONSTANT timestamptz := least(opens, CASE WHEN ends = 'infinity' THEN (SELECT min(sent_at) FROM sms.outbox WHERE status = 'waiting') END);
  made json;
BEGIN
  WITH shown AS MATERIALIZED (
    SELECT id, template IS NOT NULL AS is_own FROM sms.known_messages CROSS JOIN (SELECT sms.late_minutes() AS minutes) AS late
      CROSS JOIN LATERAL sms.kind_of(state, at, (asked->>'now')::timestamptz, minutes) AS kind
    WHERE at BETWEEN begins AND ends AND (at >= opens OR kind = 'overdue')
      AND sms.is_shown(asked->>'template', asked->>'batch', asked->>'status', template, batch, state, kind, report)
    ORDER BY at DESC LIMIT 60000),
  lines AS (
    SELECT 'send' AS event, sent_at AS at, phone_number, batch_id, template, source, reference, status, coalesce(NULLIF(reason, ''), reason_code) AS said,
      NULL AS content, NULL AS user_data, phone_data, estimate AS segments, text
    FROM sms.outbox WHERE id IN (SELECT id FROM shown WHERE is_own)
    UNION ALL SELECT event, coalesce(time, "createdAt"), phone_number, batch_id, NULL, NULL, NULL, status, status_desc, content, user_data, phone_data, NULLIF(split_count, 0), NULL
    FROM sms.inbox WHERE coalesce(time, "createdAt") BETWEEN opens AND ends AND CASE
      WHEN event = 'reply' THEN id IN (SELECT id FROM sms.shown_replies(asked, opens, ends))
      WHEN message IS NULL THEN event = 'deliveryReport' AND id IN (SELECT id FROM shown WHERE NOT is_own)
      ELSE concat(asked->>'template', asked->>'batch', asked->>'status') = '' OR message IN (SELECT id FROM shown WHERE is_own) END)
  SELECT json_build_object('isCut', count(*) = 60000, 'rows', coalesce(json_agg(json_build_array(event, to_char(at AT TIME ZONE (asked->>'zone'), 'YYYY-MM-DD HH24:MI:SS'), phone_number, batch_id, template, source, reference,
    status, said, content, user_data, phone_data, segments, text)), '[]'))
  INTO made FROM (SELECT * FROM lines ORDER BY at DESC LIMIT 60000) AS newest;
  RETURN made;
END $$;
