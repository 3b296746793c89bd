import type { Fields, Item, N8n } from '../../../builder/code/n8n';
import { rowsInLine, type Row } from '../common/messages/outbox';

/** How many keys one look compares. For fewer than these few, one look each costs less. */
export const KEYS_OF_A_LOOK = 50;
const FEW = 4;

/** A row, and the list that its key is new in. */
export interface Asking extends Row {
  list: { name: string; since: number } | undefined;
}

/** The rows of this execution, by their IDs. With indexes, no list is needed. */
export function rowsThatAsk({ $ }: Pick<N8n, '$'>) {
  const { indexed } = $('Are there indexes?').first<{ indexed: boolean }>().json;
  const messages = indexed ? [] : $('Messages').all();
  const rows = rowsInLine({ $ })
    .map(({ json }) => ({ ...json, list: listOf(json, messages) }))
    .sort((a, b) => a.id - b.id);
  const keys = new Set(rows.filter(({ key, list }) => key && !list).map(({ key }) => key));
  return { indexed, rows, manyKeys: indexed || keys.size < FEW ? [] : [...keys] };
}

/** The list of a key that ends with the number, if the message says since when it is new there. */
function listOf({ key, phone_number, run }: Row, messages: Item[]): Asking['list'] {
  const { new_since } = (messages[Number(run.split(':')[1])]?.json ?? {}) as Fields;
  const since = /^\d{4}-\d\d-\d\dT/.test(String(new_since)) ? Date.parse(String(new_since)) : NaN;
  const name = key.endsWith(phone_number) ? key.slice(0, -phone_number.length) : '';
  return name && since > 0 ? { name, since } : undefined;
}
