-- Queries to paste into Grafana or Metabase. Each answers the question above it.

-- How many messages were reported as delivered and as failed, and how many replies came, by hour?
select hour, delivered, failed, replies
from sms_by_hour
where hour > now() - interval '7 days'
order by hour;

-- Which templates fail most?
select template, batches, reports, delivered, failed, round(100 * failure_rate::numeric, 1) as failed_percent
from sms_by_template
order by failure_rate desc;

-- Which statuses came, how often and how lately?
select status, status_desc, reports, last_time
from sms_by_status
order by reports desc;

-- What became of the latest 100 batches?
select batch_id, template, sent_at, reports, delivered, failed, last_time
from sms_by_batch
order by last_time desc nulls last
limit 100;

-- How long does half of the messages take at most, and 95 percent of them, by hour and template?
select hour, template, measured, p50_seconds, p95_seconds
from sms_delivery_time
where hour > now() - interval '7 days'
order by hour, template;

-- How long does it take in the whole of the last 30 days, by template?
select template, count(*) as measured,
  percentile_cont(0.5) within group (order by seconds) as p50_seconds,
  percentile_cont(0.95) within group (order by seconds) as p95_seconds
from sms_reports
where delivered and seconds is not null and time > now() - interval '30 days'
group by template
order by p95_seconds desc;

-- Do more messages fail in the last seven days than in the seven days before?
select reports, failed, failure_rate, rate_of_week_before, change
from sms_failure_rate
where weeks_ago = 0;

-- How did the failure rate go, by seven days?
select now() - weeks_ago * interval '7 days' as until, reports, failed, failure_rate
from sms_failure_rate
order by until;

-- Of which template do more messages fail than in the seven days before?
select template,
  avg((not delivered)::int) filter (where time > now() - interval '7 days') as failure_rate,
  avg((not delivered)::int) filter (where time <= now() - interval '7 days') as rate_of_week_before
from sms_reports
where time > now() - interval '14 days'
group by template
order by template;

-- Which replies came last?
select time, phone_number, content, answers_to, template
from sms_replies
order by time desc nulls last
limit 100;

-- Which numbers failed in the last seven days, and why?
select time, phone_number, status, status_desc, template, batch_id
from sms_reports
where not delivered and time > now() - interval '7 days'
order by time desc
limit 1000;
