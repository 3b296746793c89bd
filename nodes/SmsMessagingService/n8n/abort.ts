/**
 * Waits for a promise, but no longer than until a signal aborts: then rejects with the signal's reason.
 *
 * @param signal left out: waits as long as it takes
 */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  promised: Promise<T>,
): Promise<T> {
  if (signal === undefined) return await promised;
  let abort!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
  });
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([promised, aborted]);
  } finally {
    // A signal outlives the request. With the listener it would keep the answer in memory.
    signal.removeEventListener('abort', abort);
  }
}
