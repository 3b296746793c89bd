const number = (amount) => new Intl.NumberFormat('en').format(amount);
/** Rounded down, so that 100 % means all. */
function share(part, whole) {
  if (whole === 0) return '–';
  if (part === whole) return '100 %';
  const tenths = Math.floor((part / whole) * 1000);
  return part > 0 && tenths === 0 ? '< 0.1 %' : `${(tenths / 10).toFixed(1)} %`;
}
