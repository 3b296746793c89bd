/**
 * A condition for `Fault.match`: requests that come too often. Returns a function that counts requests,
 * and tells whether one is over the limit of `requests` in a period, which begins with a request.
 */
export function overLimit({ requests, perMs }: { requests: number; perMs: number }): () => boolean {
  let taken = 0;
  let end = -Infinity;
  return () => {
    if (performance.now() >= end) {
      taken = 0;
      end = performance.now() + perMs;
    }
    taken += 1;
    return taken > requests;
  };
}
