import { cell } from '../common/text/csv';
import { rowsOf } from '../common/records/days';
import { MOST } from './most';
import type { Fields, N8n } from '../../../builder/code/n8n';
import { segmentsOf } from '../common/messages/received';
import { narrowed } from './figures';
import { thresholdsIn } from '../common/messages/thresholds';
import { readRows, templateNames, type Message, type Read } from './rows';
import type { Asked } from './what-was-asked';

const COLUMNS = [
  ...['event', 'time', 'phone_number', 'batch_id', 'template', 'source', 'reference', 'status'],
  ...['status_desc', 'content', 'user_data', 'phone_data', 'segments', 'text'],
];

/**
 * The rows of the window as a file for a spreadsheet. Numbers are complete here. Where a table could not be
 * read, this does not run: a file that looks complete and is not would be worse than none.
 */
export default function rowsAsCsv({ $, DateTime }: N8n): { fileName: string; text: string } {
  const asked = $('What was asked').first<Asked>().json;
  const { zone, window, now, start, end, template, batch, status } = asked;
  const events = rowsOf($('Inbox records').all());
  const sends = rowsOf($('Messages').all());
  const { idOf } = templateNames(rowsOf($('Names of templates').all()));
  const thresholds = thresholdsIn($('Thresholds').all());
  const counted = $('Count them').first<Read>().json;
  const isNarrowed = template + batch + status !== '';
  const reading = { now: Date.parse(now), idOf, thresholds };
  const shown = isNarrowed ? narrowed(readRows(counted, reading), asked) : undefined;
  const idsOf = ({ send, report, newest }: Message) => newest ?? [[send?.id, report?.id]];
  const ids = shown?.messages.flatMap<unknown[]>(idsOf) ?? [];
  const sendIds = new Set(ids.map(([send]) => send));
  const replyIds = shown?.replies.map(({ id }) => id) ?? [];
  const eventIds = new Set([...ids.map(([, report]) => report), ...replyIds]);
  const kept = (all: Fields[], isShown: (row: Fields) => boolean) =>
    all.filter((row) => !isNarrowed || isShown(row));
  const [from, to] = [Date.parse(start), asked.to === '' ? Infinity : Date.parse(end)];
  const times = new Map<number, string>();
  /** Written once for all rows of a second: it takes long. */
  const timeOf = (at: number): string => {
    const second = Math.floor(at / 1000);
    const known = times.get(second);
    if (known !== undefined || Number.isNaN(at)) return known ?? '';
    const text = DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd HH:mm:ss');
    times.set(second, text);
    return text;
  };
  /** A row with its time, and with its segments: as reported, or about as many as its text has. */
  const lineOf = (row: Fields, event: unknown, time: unknown) => {
    const at = Date.parse(String(time || row.createdAt));
    if (at < from || at > to) return [];
    const segments = event === 'send' && row.text ? segmentsOf(String(row.text)) : row.split_count;
    const status_desc = row.status_desc ?? row.reason;
    const own: Fields = { event, time: timeOf(at), status_desc, segments: segments || '' };
    const values = COLUMNS.map((column) => cell(column in own ? own[column] : row[column]));
    return [{ at, text: values.join(',') }];
  };
  const lines = [
    ...kept(sends, ({ id }) => sendIds.has(id))
      .filter(({ phone_number }) => phone_number)
      .flatMap((row) => lineOf(row, 'send', row.sent_at)),
    ...kept(events, ({ id, message }) => eventIds.has(id) || sendIds.has(message))
      .filter(({ event }) => event === 'deliveryReport' || event === 'reply')
      .flatMap((row) => lineOf(row, row.event, row.time)),
  ]
    .sort((a, b) => b.at - a.at)
    .map(({ text }) => text);
  const heads = COLUMNS.map((column) => cell(column === 'time' ? `time (${zone})` : column));
  const made = DateTime.fromISO(now, { zone }).toFormat('yyyy-MM-dd-HHmm');
  const isCut = events.length >= MOST || sends.length >= MOST;
  const file = ['sms', window || 'period', made, isCut && `latest-${MOST}`];
  return {
    fileName: `${file.filter(Boolean).join('-')}.csv`,
    // Without the mark at its start, a spreadsheet would not read Chinese.
    text: `\uFEFF${[heads.join(','), ...lines].join('\r\n')}\r\n`,
  };
}
