import type { N8n } from '../../../builder/code/n8n';
import { KEYS_OF_A_LOOK, rowsThatAsk } from './asking';
import type { Start } from './starts-of-keys';

/** The keys to look for in the whole table, as many as one look compares, if too many rows have keys that start so. */
export default function keys({ $ }: N8n): { keys: string[] }[] {
  const found = $('Whose keys start so').all().length;
  const isTooMany = ({ json: { limit } }: { json: Start }) => found >= limit;
  const manyKeys = $('Starts of keys').all<Start>().some(isTooMany)
    ? rowsThatAsk({ $ }).manyKeys
    : [];
  return Array.from({ length: Math.ceil(manyKeys.length / KEYS_OF_A_LOOK) }, (_, part) => {
    const from = part * KEYS_OF_A_LOOK;
    // A look without a key would find those that have none.
    return {
      keys: Array.from(
        { length: KEYS_OF_A_LOOK },
        (__, index) => manyKeys[from + index] ?? String(manyKeys[from]),
      ),
    };
  });
}
