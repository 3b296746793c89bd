/** The dashboard counts so many rows of a table, the latest. */
export const MOST = 60000;
