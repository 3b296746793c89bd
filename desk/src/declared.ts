/** Written by `npm run templates`, from schema.sql. */
export const VERSION = 6;

export const TABLES = {
  'sms.outbox': {"sent_at":"date","reported_at":"date","segments":"number","estimate":"number","sent_by":"number","status":"string","report":"string","report_text":"string","template":"string","batch_id":"string","reason":"string","reason_code":"string","reason_values":"string","phone_number":"string","phone_data":"string","class":"string","signature":"string","source":"string","reference":"string","key":"string","run":"string","parameters":"string","text":"string"},
  'sms.rules': {"class":"string","check_opt_outs":"boolean","from_hour":"number","to_hour":"number","outside_hours":"string","per_hour":"number","per_day":"number"},
  'sms.thresholds': {"name":"string","value":"number"},
  'sms.templates': {"kind":"string","record_id":"string","name":"string","content":"string"},
  'sms.service': {"what":"string","balance":"number","records":"string","answered":"date","asked":"date","error":"string"},
  'sms.tokens': {"token":"string","page":"string"},
  'sms.questions': {"phone_number":"string","question":"string","answers":"string","asked":"date","execution":"string","resume_url":"string","batch_id":"string","answer":"string","reply":"string"},
  'sms.campaigns': {"campaign":"string","state":"string","missing":"string","template_id":"string","template":"string","content":"string","signature_id":"string","signature":"string","duplicates":"number","tries":"number","until":"date","cause":"string","cause_code":"string","cause_values":"string","portion_size":"number","keep_balance":"number","ticked_at":"date","served_at":"date","loaded_at":"date","file":"string","presses":"string"},
  'sms.recipients': {"campaign":"string","phone_number":"string","parameters":"string","line":"number","segments":"number","blank":"string","status":"string","portion":"string","batch_id":"string","reason":"string","reason_code":"string","reason_values":"string","changed":"date","sent_at":"date","press":"string"},
  'sms.inbox': {"event":"string","phone_number":"string","status":"string","status_desc":"string","content":"string","batch_id":"string","user_data":"string","phone_data":"string","split_count":"number","other":"string","time":"date","run":"string","says":"string","message":"number"},
  'sms.subscribers': {"workflow_id":"string","name":"string","wants":"string","read_to":"number","free_at":"date","since":"date","reason":"string"},
  'sms.opt_outs': {"phone_number":"string","word":"string","since":"string"},
  'sms.days': {"day":"string","sent":"number","accepted":"number","delivered":"number","failed":"number","replies":"number","unreadable":"number","opt_outs":"number"},
  'sms.heartbeats': {"name":"string","workflow_id":"string","minutes":"number"},
} as const;
