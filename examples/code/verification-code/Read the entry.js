// include phone.js

const { phone, code } = $('Code entered').first().json.body ?? {};
return [
  {
    json: {
      // Without a phone number, no code is found.
      phone_number: phoneIn(phone),
      code: String(code ?? '')
        .normalize('NFKC')
        .trim(),
    },
  },
];
