// What the reports say about the rows, as ranges. A report counts only if its number is the row's: it may
// be about a table that was deleted since. The first report of a row counts.
// include row.js
const FINAL = ['delivered', 'failed', 'opted_out'];
const rows = $input
  .all()
  .map(({ json }) => json)
  .filter(({ id }) => id)
  .sort((a, b) => a.id - b.id);
const reports = new Map();
for (const { json } of $('Reports of the campaign').all()) {
  const id = rowOf(json);
  const reported = reports.get(id) ?? [];
  reports.set(id, [...reported, json]);
}

const settled = new Map();
for (const { id, phone_number, status, sent_at } of rows) {
  // A refused row may have been sent all the same, also if it is pending again. Without a time it was not.
  if (FINAL.includes(status) || !sent_at) continue;
  const report = reports.get(id)?.find((each) => each.phone_number === phone_number && each.status);
  if (!report) continue;
  const isDelivered = report.status === 'DELIVRD';
  settled.set(id, {
    status: isDelivered ? 'delivered' : 'failed',
    // Never empty: ten rows without a batch count as refused, and pause the sending.
    batch_id: report.batch_id || 'unknown',
    reason: isDelivered ? '' : String(report.status_desc || report.status).slice(0, 200),
  });
}

// The update leaves final rows alone, so a range may reach over them. The failed ones are settled first,
// and then the ranges of the delivered ones reach over them too. No range reaches over rows that were not
// read.
function rangesOf(wanted, passable) {
  const ranges = [];
  let open;
  let before;
  for (const { id, status } of rows) {
    if (id !== before + 1) open = undefined;
    before = id;
    const outcome = settled.get(id);
    if (outcome?.status === wanted) {
      const fits = open && open.batch_id === outcome.batch_id && open.reason === outcome.reason;
      if (fits) open.to = id;
      else ranges.push((open = { from: id, to: id, ...outcome }));
    } else if (!FINAL.includes(status) && !passable.includes(outcome?.status)) open = undefined;
  }
  return ranges;
}
return [...rangesOf('failed', []), ...rangesOf('delivered', ['failed'])].map((json) => ({ json }));
