// Compares what the lists say with what was known. What is in no list is left alone: a list that came
// back empty, or not at all, does not mean that everything was deleted.
const LISTS = [
  ['template', $('List the templates').all()],
  ['signature', $('List the signatures').all()],
];
const keyOf = ({ kind, record_id }) => JSON.stringify([kind, record_id]);
const known = new Map($input.all().map(({ json }) => [keyOf(json), json]));

/** What the numbers of the review mean: "1 = under review, 2 = approved". */
const words = new Map(
  String($('Settings').first().json.review_words ?? '')
    .split(/[,;\n]/)
    .map((pair) => pair.split('=').map((part) => part.trim())),
);
const text = (value) => (value === null || value === undefined ? '' : String(value));
const ENABLED = { true: 'enabled', 1: 'enabled', false: 'disabled', 0: 'disabled' };
const enabledIn = (value) => ENABLED[value] ?? value;
const reviewIn = (value) => words.get(value) || `review status ${value}`;

/** The reason of a refusal, if the service gives one. How the field is called is not documented. */
function reasonOf(record) {
  const isReason = (name) =>
    /reason|reject|refus|(audit|review)_(remark|msg|desc|note)/i.test(name);
  const found = Object.entries(record).filter(
    ([name, value]) => isReason(name) && text(value).trim(),
  );
  return found.map(([name, value]) => `${name}: ${text(value)}`).join('; ');
}

/** One record: changed, quiet (to remember, and nobody has to know) or undefined. */
function compare(kind, record) {
  const now = {
    kind,
    record_id: text(record.id),
    name: text(record.name),
    enabled: text(record.status),
    review: text(record.audit_status),
  };
  const before = known.get(keyOf(now));
  if (!before) return { change: 'quiet', ...now };
  // An answer without the field says nothing. What was known stays.
  now.enabled ||= text(before.enabled);
  now.review ||= text(before.review);
  const news = [
    ['enabled', enabledIn],
    ['review', reviewIn],
  ]
    .filter(([field, say]) => text(before[field]) !== '' && say(before[field]) !== say(now[field]))
    .map(([field, say]) => `${say(before[field])} → ${say(now[field])}`);
  if (news.length > 0) {
    const reason = reasonOf(record);
    const line = `${kind} “${now.name}” (ID ${now.record_id}): ${news.join(', ')}`;
    return { change: 'changed', ...now, line: reason ? `${line}. ${reason}` : line };
  }
  const isSame = ['name', 'enabled', 'review'].every((field) => text(before[field]) === now[field]);
  return isSame ? undefined : { change: 'quiet', ...now };
}

const found = LISTS.flatMap(([kind, items]) => {
  const records = items.map(({ json }) => json);
  const failed = records.find(({ error }) => error);
  if (failed) {
    const reason = text(failed.message ?? failed.error);
    return [{ change: 'problem', line: `The ${kind}s could not be listed: ${reason}` }];
  }
  return records.filter(({ id }) => text(id) !== '').map((record) => compare(kind, record));
});
return found.filter(Boolean).map((json) => ({ json }));
