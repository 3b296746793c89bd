/** Whether two objects, or lists, have the same values under the same names. */
export function isAlike<T extends object>(one: T, other: T): boolean {
  // No list of the names is made here, because this runs twice for each item.
  for (const name in one) if (one[name] !== other[name]) return false;
  for (const name in other) if (!(name in one)) return false;
  return true;
}
