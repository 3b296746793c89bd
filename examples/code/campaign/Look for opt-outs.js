// A set finds a number at once. A Merge node compares each row with each opt-out. A number that was typed
// or imported may have any spelling.
// parsePhoneNumbers: how the SMS node reads phone numbers.
const numbersIn = (value) => parsePhoneNumbers(value, 'mainlandMobile').valid;
const list = $('Who opted out').all();
const optedOut = new Set(numbersIn(list.map(({ json }) => json.phone_number)));
return $input.all().map(({ json }) => {
  const opted_out = numbersIn(json.phone_number).some((number) => optedOut.has(number));
  return { json: { ...json, opted_out } };
});
