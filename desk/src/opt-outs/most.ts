/** As many lines at once, and as many numbers on the page. */
export const MOST_LINES = 100_000;
export const SHOWN = 50;
