/** A text that PostgreSQL stores: without half characters and zero bytes. */
export function clean(value: unknown): string {
  return String(value ?? '')
    .toWellFormed()
    .replaceAll('\0', '');
}
