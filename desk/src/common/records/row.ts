import type { Row } from '../../tables';

/** A delivery report, as the inbox hands it over. */
export type Report = Partial<Row<'sms.inbox'>>;

/** Neighbouring rows. */
export interface Range {
  from: number;
  to: number;
}

/** The id of the row that a report is about. The send gives it along as "phone_data". */
export function rowOf({ phone_data }: Report): number {
  return Number(/^sms_recipients:(\d{1,15})$/.exec(phone_data ?? '')?.[1]);
}

/**
 * Neighbours with the same outcome become one range: a few updates settle them all. An id without an outcome ends one.
 *
 * @param farthest how far apart the ids of neighbours may be
 */
export function rangesOf<Outcome extends object>(
  ids: number[],
  outcomes: Map<number, Outcome>,
  farthest = Infinity,
): (Range & Outcome)[] {
  const ranges: (Range & Outcome)[] = [];
  let open: (Range & Outcome) | undefined;
  for (const id of [...ids].sort((a, b) => a - b)) {
    const outcome = outcomes.get(id);
    const isSame = Object.entries(outcome ?? {}).every(
      ([name, value]) => open?.[name as keyof Outcome] === value,
    );
    if (outcome && open && id - open.to <= farthest && isSame) open.to = id;
    else {
      open = outcome && { from: id, to: id, ...outcome };
      if (open) ranges.push(open);
    }
  }
  return ranges;
}

const MOST = 1_000;

/**
 * The range as stretches of at most 1,000 ids. n8n reads such a stretch by the key of the table. A read of all rows
 * would look through the table once for every thousand rows.
 */
export function stretchesOf({ from, to }: Range): Range[] {
  const length = Math.ceil((to - from + 1) / MOST);
  return Array.from({ length }, (_, index) => {
    const begin = from + index * MOST;
    return { from: begin, to: Math.min(to, begin + MOST - 1) };
  });
}
