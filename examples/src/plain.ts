/** A text in one form: full-width signs and all kinds of hyphens in ASCII, nothing invisible, no space around it. */
export const plain = (value: unknown): string =>
  String(value ?? '')
    .normalize('NFKC')
    .replace(/[\u2800\p{Cf}\p{DI}]/gu, '')
    .replace(/[\p{Pd}−]/gu, '-')
    .trim();
