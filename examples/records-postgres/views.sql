-- Each delivery report and reply, once: two that are equal in every field are one row.
create table if not exists sms_records (
  -- The service gives a record no ID, so this names it by its fields. The page_id is of the trigger.
  key uuid generated always as (md5((record - 'page_id')::text)::uuid) stored primary key,
  event text generated always as (record->>'event') stored,
  batch_id text generated always as (record->>'batch_id') stored,
  phone_number text generated always as (record->>'phone_number') stored,
  status text generated always as (record->>'status') stored,
  -- When it happened. Null where the trigger does not know the moment.
  time timestamptz,
  stored_at timestamptz not null default now(),
  record jsonb not null
);
create index if not exists sms_records_time on sms_records (time);
create index if not exists sms_records_batch on sms_records (batch_id);

-- What the reports do not say: when a batch was sent, and by which template.
create table if not exists sms_sends (
  batch_id text primary key,
  template text,
  sent_at timestamptz not null default now()
);

-- The samples of Fetch Test Event are in the table only.
create or replace view sms_reports as
select r.time, r.batch_id, r.phone_number, r.status, r.record->>'status_desc' as status_desc,
  coalesce(r.status = 'DELIVRD', false) as delivered,
  s.template, s.sent_at,
  -- Reports have whole seconds, so a report may seem to come before its send.
  case when r.time < s.sent_at then 0 else extract(epoch from r.time - s.sent_at) end::float8 as seconds,
  r.stored_at, r.record
from sms_records r left join sms_sends s using (batch_id)
where r.event = 'deliveryReport' and not r.record ? 'sample';

create or replace view sms_replies as
select r.time, r.batch_id, r.phone_number, r.record->>'content' as content,
  r.record->>'sms_content' as answers_to, s.template, r.stored_at, r.record
from sms_records r left join sms_sends s using (batch_id)
where r.event = 'reply' and not r.record ? 'sample';

create or replace view sms_by_hour as
select date_trunc('hour', time) as hour,
  count(*) filter (where event = 'deliveryReport') as reports,
  count(*) filter (where event = 'deliveryReport' and status = 'DELIVRD') as delivered,
  count(*) filter (where event = 'deliveryReport' and status is distinct from 'DELIVRD') as failed,
  count(*) filter (where event = 'reply') as replies
from sms_records
where event in ('deliveryReport', 'reply') and not record ? 'sample'
group by 1;

create or replace view sms_by_template as
select template, count(distinct batch_id) as batches, count(*) as reports,
  count(*) filter (where delivered) as delivered,
  count(*) filter (where not delivered) as failed,
  avg((not delivered)::int)::float8 as failure_rate,
  percentile_cont(0.5) within group (order by seconds) filter (where delivered) as p50_seconds,
  percentile_cont(0.95) within group (order by seconds) filter (where delivered) as p95_seconds
from sms_reports
group by 1;

create or replace view sms_by_status as
select status, max(status_desc) as status_desc, count(*) as reports,
  min(time) as first_time, max(time) as last_time
from sms_reports
group by 1;

create or replace view sms_by_batch as
select batch_id, template, sent_at, count(*) as reports,
  count(*) filter (where delivered) as delivered,
  count(*) filter (where not delivered) as failed,
  avg((not delivered)::int)::float8 as failure_rate,
  max(time) as last_time
from sms_reports
group by 1, 2, 3;

-- Of delivered messages whose send is known.
create or replace view sms_delivery_time as
select date_trunc('hour', time) as hour, template, count(*) as measured,
  percentile_cont(0.5) within group (order by seconds) as p50_seconds,
  percentile_cont(0.95) within group (order by seconds) as p95_seconds
from sms_reports
where delivered and seconds is not null
group by 1, 2;

-- Seven days each, counted back from now: 0 is the last seven days.
create or replace view sms_failure_rate as
with weeks as (
  select floor(extract(epoch from now() - time) / 604800)::int as weeks_ago, count(*) as reports,
    count(*) filter (where not delivered) as failed,
    avg((not delivered)::int)::float8 as failure_rate
  from sms_reports
  where time <= now()
  group by 1
)
select w.weeks_ago, w.reports, w.failed, w.failure_rate,
  b.failure_rate as rate_of_week_before, w.failure_rate - b.failure_rate as change
from weeks w left join weeks b on b.weeks_ago = w.weeks_ago + 1;
