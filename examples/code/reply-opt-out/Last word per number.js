// The stop or start word of each number. Of several in one call, the latest counts.
// A word is compared without spaces, punctuation, emoji and invisible characters, "ｔｄ。" as "TD".
const plain = (text) =>
  String(text ?? '')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\p{P}\p{S}\p{M}\p{Z}\p{C}]/gu, '');
const words = (list) =>
  new Set(
    String(list ?? '')
      .split(/[,，、]/)
      .map(plain)
      .filter(Boolean),
  );

// In UTC and always as long, so that two of them compare as texts.
function time(value) {
  const date = new Date(value || NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const latest = new Map();
for (const { json } of $input.all()) {
  const word = plain(json.content);
  const opted_out = words(json.stop_words).has(word);
  if (json.event !== 'reply' || !json.phone_number) continue;
  if (!opted_out && !words(json.start_words).has(word)) continue;
  const since = time(json.time) ?? time(json.createdAt) ?? new Date().toISOString();
  const before = latest.get(json.phone_number);
  if (before && before.since > since) continue;
  latest.set(json.phone_number, {
    phone_number: json.phone_number,
    word: json.content,
    since,
    opted_out,
  });
}
return [...latest.values()].map((json) => ({ json }));
