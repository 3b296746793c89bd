/** What the expressions of the rows do. No Code node does it: those fail while n8n stops. */
import type { DateTime as Time } from 'luxon';

import type { Fields, N8n } from '../../../builder/code/n8n';
import { phoneOf } from '../../../builder/code/phone';
import { readReply } from '../../../builder/code/replies';
import { clean } from '../common/text/format';
import type { Cells } from '../tables';

export type Row = Omit<Cells<'sms.inbox'>, 'says' | 'message'>;

/** A value as a text that the table takes as it is: none of it throws, or the whole page would be lost. */
const text = (value: unknown): string =>
  clean(typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

/**
 * The rows of records, which came now. `run` is their page, if they do not name one. What has no number is nobody's: it
 * is unreadable. What is unreadable is stored whole, and told.
 */
export function rowsOf(
  records: Fields[],
  DateTime: N8n['DateTime'],
  now: Time,
  run: string,
): Row[] {
  return records.map((record) => {
    const time = String(DateTime.fromISO(text(record.time_iso)).toUTC().toISO());
    const given = [record.phone_number, record.mobile, record.phone];
    const numbers = given.map((each) => text(each || ''));
    const phone_number = phoneOf(numbers.find((each) => each.trim() !== ''));
    const event = phone_number === '' ? 'unreadable' : text(record.event);
    return {
      event,
      phone_number,
      status: text(record.status),
      status_desc: text(record.status_desc),
      // Some give a report the text of its message. Nothing reads it there, and it may be that of a code.
      content: event === 'deliveryReport' ? '' : text(record.content),
      batch_id: text(record.batch_id),
      user_data: text(record.user_data),
      phone_data: text(record.phone_data),
      split_count: Number(text(record.split_count)) || 0,
      other: event === 'unreadable' ? text({ ...record, page_id: undefined }) : '',
      time: /^[2-9]/.test(time) ? time : String(now.toUTC().toISO()),
      run: text(record.page_id ?? run),
    };
  });
}

/** The rows, without samples of the editor, and what their replies say by these words: stop, doubt or start. */
export function withWords(
  rows: Row[],
  words: Record<'stop_words' | 'doubt_words' | 'start_words', string>,
): (Row & { says: string })[] {
  const fields = Object.entries(words).map(([name, value]) => ({ name, value }));
  return rows
    .filter(({ batch_id }) => batch_id !== 'sample-batch-1')
    .map((row) => ({ ...row, says: row.event === 'reply' ? readReply(row.content, fields) : '' }));
}
