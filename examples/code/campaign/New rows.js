// One row for each phone number that the campaign does not have yet. What is no phone number becomes a
// failed row, so nothing is lost. A Merge node would compare each number with each row: minutes.
// parsePhoneNumbers: how the SMS node reads phone numbers.
const { campaign, recipients } = $('Recipients').first().json;
if (typeof campaign !== 'string' || campaign.trim() === '') {
  throw new Error(
    'The request has no "campaign": the name that is in the settings of the send too.',
  );
}
if (!Array.isArray(recipients)) throw new Error('The request has no list of "recipients".');

const changed = new Date().toISOString();
const text = (value) => String(value ?? '');
const row = (recipient, phone_number, status, reason) => ({
  json: {
    campaign,
    phone_number,
    name: text(recipient.name),
    order: text(recipient.order),
    date: text(recipient.date),
    status,
    portion: '',
    batch_id: '',
    reason,
    changed,
    sent_at: null,
  },
});

const known = new Set($input.all().map(({ json }) => json.phone_number));
return recipients.flatMap((each) => {
  const recipient = each ?? {};
  const { valid, invalid } = parsePhoneNumbers(recipient.phone, 'mainlandMobile');
  if (valid.length + invalid.length === 0) invalid.push('');
  const fresh = valid.filter((number) => !known.has(number) && known.add(number));
  return [
    ...fresh.map((number) => row(recipient, number, 'pending', '')),
    ...invalid.map((number) => row(recipient, number, 'failed', 'Not a phone number')),
  ];
});
