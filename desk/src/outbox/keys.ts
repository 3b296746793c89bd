import type { Item, N8n } from '../../../builder/code/n8n';
import type { Row } from '../common/messages/outbox';
import { KEYS_OF_A_LOOK, rowsThatAsk } from './asking';
import type { Start } from './starts-of-keys';

/** The keys to look for in the whole table, as many as one look compares: their starts are too common. */
export default function keys({ $ }: N8n): Item<{ keys: string[] }>[] {
  const found = $('Whose keys start so').all<Partial<Row>>();
  const common = $('Starts of keys')
    .all<Start>()
    .map(({ json }) => json)
    .filter(({ start, limit }) => {
      return found.filter(({ json }) => json.key?.startsWith(start)).length >= limit;
    });
  const manyKeys = rowsThatAsk({ $ }).manyKeys.filter((key) =>
    common.some(({ start }) => key.startsWith(start)),
  );
  return Array.from({ length: Math.ceil(manyKeys.length / KEYS_OF_A_LOOK) }, (_, part) => {
    const from = part * KEYS_OF_A_LOOK;
    // A look without a key would find those that have none.
    return {
      json: {
        keys: Array.from(
          { length: KEYS_OF_A_LOOK },
          (__, index) => manyKeys[from + index] ?? String(manyKeys[from]),
        ),
      },
    };
  });
}
