import { cell } from '../common/text/format';
import type { N8n } from '../../../builder/code/n8n';
import type { Asked } from './what-was-asked';

const COLUMNS = [
  ...['event', 'time', 'phone_number', 'batch_id', 'template', 'source', 'reference', 'status'],
  ...['status_desc', 'content', 'user_data', 'phone_data', 'segments', 'text'],
];

/** What `sms.dashboard_file` gives. It is cut if there are more rows. */
interface Read {
  rows: unknown[][];
  isCut: boolean;
}

/** The rows of the window as a file for a spreadsheet. Numbers are complete here. */
export default function rowsAsCsv({ $, DateTime }: N8n): { fileName: string; text: string } {
  const { zone, window, now } = $('What was asked').first<Asked>().json;
  const { rows, isCut } = $('Count them').first<{ shown: Read }>().json.shown;
  const heads = COLUMNS.map((column) => (column === 'time' ? `time (${zone})` : column));
  const lines = [heads, ...rows].map((row) => row.map(cell).join(','));
  const made = DateTime.fromISO(now, { zone }).toFormat('yyyy-MM-dd-HHmm');
  const file = ['sms', window || 'period', made, isCut && `latest-${rows.length}`];
  return {
    fileName: `${file.filter(Boolean).join('-')}.csv`,
    // Without the mark at its start, a spreadsheet would not read Chinese.
    text: `\uFEFF${lines.join('\r\n')}\r\n`,
  };
}
