/** What has something in common, by what it is. What has nothing in common is left out. */
export function groupBy<Value, Name extends string | number>(
  values: Iterable<Value>,
  nameOf: (value: Value) => Name | undefined,
): Map<Name, Value[]> {
  const groups = new Map<Name, Value[]>();
  for (const value of values) {
    const name = nameOf(value);
    if (name === undefined || name === '') continue;
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}
