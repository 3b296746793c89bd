/** Whether a number has no more digits than JavaScript keeps, and no exponent. */
export function isPlain(text: string): boolean {
  const [, whole = '', fraction] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const value = Number(text);
  if (fraction === undefined) return whole !== '' && Number.isSafeInteger(value);
  return (whole + fraction).replace(/^0+/, '').length <= 15 && !String(value).includes('e');
}
