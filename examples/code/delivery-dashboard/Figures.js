// Counts what the page shows. A message is known by its batch and its number.
const MOST = 20000;
const HOUR = 3600000;
const asked = $('What was asked').first().json;
const now = Date.parse(asked.now);

// n8n hands over the data of the nodes whose names it finds in this text, and otherwise of all nodes.
const eventRows = $('Events of the window')
  .all()
  .map(({ json }) => json);
const sendRows = $('Sends of the window')
  .all()
  .map(({ json }) => json);
const problems = [...eventRows, ...sendRows].map(({ error }) => error).filter(Boolean);

/** The latest rows, with their time. A row without a time counts when it was stored. */
function latest(rows, column) {
  return rows.slice(0, MOST).map((row) => {
    const at = Date.parse(row[column] ?? '');
    return { ...row, at: Number.isNaN(at) ? Date.parse(row.createdAt ?? '') || now : at };
  });
}

const events = latest(eventRows, 'time');
const allSends = latest(sendRows, 'sent_at');
// When a table has more rows than are read, both are looked at from the same time on. Otherwise the
// sends before it would seem to have no reports.
const cut = { events: eventRows.length > MOST, sends: sendRows.length > MOST };
const oldest = (isCut, rows) =>
  isCut ? rows.reduce((a, { at }) => Math.min(a, at), now) : -Infinity;
const since = Math.max(
  Date.parse(asked.since),
  oldest(cut.events, events),
  oldest(cut.sends, allSends),
);

const keyOf = ({ batch_id, phone_number, id }) =>
  batch_id ? JSON.stringify([batch_id, phone_number]) : id;

// After a crash a row may be there twice, and a message may have several reports: the last one counts.
const reports = new Map();
const replies = new Map();
for (const row of events) {
  if (row.at < since) continue;
  if (row.event === 'deliveryReport') {
    const other = reports.get(keyOf(row));
    if (!other || other.at < row.at) reports.set(keyOf(row), row);
  } else if (row.event === 'reply') {
    replies.set(JSON.stringify([row.phone_number, row.time, row.content, row.batch_id]), row);
  }
}
const sends = new Map();
for (const row of allSends) {
  const isSent = row.phone_number && !['rejected', 'skipped'].includes(row.status);
  // An empty batch joins nothing: the IDs of two tables are no names of the same message.
  if (isSent && row.at >= since) sends.set(row.batch_id ? keyOf(row) : `send ${row.id}`, row);
}

const isDelivered = ({ status }) => status === 'DELIVRD';
const newestFirst = (rows) => [...rows].sort((a, b) => b.at - a.at);

/** Adds a send, and what became of it, to a line of a table. */
function count(line, key, send) {
  const report = reports.get(key);
  line.sent += 1;
  line.at = Math.max(line.at ?? 0, send.at);
  if (report) line.reported += 1;
  else line.missing += 1;
  if (report && isDelivered(report)) line.delivered += 1;
  else if (report) line.failed += 1;
}

function grouped(nameOf, fields) {
  const lines = new Map();
  for (const [key, send] of sends) {
    const name = nameOf(send);
    if (!lines.has(name)) {
      const zero = { sent: 0, reported: 0, delivered: 0, failed: 0, missing: 0 };
      lines.set(name, { ...fields(send), ...zero });
    }
    count(lines.get(name), key, send);
  }
  return [...lines.values()];
}

const templates = grouped(
  ({ template, source }) => JSON.stringify([template, source]),
  ({ template, source }) => ({ template, source }),
).sort((a, b) => b.sent - a.sent);
const batches = grouped(
  ({ batch_id }) => batch_id,
  ({ batch_id, template, source }) => ({ batch: batch_id, template, source }),
)
  // A workflow that sends to one person at a time makes a batch of each message.
  .filter(({ batch, sent }) => batch && sent > 1)
  .sort((a, b) => b.at - a.at);

