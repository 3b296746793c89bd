-- The tables of the desk, and what it lets PostgreSQL promise: the schema sms. `npm run desk` runs this file, by the
-- workflow "SMS · Schema". Without it: psql -1 -v ON_ERROR_STOP=1 -f desk/schema.sql
--
-- Run again, it changes nothing. Tables change by numbered steps, functions and views are made anew. Functions name the
-- schema of all that they call: a dump restores without a search path.

SET LOCAL lock_timeout = '20s';
SELECT FROM pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('schema')) AS turn WHERE turn IS NULL;

DO $$ BEGIN
  IF current_setting('server_version_num')::integer < 130000 THEN
    RAISE 'The SMS desk needs PostgreSQL 13 or later. This is %.', current_setting('server_version');
  END IF;
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE 'The SMS desk needs a database in UTF8. This one is in %.', current_setting('server_encoding');
  END IF;
END $$;

CREATE SCHEMA IF NOT EXISTS sms;
CREATE TABLE IF NOT EXISTS sms.versions (version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT clock_timestamp());

DO $$ DECLARE own CONSTANT integer := 2; there integer := max(version) FROM sms.versions; BEGIN
  IF there > own THEN
    RAISE 'The tables of the desk are of version %, and this is version %. Use the newer desk.', there, own;
  END IF;
END $$;

-- Functions. They come before what they name.
SET LOCAL check_function_bodies = off;

