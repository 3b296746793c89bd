import type { Fields, Item } from '../../../../builder/code/n8n';
import type { Cells } from '../../tables';

export type DayRow = Cells<'sms.days'>;

/** Why a table could not be read. Empty if it was. */
export const errorOf = ({ error, message }: Fields): string =>
  error ? String(typeof error === 'object' ? message : error) : '';

/** Why tables could not be read. */
export const errorsIn = (items: Item[]): string[] =>
  items.map(({ json }) => errorOf(json)).filter(Boolean);

/** The rows of a table, without the empty item or the error of one that could not be read. @param by a column that each has */
export function rowsOf<Row = Fields>(items: Item[], by = 'id'): Row[] {
  return items
    .flatMap(({ json }) => (json.packed ? (JSON.parse(String(json.packed)) as Fields[]) : [json]))
    .filter((row) => (row[by] ?? '') !== '') as Row[];
}
