// One row of sms_events for each record. Whatever a record holds, it gets its row.
// parsePhoneNumbers: how the SMS node reads phone numbers.

// PostgreSQL refuses the character 0, and with it the whole page.
function text(value) {
  if (value === null || value === undefined) return '';
  const written = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return written.replaceAll('\0', '');
}

// As the number stands on lists. What is not one mobile number stays as it is.
function phoneNumber(value) {
  const written = text(value);
  const { valid, invalid } = parsePhoneNumbers(written, 'mainlandMobile');
  return valid.length === 1 && invalid.length === 0 ? valid[0] : written;
}

// A record without a time, or in a year that not every database knows, gets the time of its arrival.
function time(value) {
  const date = new Date(typeof value === 'string' ? value : NaN);
  const year = date.getUTCFullYear();
  return (year >= 1970 && year <= 9999 ? date : new Date()).toISOString();
}

return $('New reports and replies')
  .all()
  .map(({ json }, item) => ({
    json: {
      event: text(json.event),
      phone_number: phoneNumber(json.phone_number || json.mobile),
      status: text(json.status),
      status_desc: text(json.status_desc),
      // A record that the trigger cannot read has its text under "value" or "answer".
      content: text(json.content ?? json.value ?? json.answer),
      batch_id: text(json.batch_id),
      user_data: text(json.user_data),
      phone_data: text(json.phone_data),
      time: time(json.time_iso),
      run: $execution.id,
      handed_over: false,
    },
    pairedItem: { item },
  }));
