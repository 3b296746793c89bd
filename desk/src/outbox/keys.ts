import type { N8n } from '../../../builder/code/n8n';
import { KEYS_OF_A_LOOK, rowsThatAsk } from './asking';

/** The keys to look for in the whole table, as many as one look compares. */
export default function keys({ $ }: N8n): { keys: string[] }[] {
  const { manyKeys } = rowsThatAsk({ $ });
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
