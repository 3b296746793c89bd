import { cell } from '../common/text/csv';
import { rowsOf } from '../common/records/days';
import { MOST } from './most';
import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { segmentsOf } from '../common/messages/received';
import { narrowed } from './figures';
import { thresholdsIn } from '../common/messages/thresholds';
import { readRows, templateNames, type Message, type Read } from './rows';
import type { Asked } from './what-was-asked';

const COLUMNS = [
  ...['event', 'time', 'phone_number', 'batch_id', 'template', 'source', 'reference', 'status'],
  ...['status_desc', 'content', 'user_data', 'phone_data', 'segments', 'text'],
];

/** A row with its time, and with its segments: as reported, or about as many as its text has. */
function line(row: Fields, event: unknown, time: unknown): Fields {
  const segments = event === 'send' && row.text ? segmentsOf(String(row.text)) : row.split_count;
  const status_desc = row.status_desc ?? row.reason;
  return { ...row, event, status_desc, time: time || row.createdAt, segments: segments || '' };
}

/**
 * The rows of the window as a file for a spreadsheet. Numbers are complete here. Where a table could not be
 * read, this does not run: a file that looks complete and is not would be worse than none.
 */
export default function rowsAsCsv({
  $,
  DateTime,
}: N8n): Item<{ fileName: string; text: string }>[] {
  const asked = $('What was asked').first<Asked>().json;
  const { zone, window, now, start, end, template, batch, status } = asked;
  const eventItems = $('Inbox records').all();
  const sendItems = $('Messages').all();
  const { idOf } = templateNames(rowsOf($('Names of templates').all()));
  const thresholds = thresholdsIn($('Thresholds').all());
  const packed = $('Only what is counted').first<Read>().json;
  const { messages, replies } = narrowed(
    readRows(packed, { most: MOST, now: Date.parse(now), idOf, thresholds }),
    asked,
  );
  const isNarrowed = template + batch + status !== '';
  const idsOf = ({ send, report, newest }: Message) => newest ?? [[send?.id, report?.id]];
  const ids = messages.flatMap<unknown[]>(idsOf);
  const sendIds = new Set(ids.map(([send]) => send));
  const eventIds = new Set([...ids.map(([, report]) => report), ...replies.map(({ id }) => id)]);
  const kept = (items: Item[], ids: Set<unknown>) =>
    rowsOf(items.slice(0, MOST)).filter(({ id }) => !isNarrowed || ids.has(id));
  const isIn = ({ time }: Fields) => {
    const at = Date.parse(String(time));
    return (
      Number.isNaN(at) || (at >= Date.parse(start) && (asked.to === '' || at <= Date.parse(end)))
    );
  };
  const rows = [
    ...kept(sendItems, sendIds)
      .filter(({ phone_number }) => phone_number)
      .map((row) => line(row, 'send', row.sent_at)),
    ...kept(eventItems, eventIds)
      .filter(({ event }) => event === 'deliveryReport' || event === 'reply')
      .map((row) => line(row, row.event, row.time)),
  ]
    .filter(isIn)
    .sort((a, b) => Date.parse(String(b.time)) - Date.parse(String(a.time)));

  const timeOf = (row: Fields) => {
    const at = DateTime.fromISO(String(row.time ?? ''), { zone });
    return at.isValid ? at.toFormat('yyyy-MM-dd HH:mm:ss') : '';
  };
  const lines = rows.map((row) =>
    COLUMNS.map((column) => cell(column === 'time' ? timeOf(row) : row[column])).join(','),
  );
  const heads = COLUMNS.map((column) => cell(column === 'time' ? `time (${zone})` : column));
  const made = DateTime.fromISO(now, { zone }).toFormat('yyyy-MM-dd-HHmm');
  const isCut = eventItems.length > MOST || sendItems.length > MOST;
  const file = ['sms', window || 'period', made, isCut && `latest-${MOST}`];
  return [
    {
      json: {
        fileName: `${file.filter(Boolean).join('-')}.csv`,
        // Without the mark at its start, a spreadsheet would not read Chinese.
        text: `\uFEFF${[heads.join(','), ...lines].join('\r\n')}\r\n`,
      },
    },
  ];
}
