// parsePhoneNumbers: how the SMS node reads phone numbers.

// One customer is here: "More than one?" gives each an execution of its own.
const customer = $input.first().json;
const { valid, invalid } = parsePhoneNumbers(customer.phone ?? '', 'mainlandMobile');
if (valid.length !== 1 || invalid.length > 0) {
  const found = `${valid.length} and ${invalid.length} other texts`;
  throw new Error(`"phone" must hold one mobile number. It holds ${found}.`);
}
return [
  {
    json: {
      ...customer,
      phone_number: valid[0],
      question: String(customer.question ?? ''),
      answers: String(customer.answers || '1,2'),
    },
    pairedItem: 0,
  },
];
