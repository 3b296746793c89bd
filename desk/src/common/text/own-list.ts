/**
 * The list of rows that a campaign's page gives as a file. Loaded again, it is what it was: the heading of its own columns
 * says that the desk has written it, and of such a file the reader takes one leading quote away from each cell, and
 * nothing else.
 */
const own = (name: string) => `${name} (SMS desk)`;

export const OWN = { line: own('line'), status: own('status'), reason: own('reason') };

export const PHONE = 'phone';

/** What a spreadsheet leaves as it is: words, and whole numbers that it does not round. */
const PLAIN = /^(?!phone$|true$|false$|.*\(SMS desk\)$)(\p{L}\P{N}*|[1-9]\d{0,10})?$/isu;

/** A cell of such a file: a leading quote makes a text of it. What begins with a quote gets another one. */
export const guarded = (text: string): string => (PLAIN.test(text) ? text : `'${text}`);

export const unguarded = (cell: string): string => cell.replace(/^'/, '');
