-- The tables of the SMS desk, as the views of views.sql read them.
create or replace view sms_records as
select event, batch_id, phone_number, status, time, "createdAt" as stored_at,
  jsonb_build_object('status_desc', status_desc, 'content', content) as record
from sms.inbox where other = '';

create or replace view sms_sends as
select distinct on (batch_id) batch_id, template, sent_at
from sms.outbox where batch_id <> '' order by batch_id, id;
