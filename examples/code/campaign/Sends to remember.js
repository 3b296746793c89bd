// One row for each accepted message. An expression for each field of each row would take seconds.
const { templateId } = $('Send the message').params;
const template = String(templateId.cachedResultName || templateId.value);
const sent = $('Not opted out?').all();
const source = $workflow.name;
const sent_at = $now.toISO();
return $input.all().map(({ json, pairedItem }) => {
  const { item = pairedItem } = pairedItem;
  const { phone_number, order } = sent[item].json;
  const { batch_id, status } = json;
  return { json: { batch_id, phone_number, status, template, source, reference: order, sent_at } };
});
