/** A text that PostgreSQL stores: without half characters and zero bytes. */
const clean = (value) =>
  String(value ?? '')
    .toWellFormed()
    .replaceAll('\0', '');
