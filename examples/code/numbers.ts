/** With commas between thousands. */
export function number(amount: number): string {
  return new Intl.NumberFormat('en').format(amount);
}

/** In per cent, rounded down, so that 100 % means all. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  if (part === whole) return '100 %';
  const tenths = Math.floor((part / whole) * 1000);
  return part > 0 && tenths === 0 ? '< 0.1 %' : `${(tenths / 10).toFixed(1)} %`;
}
