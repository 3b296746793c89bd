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
function line(row: Fields, event: unknown, time: unknown): Fields & { at: number } {
  const segments = event === 'send' && row.text ? segmentsOf(String(row.text)) : row.split_count;
  const status_desc = row.status_desc ?? row.reason;
  const at = Date.parse(String(time || row.createdAt));
  return { ...row, event, status_desc, at, segments: segments || '' };
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
  const events = rowsOf($('Inbox records').all());
  const sends = rowsOf($('Messages').all());
  const { idOf } = templateNames(rowsOf($('Names of templates').all()));
  const thresholds = thresholdsIn($('Thresholds').all());
  const packed = $('Only what is counted').first<Read>().json;
  const isNarrowed = template + batch + status !== '';
  const reading = { most: MOST, now: Date.parse(now), idOf, thresholds };
  const shown = isNarrowed ? narrowed(readRows(packed, reading), asked) : undefined;
  const idsOf = ({ send, report, newest }: Message) => newest ?? [[send?.id, report?.id]];
  const ids = shown?.messages.flatMap<unknown[]>(idsOf) ?? [];
  const sendIds = new Set(ids.map(([send]) => send));
  const replyIds = shown?.replies.map(({ id }) => id) ?? [];
  const eventIds = new Set([...ids.map(([, report]) => report), ...replyIds]);
  const kept = (all: Fields[], own: Set<unknown>) =>
    all.slice(0, MOST).filter(({ id }) => !isNarrowed || own.has(id));
  const [from, to] = [Date.parse(start), asked.to === '' ? Infinity : Date.parse(end)];
  const rows = [
    ...kept(sends, sendIds)
      .filter(({ phone_number }) => phone_number)
      .map((row) => line(row, 'send', row.sent_at)),
    ...kept(events, eventIds)
      .filter(({ event }) => event === 'deliveryReport' || event === 'reply')
      .map((row) => line(row, row.event, row.time)),
  ]
    .filter(({ at }) => Number.isNaN(at) || (at >= from && at <= to))
    .sort((a, b) => b.at - a.at);

  const times = new Map<number, string>();
  /** Of many rows in the same second, written once: that takes long. */
  const timeOf = (at: number): string => {
    const second = Math.floor(at / 1000);
    const known = times.get(second);
    if (known !== undefined || Number.isNaN(at)) return known ?? '';
    const text = DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd HH:mm:ss');
    times.set(second, text);
    return text;
  };
  const lines = rows.map((row) =>
    COLUMNS.map((column) => cell(column === 'time' ? timeOf(row.at) : row[column])).join(','),
  );
  const heads = COLUMNS.map((column) => cell(column === 'time' ? `time (${zone})` : column));
  const made = DateTime.fromISO(now, { zone }).toFormat('yyyy-MM-dd-HHmm');
  const isCut = events.length > MOST || sends.length > MOST;
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
