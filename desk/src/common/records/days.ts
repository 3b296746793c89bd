/** The figures of a day, which stay when its rows go. */
import type { Fields, Item, N8n } from '../../../../builder/code/n8n';
import type { Cells } from '../../tables';

export type DayRow = Cells<'sms.days', Counter>;

export type Counter = 'inbox_id' | 'outbox_id' | 'opt_outs_id';

/** New rows of the tables. */
export type NewRows = Record<Counter, Fields[]>;

/** A message that waits for its hour counts as sent on the day it was taken: its row is not looked at again. */
const NOT_SENT = ['rejected', 'refused', 'skipped'];

/** What a row adds to its day. */
const FIGURES: Record<Counter, (row: Fields) => (keyof DayRow)[]> = {
  inbox_id: ({ event, status }) => {
    if (event === 'reply') return ['replies'];
    if (event !== 'deliveryReport') return [];
    return [status === 'DELIVRD' ? 'delivered' : 'failed'];
  },
  outbox_id: ({ status }) => {
    if (status === 'accepted') return ['sent', 'accepted'];
    return NOT_SENT.includes(String(status)) ? [] : ['sent'];
  },
  opt_outs_id: () => ['opt_outs'],
};

/** Why a table could not be read. Empty if it was. */
export const errorOf = ({ error, message }: Fields): string =>
  error ? String(typeof error === 'object' ? message : error) : '';

/** Why tables could not be read. */
export const errorsIn = (items: Item[]): string[] =>
  items.map(({ json }) => errorOf(json)).filter(Boolean);

/** The rows of a table, without the empty item or the error of one that could not be read. */
export function rowsOf<Row = Fields>(items: Item[]): Row[] {
  return items
    .flatMap(({ json }) => (json.packed ? (JSON.parse(String(json.packed)) as Fields[]) : [json]))
    .filter(({ id }) => typeof id === 'number') as Row[];
}

/** The last row of a table that is counted. `days` are the latest first. */
export function countedTo(days: Fields[], counter: Counter): number {
  const day = days.find((each) => each[counter]);
  return day ? Number(day[counter]) : 0;
}

/** The days that the rows change, oldest first, with the rows added. */
export function addToDays(days: Fields[], rows: NewRows, dayOf: (at: unknown) => string): DayRow[] {
  const changed = new Map<string, DayRow>();
  const before = new Map(days.map((day) => [day.day, day]));
  for (const counter of Object.keys(FIGURES) as Counter[]) {
    for (const row of rows[counter]) {
      const day = dayOf(row.createdAt);
      const found = changed.get(day) ?? dayRow(day, before.get(day));
      changed.set(day, found);
      for (const figure of FIGURES[counter](row)) (found[figure] as number) += 1;
      found[counter] = Number(row.id);
    }
  }
  return [...changed.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** A row of sms.days, with 0 for what is not there. */
export function dayRow(day: string, row: Fields = {}): DayRow {
  const zero = { sent: 0, accepted: 0, delivered: 0, failed: 0, replies: 0, opt_outs: 0 };
  const none = { inbox_id: null, outbox_id: null, opt_outs_id: null };
  const found = Object.keys({ ...zero, ...none }).filter((name) => row[name]);
  return {
    day,
    ...zero,
    ...none,
    ...Object.fromEntries(found.map((name) => [name, Number(row[name])])),
  };
}

/** Gives the day of a time, in the time zone of the workflow. */
export function daysIn({ $now, DateTime }: Pick<N8n, '$now' | 'DateTime'>) {
  const zone = $now.zoneName ?? 'utc';
  return (at: unknown) => DateTime.fromISO(String(at), { zone }).toFormat('yyyy-MM-dd');
}
