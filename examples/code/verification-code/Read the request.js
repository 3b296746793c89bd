// parsePhoneNumbers: how the SMS node reads phone numbers.

const { phone, caller } = $('Code wanted').first().json.body ?? {};
const written = typeof phone === 'object' ? JSON.stringify(phone ?? '') : String(phone ?? '');
// A long text takes long to read, and the data tables of n8n have little room.
const MAX_LENGTH = 100;
const isLong = written.length > MAX_LENGTH;
const { valid, invalid } = parsePhoneNumbers(isLong ? '' : (phone ?? ''), 'mainlandMobile');
const request = {
  phone_number: valid[0] ?? '',
  // n8n allows no "caller" in expressions.
  asked_by: String(caller ?? '')
    .trim()
    .toLowerCase(),
  at: Date.now(),
};
let reason = '';
if (isLong) reason = `phone is longer than ${MAX_LENGTH} characters.`;
else if (valid.length !== 1 || invalid.length > 0) reason = 'phone must hold one mobile number.';
else if (!request.asked_by) reason = 'caller is missing: who asks, such as an IP address.';
else if (request.asked_by.length > MAX_LENGTH)
  reason = `caller is longer than ${MAX_LENGTH} characters.`;
return [{ json: { ...request, reason } }];
