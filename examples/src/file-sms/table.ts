/** How a file begins that is a workbook: xlsx or xls. */
const WORKBOOK = /^(?:504b|d0cf)/;

/** How a text begins that says by a byte order mark how its characters are written: n8n has read them. */
const MARKED = /^(?:efbb|fffe)/;

const [CELL, LINE] = ['\x1f', '\x1e'];

/** The cells of a file, or why it has none. `start` is its first two bytes. */
export function tableOf(given: unknown[][], start: string): unknown[][] | string {
  if (WORKBOOK.test(start)) return given.map((cells) => Array.from(cells));
  const bytes = given
    .map((cells) => Array.from(cells, (cell) => String(cell ?? '')).join(CELL))
    .join(LINE);
  const text = MARKED.test(start) ? bytes : decoded(Buffer.from(bytes, 'latin1'));
  if (text === undefined || /[\0\ufffd\p{Co}]/u.test(text))
    return 'Its characters cannot be read. In Excel, save it as CSV UTF-8.';
  const table = text.split(LINE).map((line) => line.split(CELL));
  const isOpen = (cell: string) => /^"[^"]*$|[,;\t].*\n|\n.*[,;\t]/.test(cell);
  const open = table.findIndex((cells) => cells.some(isOpen));
  if (open !== -1)
    return `Row ${open + 1}: a quotation mark is not closed. A cell with a line break may have no comma, semicolon or tab.`;
  // Shops guard digits: ="0012".
  const unguarded = (cell: string) =>
    cell.replace(/^(?:\s+|=)"([^"]*)"\s*$|^'(?=[\d+])/, '$1').trim();
  return table.map((cells) => cells.map(unguarded));
}

/** A text as UTF-8 if it is that, otherwise as GB18030, of which GBK is a part. */
function decoded(bytes: Buffer): string | undefined {
  const loose = new TextDecoder('utf-8').decode(bytes);
  const broken = loose.split('\ufffd').length - 1;
  if (broken === 0) return loose;
  // Nearly all of it is UTF-8: a few bytes are broken.
  if (broken < (loose.match(/[^\0-\x7f\ufffd]/g) ?? []).length) return undefined;
  return new TextDecoder('gb18030').decode(bytes);
}
