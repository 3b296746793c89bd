/** The newest poll of each trigger in this process. */
const newest = new Map<string, Promise<unknown>>();

/**
 * Runs the polls of one trigger one after the other. n8n lets them overlap: a tick while the one
 * before is still under way, a changed trigger that is published meanwhile. The newest one has the
 * right of way: `isNewest` says to the one before that it is to end with the page it is at, and the
 * newest begins when it has. So there is never more than one page of an event under way.
 */
export async function takeTurn<T>(
  trigger: string,
  poll: (isNewest: () => boolean) => Promise<T>,
): Promise<T> {
  const before = newest.get(trigger);
  const turn: Promise<T> = (async () => {
    // Why the one before failed, if it did, is told there.
    await before?.catch(() => undefined);
    return await poll(() => newest.get(trigger) === turn);
  })();
  newest.set(trigger, turn);
  try {
    return await turn;
  } finally {
    if (newest.get(trigger) === turn) newest.delete(trigger);
  }
}
