// One list for one statement. Somebody may have typed a number into the data table by hand.
// parsePhoneNumbers: how the SMS node reads phone numbers.
const numbers = $input
  .all()
  .flatMap(({ json }) => parsePhoneNumbers(json.phone_number, 'mainlandMobile').valid);
return [{ json: { numbers: JSON.stringify([...new Set(numbers)]) } }];
