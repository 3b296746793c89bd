// parsePhoneNumbers: how the SMS node reads phone numbers.

const { phone, code } = $('Code entered').first().json.body ?? {};
const written = typeof phone === 'object' ? JSON.stringify(phone ?? '') : String(phone ?? '');
// A long text takes long to read. Without a phone number, no code is found.
const { valid, invalid } = parsePhoneNumbers(
  written.length > 100 ? '' : (phone ?? ''),
  'mainlandMobile',
);
const phone_number = valid.length === 1 && invalid.length === 0 ? valid[0] : '';
return [
  {
    json: {
      phone_number,
      code: String(code ?? '')
        .normalize('NFKC')
        .trim(),
    },
  },
];
