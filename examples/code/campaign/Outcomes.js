// Neighbouring rows with the same outcome become one range: a few updates settle a portion.
const STATUSES = { accepted: 'accepted', rejected: 'refused', skipped: 'refused' };

// Neighbours in the claimed portion. An opted-out row between two others parts their ranges.
const claimed = $('Claim the portion')
  .all()
  .map(({ json }) => json.id)
  .sort((a, b) => a - b);
const place = new Map(claimed.map((id, index) => [id, index]));
const sent = $('Not opted out?').all();

const outcomes = $input.all().map(({ json, pairedItem }) => {
  const { item = pairedItem } = pairedItem ?? {};
  const id = json.details || json.error ? json.id : sent[item].json.id;
  const { status, batch_id, msg } = json.details ?? json;
  // A status that is none of these proves nothing: the message may have been sent.
  const known = STATUSES[status] ?? 'unknown';
  const reason = known === 'accepted' ? '' : String(msg ?? json.message ?? json.error ?? '');
  return { id, status: known, batch_id: batch_id ?? '', reason: reason.slice(0, 200) };
});

const ranges = [];
for (const { id, ...outcome } of outcomes.sort((a, b) => a.id - b.id)) {
  const last = ranges.at(-1);
  const isNext =
    last !== undefined &&
    place.get(id) === place.get(last.to) + 1 &&
    Object.keys(outcome).every((name) => outcome[name] === last[name]);
  if (isNext) last.to = id;
  else ranges.push({ from: id, to: id, ...outcome });
}
return ranges.map((json) => ({ json }));