-- Whom we spare is read generously: a row that is typed by hand or imported counts as a reply does. The 11 digits of a
-- text that is one mobile number of the mainland, however it is written; otherwise nothing.
CREATE OR REPLACE FUNCTION sms.spared_phone(given text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT substring(regexp_replace(normalize(given, NFKC), '[^0-9]', '', 'g') FROM '^(?:0086|86)?(1[3-9][0-9]{9})$')
$$;

-- What is read as no mobile number stays as it came, as that of a reply does: it may be of another country. A time
-- becomes one in ISO 8601, or empty if it is none: a start word takes off whoever is on the list without a time.
CREATE OR REPLACE FUNCTION sms.spare() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  NEW.phone_number := coalesce(sms.spared_phone(NEW.phone_number), NEW.phone_number);
  BEGIN
    NEW.since := coalesce(to_char(NULLIF(NEW.since, '')::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '');
  EXCEPTION WHEN data_exception THEN NEW.since := '';
  END;
  RETURN NEW;
END $$;

-- The numbers of a list, a text each, and which comes first of those that are the same. An empty text is none.
CREATE OR REPLACE FUNCTION sms.numbers_in(numbers json) RETURNS TABLE (line integer, given text, phone text, listed text, is_first boolean)
LANGUAGE sql STABLE AS $$
  SELECT line, given, phone, coalesce(phone, given), row_number() OVER (PARTITION BY coalesce(phone, given) ORDER BY line) = 1
  FROM (SELECT place::integer AS line, each AS given, sms.spared_phone(each) AS phone
    FROM json_array_elements_text(numbers) WITH ORDINALITY AS all_of_them(each, place) WHERE each <> '') AS list
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
  FROM list LEFT JOIN added ON phone_number = listed ORDER BY line
$$;

-- Takes them off.
CREATE OR REPLACE FUNCTION sms.remove_opt_outs(numbers json) RETURNS TABLE (line integer, given text, phone text, done text)
LANGUAGE sql AS $$
  WITH list AS MATERIALIZED (SELECT * FROM sms.numbers_in(numbers)),
  removed AS (DELETE FROM sms.opt_outs WHERE phone_number IN (SELECT listed FROM list) RETURNING phone_number)
  SELECT line, given, phone, CASE WHEN is_first AND removed.phone_number IS NOT NULL THEN 'removed' ELSE 'not there' END
  FROM list LEFT JOIN removed ON phone_number = listed ORDER BY line
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

-- The state of a message, of a row of sms.outbox or sms.recipients: for all pages, mails and boards.
CREATE OR REPLACE FUNCTION sms.state_of(status text, reason_code text, sent_at timestamptz, report text, sent_by integer, phone_data text)
RETURNS text LANGUAGE sql STABLE AS $$ SELECT CASE
  WHEN report = 'DELIVRD' THEN 'delivered'
  WHEN report IS NOT NULL THEN 'failed'
  WHEN sent_by IS NOT NULL THEN 'replaced' -- another row has what became of it
  WHEN status IN ('claimed', 'sending') AND sent_at >= clock_timestamp() - interval '10 minutes' THEN 'sending'
  WHEN status = 'refused' AND reason_code = 'opted_out' THEN 'opted_out'
  WHEN status = 'refused' AND reason_code = 'key_used' THEN 'duplicate'
  -- Its campaign sends it later.
  WHEN status = 'refused' AND reason_code IN ('hours', 'days_limit') AND phone_data LIKE 'sms_recipients:%' THEN 'pending'
  WHEN status IN ('accepted', 'delivered', 'failed', 'refused', 'rejected', 'opted_out', 'invalid', 'waiting', 'pending', 'duplicate') THEN status
  ELSE 'unknown'
END $$;

-- A delivery report is written into its message, before it is stored itself: the latest one by its time counts. It proves
-- that the service has taken the message, of which perhaps nobody knew, and names the batch. The message is that of its
-- number and batch; or, without a known batch, the only one of its number to which the send gave this phone_data. All that
-- may become it are locked: what a send is just writing is seen, or sees the report.
CREATE OR REPLACE FUNCTION sms.report() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told CONSTANT timestamptz := coalesce(NEW.time, NEW."createdAt");
BEGIN
  WITH candidates AS (
    SELECT id, batch_id <> '' AND batch_id = NEW.batch_id AS is_its_batch,
      status IN ('claimed', 'unknown') AND coalesce(batch_id, '') = '' AND NEW.batch_id <> ''
        AND coalesce(NULLIF(phone_data, ''), 'sms_outbox:' || id) = NEW.phone_data AS is_its_data
    FROM sms.outbox WHERE phone_number = NEW.phone_number AND phone_number <> '' AND (batch_id = NEW.batch_id OR status IN ('claimed', 'unknown'))
    ORDER BY id FOR UPDATE
  )
  SELECT coalesce(min(id) FILTER (WHERE is_its_batch),
    CASE count(*) FILTER (WHERE is_its_data) WHEN 1 THEN min(id) FILTER (WHERE is_its_data) END)
  INTO NEW.message FROM candidates;
  UPDATE sms.outbox SET report = coalesce(NEW.status, ''), report_text = NEW.status_desc, reported_at = told,
    batch_id = NEW.batch_id, segments = NULLIF(NEW.split_count, 0)
  WHERE id = NEW.message AND coalesce(reported_at <= told, true);
  RETURN NEW;
END $$;

-- The recipients of campaigns that reports are about, by their messages, or by what the send gave along.
CREATE OR REPLACE FUNCTION sms.report_recipients() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE sms.recipients AS r SET status = CASE told.status WHEN 'DELIVRD' THEN 'delivered' ELSE 'failed' END,
    reason = CASE told.status WHEN 'DELIVRD' THEN '' ELSE left(coalesce(NULLIF(told.status_desc, ''), told.status), 200) END,
    reason_code = NULL, reason_values = NULL, batch_id = told.batch_id, changed = clock_timestamp()
  FROM (SELECT DISTINCT ON (1) substring(coalesce(m.phone_data, records.phone_data) FROM '^sms_recipients:([0-9]{1,9})$')::integer AS id,
      records.*, m.id IS NULL OR m.reported_at = coalesce(records.time, records."createdAt") AS is_latest
    FROM records LEFT JOIN sms.outbox AS m ON m.id = records.message
    WHERE event = 'deliveryReport' AND records.status <> '' ORDER BY 1, records.time DESC) AS told(recipient)
  WHERE r.id = told.recipient AND r.phone_number = told.phone_number AND r.sent_at IS NOT NULL AND r.status <> 'opted_out'
    AND told.is_latest AND (told.message IS NOT NULL OR r.status NOT IN ('delivered', 'failed'));
  RETURN NULL;
END $$;

-- What a report has proved, the end of a send does not take back. A batch that becomes known may have its report already.
CREATE OR REPLACE FUNCTION sms.settle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF coalesce(NEW.batch_id, '') NOT IN ('', coalesce(OLD.batch_id, '')) AND NEW.report IS NULL THEN
    SELECT coalesce(status, ''), status_desc, coalesce(time, "createdAt"), NULLIF(split_count, 0)
    INTO NEW.report, NEW.report_text, NEW.reported_at, NEW.segments
    FROM sms.inbox WHERE event = 'deliveryReport' AND batch_id = NEW.batch_id AND phone_number = NEW.phone_number
    ORDER BY coalesce(time, "createdAt") DESC, id DESC LIMIT 1;
    IF FOUND THEN
      UPDATE sms.inbox SET message = NEW.id
      WHERE event = 'deliveryReport' AND batch_id = NEW.batch_id AND phone_number = NEW.phone_number;
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

-- Step 1: the tables. Text is compared byte by byte, in every database alike. Those of a desk before versions come
-- along: their names had sms_ in place of the schema.

DO $step$ DECLARE each record; BEGIN
IF EXISTS (SELECT FROM sms.versions WHERE version = 1) THEN RETURN; END IF;

IF to_regclass('sms_opt_outs') IS NOT NULL THEN
  DROP TABLE IF EXISTS sms_counts;
  DROP FUNCTION IF EXISTS sms_count() CASCADE;
  DROP FUNCTION IF EXISTS sms_spare() CASCADE;
  FOR each IN SELECT name FROM unnest('{outbox,rules,thresholds,templates,service,tokens,questions,campaigns,recipients,
    resends,inbox,subscribers,opt_outs,days}'::text[]) AS name WHERE to_regclass('sms_' || name) IS NOT NULL
  LOOP
    EXECUTE format('ALTER TABLE %I SET SCHEMA sms', 'sms_' || each.name);
  END LOOP;
  FOR each IN SELECT relname FROM pg_class WHERE relnamespace = 'sms'::regnamespace AND relname LIKE 'sms\_%'
  LOOP
    EXECUTE format('ALTER TABLE sms.%I RENAME TO %I', each.relname, substr(each.relname, 5));
  END LOOP;
END IF;

CREATE TABLE IF NOT EXISTS sms.outbox (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  phone_number text COLLATE "C", class text COLLATE "C", status text COLLATE "C", reason text COLLATE "C",
  batch_id text COLLATE "C", template text COLLATE "C", signature text COLLATE "C",
  text text COLLATE "C", -- as the customer gets it, for people to read: what is sent is made from the parameters
  parameters text COLLATE "C", -- of the template, or the text as "content", as JSON
  source text COLLATE "C", reference text COLLATE "C", key text COLLATE "C", phone_data text COLLATE "C",
  run text COLLATE "C", -- the execution, and the message in it: all rows of one message have the same
  sent_at timestamptz(3), "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS outbox_phone_number ON sms.outbox USING hash (phone_number);
CREATE INDEX IF NOT EXISTS outbox_key ON sms.outbox USING hash (key);
CREATE INDEX IF NOT EXISTS outbox_status_sent_at ON sms.outbox (status, sent_at);
CREATE INDEX IF NOT EXISTS outbox_createdat ON sms.outbox ("createdAt");
CREATE INDEX IF NOT EXISTS outbox_sent_at ON sms.outbox (sent_at) WHERE status IS DISTINCT FROM 'accepted';

-- What holds for each class of messages.
CREATE TABLE IF NOT EXISTS sms.rules (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  class text COLLATE "C", check_opt_outs boolean, from_hour double precision, to_hour double precision,
  outside_hours text COLLATE "C", per_hour double precision, per_day double precision,
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX IF NOT EXISTS rules_class ON sms.rules (class);
INSERT INTO sms.rules (class, check_opt_outs, from_hour, to_hour, outside_hours, per_hour, per_day) VALUES
  ('code', false, 0, 24, 'refuse', 5, 10),
  ('alarm', false, 0, 24, 'refuse', 20, 100),
  ('notice', true, 8, 21, 'wait', 5, 20),
  ('marketing', true, 9, 20, 'refuse', 1, 2),
  ('all', false, 0, 24, 'refuse', 0, 10000), -- per_day: of all messages
  ('reserved', false, 0, 24, 'refuse', 0, 1000) -- per_day: what of that is kept for codes and alarms
ON CONFLICT DO NOTHING;

-- From when on pages and watchdog say that something is wrong: what is not as it comes.
CREATE TABLE IF NOT EXISTS sms.thresholds (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  name text COLLATE "C", value double precision, "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX IF NOT EXISTS thresholds_name ON sms.thresholds (name);

-- Templates and signatures, by their IDs.
CREATE TABLE IF NOT EXISTS sms.templates (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  kind text COLLATE "C", record_id text COLLATE "C", name text COLLATE "C", content text COLLATE "C",
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX IF NOT EXISTS templates_kind_record_id ON sms.templates (kind, record_id);

-- What the service said last, for pages: of the balance, the templates and the signatures.
CREATE TABLE IF NOT EXISTS sms.service (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  what text COLLATE "C", balance double precision,
  records text COLLATE "C", -- the templates or signatures, as JSON
  answered timestamptz(3),
  asked timestamptz(3), -- last, and why it has not answered then
  error text COLLATE "C", "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX IF NOT EXISTS service_what ON sms.service (what);

CREATE TABLE IF NOT EXISTS sms.tokens (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  token text COLLATE "C", page text COLLATE "C", "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE IF NOT EXISTS sms.questions (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  phone_number text COLLATE "C", question text COLLATE "C", answers text COLLATE "C", asked timestamptz(3),
  execution text COLLATE "C", resume_url text COLLATE "C", batch_id text COLLATE "C", answer text COLLATE "C",
  reply text COLLATE "C", "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS questions_phone_number ON sms.questions USING hash (phone_number);
CREATE INDEX IF NOT EXISTS questions_reply ON sms.questions USING hash (reply);

CREATE TABLE IF NOT EXISTS sms.campaigns (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  campaign text COLLATE "C",
  state text COLLATE "C", -- without one, its recipients are being loaded
  missing text COLLATE "C", -- the parameters of the template that have no column
  template_id text COLLATE "C", template text COLLATE "C", content text COLLATE "C", signature_id text COLLATE "C",
  signature text COLLATE "C",
  duplicates double precision, -- how many recipients came more than once
  tries double precision, -- the portions in a row without an accepted message, until when they are a pause, and why
  until timestamptz(3), cause text COLLATE "C",
  portion_size double precision, -- what the settings of the send said at its last look, and when that was
  keep_balance double precision, ticked_at timestamptz(3),
  served_at timestamptz(3), -- when it had its latest turn
  loaded_at timestamptz(3), -- when the latest list began to be loaded, or had its rows in the table
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX IF NOT EXISTS campaigns_campaign ON sms.campaigns (campaign);

-- A campaign has a number once, and what is none ("invalid") once for each set of other columns.
CREATE TABLE IF NOT EXISTS sms.recipients (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  campaign text COLLATE "C", phone_number text COLLATE "C",
  parameters text COLLATE "C", -- the other columns, as JSON
  line double precision, -- in the file or the list
  segments double precision, -- of its text, and the parameters that it has nothing for, a line each
  blank text COLLATE "C", status text COLLATE "C", portion text COLLATE "C", batch_id text COLLATE "C",
  reason text COLLATE "C", changed timestamptz(3), sent_at timestamptz(3),
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS recipients_campaign_id ON sms.recipients (campaign, id);
CREATE INDEX IF NOT EXISTS recipients_campaign_status_id ON sms.recipients (campaign, status, id);
CREATE INDEX IF NOT EXISTS recipients_status_changed ON sms.recipients (status, changed);
CREATE UNIQUE INDEX IF NOT EXISTS recipients_campaign_phone_number ON sms.recipients
  (campaign, phone_number, (CASE status WHEN 'invalid' THEN md5(parameters) ELSE '' END));

-- How many recipients of a campaign are alike. Only rows are added, so nobody waits for another.
CREATE TABLE sms.counts (
  campaign text COLLATE "C", status text COLLATE "C", reason text COLLATE "C", taken boolean,
  sent_at timestamptz, -- to the minute
  segments double precision, blank text COLLATE "C", rows integer, changed timestamptz(3), row_id integer
);
CREATE INDEX counts_campaign ON sms.counts (campaign);

-- A person has sent a recipient again whose outcome is unknown. The press is the token of the page.
CREATE TABLE IF NOT EXISTS sms.resends (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  recipient double precision, phone_number text COLLATE "C", press text COLLATE "C",
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS resends_recipient ON sms.resends (recipient);

-- Delivery reports and replies.
CREATE TABLE IF NOT EXISTS sms.inbox (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  event text COLLATE "C", phone_number text COLLATE "C", status text COLLATE "C", status_desc text COLLATE "C",
  content text COLLATE "C", batch_id text COLLATE "C", user_data text COLLATE "C", phone_data text COLLATE "C",
  split_count double precision, other text COLLATE "C", time timestamptz(3), run text COLLATE "C",
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS inbox_run ON sms.inbox USING hash (run);
CREATE INDEX IF NOT EXISTS inbox_phone_number ON sms.inbox USING hash (phone_number);
CREATE INDEX IF NOT EXISTS inbox_batch_id ON sms.inbox USING hash (batch_id);
CREATE INDEX IF NOT EXISTS inbox_event_id ON sms.inbox (event, id);

CREATE TABLE IF NOT EXISTS sms.subscribers (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  workflow_id text COLLATE "C", name text COLLATE "C", wants text COLLATE "C",
  read_to double precision, -- the last row that it has taken. Without one, it is new
  free_at timestamptz(3), since timestamptz(3), reason text COLLATE "C",
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX IF NOT EXISTS subscribers_workflow_id ON sms.subscribers (workflow_id);

CREATE TABLE IF NOT EXISTS sms.opt_outs (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  phone_number text COLLATE "C", word text COLLATE "C", since text COLLATE "C",
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX IF NOT EXISTS opt_outs_phone_number ON sms.opt_outs (phone_number);

-- The last three columns say how far each table is counted.
CREATE TABLE IF NOT EXISTS sms.days (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  day text COLLATE "C", sent double precision, accepted double precision, delivered double precision,
  failed double precision, replies double precision, opt_outs double precision, inbox_id double precision,
  outbox_id double precision, opt_outs_id double precision,
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX IF NOT EXISTS days_day ON sms.days (day);

-- What a reply says by the words of the inbox, if nothing else: stop or start.
ALTER TABLE sms.inbox ADD COLUMN IF NOT EXISTS says text COLLATE "C";

-- When each workflow with a schedule ran last: "updatedAt". It runs every so many minutes.
CREATE TABLE IF NOT EXISTS sms.heartbeats (
  id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  name text COLLATE "C", workflow_id text COLLATE "C", minutes double precision,
  "createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  "updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX IF NOT EXISTS heartbeats_name ON sms.heartbeats (name);

-- The name of the latest file.
ALTER TABLE sms.campaigns ADD COLUMN IF NOT EXISTS file text COLLATE "C";

CREATE TRIGGER spare BEFORE INSERT OR UPDATE ON sms.opt_outs FOR EACH ROW EXECUTE FUNCTION sms.spare();
CREATE TRIGGER count_insert AFTER INSERT ON sms.recipients REFERENCING NEW TABLE AS here
  FOR EACH STATEMENT EXECUTE FUNCTION sms.count();
CREATE TRIGGER count_update AFTER UPDATE ON sms.recipients REFERENCING OLD TABLE AS gone NEW TABLE AS here
  FOR EACH STATEMENT EXECUTE FUNCTION sms.count();
CREATE TRIGGER count_delete AFTER DELETE ON sms.recipients REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION sms.count();
CREATE TRIGGER count_truncate AFTER TRUNCATE ON sms.recipients FOR EACH STATEMENT EXECUTE FUNCTION sms.count();

-- Of two spellings of a number, the older row stays.
DELETE FROM sms.opt_outs AS later USING sms.opt_outs AS older
WHERE older.id < later.id AND sms.spared_phone(older.phone_number) = sms.spared_phone(later.phone_number);
UPDATE sms.opt_outs SET phone_number = phone_number;
INSERT INTO sms.counts SELECT campaign, status, coalesce(reason, ''), coalesce(batch_id, '') <> '',
  date_trunc('minute', sent_at), segments, coalesce(blank, ''), count(*), max(changed), min(id)
FROM sms.recipients GROUP BY 1, 2, 3, 4, 5, 6, 7;

INSERT INTO sms.versions (version) VALUES (1);
END $step$;

-- Step 2: a message's row says what became of it.

DO $step$ BEGIN
IF EXISTS (SELECT FROM sms.versions WHERE version = 2) THEN RETURN; END IF;

ALTER TABLE sms.outbox
  ADD COLUMN reason_code text COLLATE "C", -- of a reason of the desk, with its values as JSON: pages say it in their language
  ADD COLUMN reason_values text COLLATE "C",
  ADD COLUMN report text COLLATE "C", -- the status of its latest delivery report, and what that says
  ADD COLUMN report_text text COLLATE "C",
  ADD COLUMN reported_at timestamptz(3),
  ADD COLUMN segments double precision, -- by the report
  ADD COLUMN sent_by integer; -- the row that stands for it now
ALTER TABLE sms.recipients ADD COLUMN reason_code text COLLATE "C", ADD COLUMN reason_values text COLLATE "C";
ALTER TABLE sms.counts ADD COLUMN reason_code text COLLATE "C", ADD COLUMN reason_values text COLLATE "C";
ALTER TABLE sms.campaigns ADD COLUMN cause_code text COLLATE "C", ADD COLUMN cause_values text COLLATE "C";
ALTER TABLE sms.inbox ADD COLUMN message integer; -- the row of sms.outbox that a report is about

CREATE TRIGGER report BEFORE INSERT ON sms.inbox FOR EACH ROW WHEN (NEW.event = 'deliveryReport')
  EXECUTE FUNCTION sms.report();
CREATE TRIGGER report_recipients AFTER INSERT ON sms.inbox REFERENCING NEW TABLE AS records
  FOR EACH STATEMENT EXECUTE FUNCTION sms.report_recipients();
CREATE TRIGGER settle BEFORE UPDATE ON sms.outbox FOR EACH ROW EXECUTE FUNCTION sms.settle();
CREATE TRIGGER replace AFTER UPDATE ON sms.outbox FOR EACH ROW
  WHEN (OLD.status = 'claimed' AND NEW.status <> 'claimed' AND NEW.reason_code IS DISTINCT FROM 'key_used')
  EXECUTE FUNCTION sms.replace();

-- What reports said before.
UPDATE sms.outbox AS m SET report = told.status, report_text = told.status_desc, reported_at = told.time, segments = NULLIF(told.split_count, 0)
FROM (SELECT DISTINCT ON (batch_id, phone_number) batch_id, phone_number, coalesce(status, '') AS status, status_desc, time, split_count
  FROM sms.inbox WHERE event = 'deliveryReport' AND batch_id <> '' ORDER BY batch_id, phone_number, time DESC, id DESC) AS told
WHERE m.batch_id = told.batch_id AND m.phone_number = told.phone_number;
UPDATE sms.inbox AS r SET message = m.id FROM sms.outbox AS m
WHERE r.event = 'deliveryReport' AND m.batch_id <> '' AND m.batch_id = r.batch_id AND m.phone_number = r.phone_number;
-- The inbox wrote its reports for it, and does it itself now.
DELETE FROM sms.subscribers WHERE name = 'SMS · Campaign: send';

INSERT INTO sms.versions (version) VALUES (2);
END $step$;

-- What pages read. The columns of a view are those of its table, and its state.
DROP VIEW IF EXISTS sms.messages;
CREATE VIEW sms.messages AS SELECT m.*, sms.state_of(status, reason_code, coalesce(sent_at, "createdAt"), report, sent_by, phone_data) AS state
FROM sms.outbox AS m;

-- What boards and reports may build on. A column never goes, is never renamed, and keeps its meaning; new ones come
-- behind. No texts, no parameters, and of a number the last four digits. They read tables and `state_of` only: what is
-- dropped and made anew cannot carry them.
CREATE OR REPLACE VIEW sms.public_messages AS SELECT id,
  coalesce(sent_at, "createdAt") AS sent_at, -- of one that waits: when it goes
  class, sms.state_of(status, reason_code, coalesce(sent_at, "createdAt"), report, sent_by, phone_data) AS state,
  reason_code, -- of what the desk has refused
  template, signature, batch_id, source, right(phone_number, 4) AS last_four,
  report, reported_at, -- the status of the latest report, and its time
  extract(epoch FROM reported_at - sent_at)::double precision AS seconds, -- from the send to that report
  segments -- by the report
FROM sms.outbox;

CREATE OR REPLACE VIEW sms.public_replies AS SELECT id, coalesce(time, "createdAt") AS received_at, right(phone_number, 4) AS last_four,
  NULLIF(says, '') AS says, -- stop or start, or nothing
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
