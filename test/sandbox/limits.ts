/** For `Fault.match`: which requests come too often, or during an outage. */

/** How many requests a service takes. */
export interface Limit {
  /** This many are taken. */
  requests: number;
  /** In each period of so many milliseconds, which begins with a request. */
  perMs?: number;
  /** Or, without `perMs`: after them, this many are refused. Then it begins again. */
  refused?: number;
}

/** Whether a request is over the limit. It counts each request that it is asked about. */
export function overLimit({ requests, perMs, refused = 1 }: Limit): () => boolean {
  let taken = 0;
  let end = -Infinity;
  return () => {
    const isNewPeriod =
      perMs === undefined ? taken === requests + refused : performance.now() >= end;
    if (isNewPeriod) {
      taken = 0;
      end = performance.now() + (perMs ?? 0);
    }
    taken += 1;
    return taken > requests;
  };
}

/** Whether a request comes within so many milliseconds of the first one that it is asked about. */
export function duringMs(milliseconds: number): () => boolean {
  let end: number | undefined;
  return () => performance.now() < (end ??= performance.now() + milliseconds);
}
