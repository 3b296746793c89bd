import { MOST } from '../most';
import type { Fields, Item, N8n } from '../n8n';
import type { Asked } from './What was asked';

const COLUMNS = [
  ...['event', 'time', 'phone_number', 'batch_id', 'template', 'source', 'reference', 'status'],
  ...['status_desc', 'content', 'user_data', 'phone_data'],
];

/**
 * A spreadsheet runs a cell that begins with one of these signs as a formula, and it rounds a long
 * number. A leading quote makes both a text.
 */
function cell(value: unknown): string {
  const text = String(value ?? '');
  const needsQuote = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]|^\d{16,}$/u.test(text);
  return `"${(needsQuote ? `'${text}` : text).replaceAll('"', '""')}"`;
}

/** The events and the sends of the window, newest first. */
function sorted(events: Fields[], sends: Fields[]): Fields[] {
  const rows: Fields[] = [
    ...sends
      .slice(0, MOST)
      .filter(({ phone_number }) => phone_number)
      .map((row) => ({ ...row, event: 'send', time: row.sent_at ?? row.createdAt })),
    ...events
      .slice(0, MOST)
      .filter(({ event }) => event === 'deliveryReport' || event === 'reply')
      .map((row) => ({ ...row, time: row.time ?? row.createdAt })),
  ];
  return rows.sort((a, b) => Date.parse(String(b.time)) - Date.parse(String(a.time)));
}

/** The rows of the window as a file for a spreadsheet. Numbers are complete here. */
export default function rowsAsCsv({
  $,
  DateTime,
}: N8n): Item<{ fileName: string; text: string }>[] {
  const { zone, window, phone, now } = $('What was asked').first<Asked>().json;
  const eventItems = $('Events of the window').all();
  const sendItems = $('Sends of the window').all();
  const problem = [...eventItems, ...sendItems].find(({ json }) => json.error);
  // A file that looks complete and is not would be worse than none.
  if (problem) throw new Error(`The rows could not be read: ${String(problem.json.error)}`);

  const timeOf = (row: Fields) => {
    const at = DateTime.fromISO(String(row.time ?? ''), { zone });
    return at.isValid ? at.toFormat('yyyy-MM-dd HH:mm:ss') : '';
  };
  const line = (row: Fields) =>
    COLUMNS.map((column) => cell(column === 'time' ? timeOf(row) : row[column])).join(',');
  const rows = sorted(
    eventItems.map(({ json }) => json),
    sendItems.map(({ json }) => json),
  );
  const heads = COLUMNS.map((column) => cell(column === 'time' ? `time (${zone})` : column));
  const made = DateTime.fromISO(now, { zone }).toFormat('yyyy-MM-dd-HHmm');
  const isCut = eventItems.length > MOST || sendItems.length > MOST;
  const file = ['sms', window, phone, made, isCut && `latest-${MOST}`];
  return [
    {
      json: {
        fileName: `${file.filter(Boolean).join('-')}.csv`,
        // Without the mark at its start, a spreadsheet would not read Chinese.
        text: `\uFEFF${[heads.join(','), ...rows.map(line)].join('\r\n')}\r\n`,
      },
    },
  ];
}
