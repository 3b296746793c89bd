/** What the expressions behind the rows do: which of them are new. */
import type { Fields } from '../../../builder/code/n8n';
import { saysOnly } from '../../../builder/code/replies';
import type { Row } from './rows';

/** Times that are close are one look at the table. */
export function stretchesOf(rows: Pick<Row, 'time'>[]): { from: string; to: string }[] {
  const stretches: { from: string; to: string }[] = [];
  for (const time of rows.map((row) => row.time).sort()) {
    const last = stretches.at(-1);
    if (last && Date.parse(time) - Date.parse(last.to) < 5000) last.to = time;
    else stretches.push({ from: time, to: time });
  }
  return stretches;
}

/**
 * The rows that are not stored yet, by the pages that are. Of a page whose execution failed, the trigger gives records
 * alone, with their number behind the ID of the page, or all of it again.
 */
export function notStored<Each extends Pick<Row, 'run'>>(rows: Each[], stored: Fields[]): Each[] {
  const runs = new Set(stored.map(({ run }) => run));
  return rows.filter(({ run }, index) => {
    const [page, number = index + 1] = run.split('/');
    return !runs.has(page) && !runs.has(`${page}/${number}`);
  });
}

/** Those that no row of the same time equals, and which way a reply goes, if it is nothing but a word of one. */
export function newRows(
  rows: Row[],
  sameTime: Fields[],
  { stop_words, start_words }: Record<'stop_words' | 'start_words', string>,
): (Row & { says: string })[] {
  const keyOf = ({ event, phone_number, batch_id, status, content, time }: Row | Fields) => {
    const at = new Date(time as string).getTime();
    return JSON.stringify([event, phone_number, batch_id, status, content, at]);
  };
  const known = new Set(sameTime.map(keyOf));
  const ways = { stop: stop_words, start: start_words };
  return rows
    .filter((row) => row.batch_id !== 'sample-batch-1' && !known.has(keyOf(row)))
    .map((row) => {
      const said = Object.entries(ways).find(([, words]) => saysOnly(row.content, words));
      const isReply = row.event === 'reply' && row.phone_number !== '';
      return { ...row, says: (isReply && said?.[0]) || '' };
    });
}
