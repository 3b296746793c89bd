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