const templateOf = new Map([...sends.values()].map((row) => [row.batch_id, row.template]));
const failed = [...reports.values()].filter((row) => !isDelivered(row));
const reasons = new Map();
for (const { status, status_desc } of failed) {
  const reason = reasons.get(status) ?? { status, text: status_desc, amount: 0 };
  reasons.set(status, { ...reason, amount: reason.amount + 1 });
}

/** The starts of the bars: at most 32 of them, at full hours or days of the workflow's time zone. */
function starts() {
  const times = [...sends.values(), ...reports.values()].map(({ at }) => at);
  if (times.length === 0) return { unit: 'hour', edges: [] };
  const earliest = times.reduce((a, b) => Math.min(a, b), now);
  const first = asked.window === 'all' ? earliest : since;
  const UNITS = [
    ['5 minutes', HOUR / 12, 'hour', { minutes: 5 }],
    ['hour', HOUR, 'hour', { hours: 1 }],
    ['6 hours', 6 * HOUR, 'day', { hours: 6 }],
    ['day', 24 * HOUR, 'day', { days: 1 }],
    ['week', 168 * HOUR, 'week', { weeks: 1 }],
    ['month', 730 * HOUR, 'month', { months: 1 }],
    ['year', 8760 * HOUR, 'year', { years: 1 }],
  ];
  const fits = ([, length]) => (now - first) / length <= 30;
  const [unit, , round, step] = UNITS.find(fits) ?? UNITS.at(-1);
  const from = DateTime.fromMillis(first, { zone: asked.zone });
  const edges = [];
  for (let edge = from.startOf(round); edge.toMillis() <= now;) {
    const next = edge.plus(step);
    // A day with a change of the clock has 23 or 25 hours. Its quarters still start at 6, 12 and 18.
    const end = unit === '6 hours' ? edge.set({ hour: edge.hour - (edge.hour % 6) + 6 }) : next;
    if (end > from) edges.push(edge.toMillis());
    edge = end;
  }
  return { unit, edges };
}

const { unit, edges } = starts();
const bars = edges.map((from, index) => ({
  from,
  to: edges[index + 1] ?? now,
  sent: 0,
  reported: 0,
  delivered: 0,
  failed: 0,
}));
/** The bar of a time. What is earlier than the first belongs to it, and what is later to the last. */
const barOf = (at) =>
  bars[
    Math.max(
      0,
      edges.findLastIndex((from) => from <= at),
    )
  ];
for (const { at } of sends.values()) barOf(at).sent += 1;
for (const report of reports.values()) {
  const bar = barOf(report.at);
  bar.reported += 1;
  bar[isDelivered(report) ? 'delivered' : 'failed'] += 1;
}

const unreported = [...sends].filter(([key]) => !reports.has(key)).map(([, send]) => send);
const delivered = reports.size - failed.length;
const kinds = [
  ...[...sends.values()].map((row) => ({ ...row, event: 'send' })),
  ...reports.values(),
  ...replies.values(),
];

return [
  {
    json: {
      asked,
      problems: [...new Set(problems)],
      cutAt: cut.events || cut.sends ? since : undefined,
      most: MOST,
      tiles: {
        sent: sends.size,
        reported: reports.size,
        delivered,
        failed: failed.length,
        missing: unreported.length,
        overdue: unreported.filter(({ at }) => now - at > HOUR).length,
        replies: replies.size,
        // Their sends are older than the window, or the sender keeps no rows in sms_sends.
        unknown: [...reports.keys()].filter((key) => !sends.has(key)).length,
        ahead: [...reports.values()].filter(({ at }) => at - now > HOUR / 6).length,
      },
      unit,
      bars,
      templates: templates.slice(0, 12),
      batches: batches.slice(0, 10),
      reasons: [...reasons.values()].sort((a, b) => b.amount - a.amount).slice(0, 8),
      failures: newestFirst(failed)
        .slice(0, 12)
        .map((row) => ({ ...row, template: templateOf.get(row.batch_id) ?? '' })),
      replies: newestFirst(replies.values()).slice(0, 8),
      found: asked.phone ? newestFirst(kinds).slice(0, 200) : [],
    },
  },
];
