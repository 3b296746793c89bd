// The rows that the reports are about, as stretches of at most 1,000 ids: a page of reports needs one or
// a few reads of the table. Ids that are close together are read in one stretch.
// include row.js
const MOST = 1000;
const CLOSE = 100;

const ids = $input
  .all()
  .map(({ json }) => rowOf(json))
  .filter((id) => id > 0)
  .sort((a, b) => a - b);

const stretches = [];
for (const id of ids) {
  const last = stretches.at(-1);
  if (last && id - last.to <= CLOSE && id - last.from < MOST) last.to = id;
  else stretches.push({ from: id, to: id });
}
return stretches.map((json) => ({ json }));
