/** So many campaigns are listed at most: those that run, and the latest. */
export const MOST = 100;
