/**
 * A cell of a CSV file. A spreadsheet runs a cell that begins with one of these signs as a formula, and it
 * rounds a long number. A leading quote makes both a text.
 */
export function cell(value: unknown): string {
  const text = String(value ?? '');
  const needsQuote = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]|^\d{16,}$/u.test(text);
  return `"${(needsQuote ? `'${text}` : text).replaceAll('"', '""')}"`;
}
