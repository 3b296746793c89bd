/** How values are written. */
import type { DateTime } from 'luxon';

/** A text that PostgreSQL stores: without half characters and zero bytes. */
export function clean(value: unknown): string {
  return String(value ?? '')
    .toWellFormed()
    .replaceAll('\0', '');
}

/** A reason of a service or of n8n, without whole phone numbers. */
export function withoutNumbers(reason: unknown): string {
  return String(reason ?? '').replace(/(1[3-9]\d)\d{4}(\d{4})/g, '$1 •••• $2');
}

/** A time as short as it can be: of today without its day, of this year without its year. */
export function clock(at: DateTime, now: DateTime): string {
  if (at.hasSame(now, 'day')) return at.toFormat('HH:mm');
  return at.toFormat(at.hasSame(now, 'year') ? 'MM-dd HH:mm' : 'yyyy-MM-dd HH:mm');
}

/** With commas between thousands. */
export function number(amount: number): string {
  return new Intl.NumberFormat('en').format(amount);
}

/** In per cent, with one decimal. Only none is 0 % and only all is 100 %. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  if (part === whole) return '100 %';
  const tenths = Math.round((part / whole) * 1000);
  if (part > 0 && tenths === 0) return '< 0.1 %';
  return tenths === 1000 ? '> 99.9 %' : `${(tenths / 10).toFixed(1)} %`;
}

/**
 * A cell of a CSV file. A spreadsheet runs a cell that begins with one of these signs as a formula, and it
 * rounds a long number. A leading quote makes both a text.
 */
export function cell(value: unknown): string {
  const text = String(value ?? '');
  const needsQuote = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]|^\d{16,}$/u.test(text);
  return `"${(needsQuote ? `'${text}` : text).replaceAll('"', '""')}"`;
}
