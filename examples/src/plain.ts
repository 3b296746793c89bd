/**
 * A text in one form: full-width signs and all kinds of hyphens in ASCII, nothing invisible, no space around it. A number
 * that has lost digits is nothing: two of them would be one.
 */
export const plain = (value: unknown): string =>
  String(
    Math.abs(value as number) > Number.MAX_SAFE_INTEGER && typeof value === 'number'
      ? ''
      : (value ?? ''),
  )
    .normalize('NFKC')
    .replace(/[\u2800\p{Cf}\p{DI}]/gu, '')
    .replace(/[\p{Pd}−]/gu, '-')
    .trim();
