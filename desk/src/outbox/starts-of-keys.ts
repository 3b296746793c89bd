import type { N8n } from '../../../builder/code/n8n';
import { rowsThatAsk } from './asking';

/** How many starts are looked for, how long one may be, and how many older rows the looks may bring. */
const STARTS = 4;
const LONGEST = 100;
const OLDER = 500;

/** A look at the rows whose keys start so. If all looks bring as many as the limit of one, there may be more. */
export interface Start {
  start: string;
  to: number;
  limit: number;
}

/** What the keys of a call start with, as long as that is few: a row is compared with it sooner than with each key. */
export default function startsOfKeys({ $ }: N8n): Start[] {
  const { rows, manyKeys } = rowsThatAsk({ $ });
  if (manyKeys.length === 0) return [];
  let starts = [''];
  for (let length = 1; length <= LONGEST; length += 1) {
    const longer = [...new Set(manyKeys.map((key) => key.slice(0, length)))];
    if (longer.length > STARTS) break;
    // A data table takes % for anything, and has no half of a character.
    if (longer.every((start) => start.isWellFormed() && !start.includes('%'))) starts = longer;
  }
  const to = rows.at(-1)?.id ?? 0;
  // Nothing is no start: no row is read, and that is the limit.
  return starts.map((start) =>
    start ? { start, to, limit: rows.length + OLDER } : { start, to: 0, limit: 0 },
  );
}
