/* A condition for `Fault.match`: requests that come too often. */

/** How many requests a service accepts. */
export interface Limit {
  /** How many are accepted in a period, or in a row. */
  requests: number;
  /** Length of the period in milliseconds. A period begins with a request. */
  perMs?: number;
  /** Without `perMs`: how many requests are refused next. Then the count starts again. */
  refused?: number;
}

/** Returns a function that counts requests, and tells whether one is over the limit. */
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
