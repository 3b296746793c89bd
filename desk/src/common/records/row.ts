/** Neighbouring rows. */
export interface Range {
  from: number;
  to: number;
}

/** The ID of the recipient that a message is for, as its send gives it along. */
export function rowOf({ phone_data }: { phone_data?: string }): number {
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
