import type { Fields } from '../../../../builder/code/n8n';

/**
 * Rows for the next node, which is one of a table: a data table takes each as an item. PostgreSQL takes all as one
 * text, because an expression gets each field of an item apart, and n8n hands over a text faster than items.
 *
 * @param params those of the next node
 */
export function itemsFor(params: Fields, rows: object[]): Fields[] {
  if ('query' in params) return [{ rows: JSON.stringify(rows) }];
  return rows as Fields[];
}
