// One list for one statement. An item of the error output has its outcome in "details".
// include clean.js

const claimed = $('Claim a portion').all();
const outcomes = $input.all().map(({ json, pairedItem }) => {
  const outcome = json.details ?? json;
  const item = typeof pairedItem === 'object' ? pairedItem.item : pairedItem;
  return {
    phone_number: outcome.phone_numbers?.[0] ?? claimed[item]?.json.phone_number,
    // Without a clear outcome the message may have been sent.
    status: { accepted: 'accepted', rejected: 'failed' }[outcome.status] ?? 'unknown',
    batch_id: clean(outcome.batch_id),
    reason: clean(outcome.msg ?? json.message).slice(0, 300),
  };
});
return [{ json: { portion: claimed[0].json.portion, outcomes: JSON.stringify(outcomes) } }];
