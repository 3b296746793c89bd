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
