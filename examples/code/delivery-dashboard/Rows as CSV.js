// The rows of the window as a file for a spreadsheet, newest first. Numbers are complete here.
const MOST = 20000;
const asked = $('What was asked').first().json;
const events = $('Events of the window')
  .all()
  .map(({ json }) => json);
const sends = $('Sends of the window')
  .all()
  .map(({ json }) => json);
const problem = [...events, ...sends].find(({ error }) => error);
// A file that looks complete and is not would be worse than none.
if (problem) throw new Error(`The rows could not be read: ${problem.error}`);

const isEvent = ({ event }) => event === 'deliveryReport' || event === 'reply';
const rows = [
  ...sends
    .slice(0, MOST)
    .filter(({ phone_number }) => phone_number)
    .map((row) => ({ ...row, event: 'send', time: row.sent_at ?? row.createdAt })),
  ...events
    .slice(0, MOST)
    .filter(isEvent)
    .map((row) => ({ ...row, time: row.time ?? row.createdAt })),
];
rows.sort((a, b) => Date.parse(b.time) - Date.parse(a.time));

const COLUMNS = [
  ...['event', 'time', 'phone_number', 'batch_id', 'template', 'source', 'reference', 'status'],
  ...['status_desc', 'content', 'user_data', 'phone_data'],
];

/**
 * A spreadsheet runs a cell that begins with one of these signs as a formula, and it rounds a long
 * number. A leading quote makes both a text.
 */
function cell(value) {
  const text = String(value ?? '');
  const needsQuote = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]|^\d{16,}$/u.test(text);
  return `"${(needsQuote ? `'${text}` : text).replaceAll('"', '""')}"`;
}

function line(row) {
  const at = DateTime.fromISO(String(row.time ?? ''), { zone: asked.zone });
  const time = at.isValid ? at.toFormat('yyyy-MM-dd HH:mm:ss') : '';
  return COLUMNS.map((column) => cell(column === 'time' ? time : row[column])).join(',');
}

const heads = COLUMNS.map((column) => cell(column === 'time' ? `time (${asked.zone})` : column));
const made = DateTime.fromISO(asked.now, { zone: asked.zone }).toFormat('yyyy-MM-dd-HHmm');
const isCut = events.length > MOST || sends.length > MOST;
const file = ['sms', asked.window, asked.phone, made, isCut && `latest-${MOST}`];

return [
  {
    json: {
      fileName: `${file.filter(Boolean).join('-')}.csv`,
      // Without the mark at its start, a spreadsheet would not read Chinese.
      text: `\uFEFF${[heads.join(','), ...rows.map(line)].join('\r\n')}\r\n`,
    },
  },
];
