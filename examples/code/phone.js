// parsePhoneNumbers: how the SMS node reads phone numbers.

// A long text takes long to read, and the data tables of n8n have little room.
const MAX_LENGTH = 100;
const lengthOf = (value) =>
  (typeof value === 'object' ? JSON.stringify(value ?? '') : String(value ?? '')).length;

/** The mobile number of a caller's request. Empty when it has none, several, or a long text. */
function phoneIn(value) {
  if (lengthOf(value) > MAX_LENGTH) return '';
  const { valid, invalid } = parsePhoneNumbers(value ?? '', 'mainlandMobile');
  return valid.length === 1 && invalid.length === 0 ? valid[0] : '';
}
