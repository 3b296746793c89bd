/** What a cell of a table shows. */

/** #N/A, #ERROR!, #GETTING_DATA, ########; and not #1001 or #A1, which are orders. */
const ERROR = /^#(?:#+|[A-Z\d_/]+[!?]|[A-Z]+[_/][A-Z]+)$/i;

/** What Google shows while it works, and LibreOffice for an error. */
const OTHERS = /^(?:Loading(?:\.{3}|…)|Err:\d+)$/;

/** Whether it is what Excel, Google or LibreOffice shows where a value is missing, or does not fit into its column. */
export const isNoValue = (cell: string): boolean => ERROR.test(cell) || OTHERS.test(cell);
