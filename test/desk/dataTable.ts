import { parametersOf, valueOf, type Sight } from './expression';

interface Filter {
  filters: { conditions: { keyName: string; condition?: string; keyValue?: unknown }[] };
  matchType?: string;
}

/** The rows that the conditions of a Data Table node find, as n8n compares them. */
export function foundBy<Row extends object>(
  example: string,
  node: string,
  rows: readonly Row[],
  sight: Sight = {},
): Row[] {
  const { filters, matchType } = parametersOf(example, node) as unknown as Filter;
  const conditions = filters.conditions.map(({ keyName, condition = 'eq', keyValue }) => {
    const is = COMPARISONS[String(valueOf(condition, sight))];
    if (!is) throw new Error(`No comparison "${condition}".`);
    const [column, value] = [keyName, keyValue].map((each) => valueOf(each, sight));
    return { is, column: String(column), value: comparable(value) };
  });
  const isAny = matchType === 'anyCondition' && conditions.length > 0;
  return rows.filter((row) => {
    const holds = ({ is, column, value }: (typeof conditions)[0]) =>
      is(comparable((row as Record<string, unknown>)[column]), value);
    return isAny ? conditions.some(holds) : conditions.every(holds);
  });
}

/** The values that a Data Table node writes, by their columns. */
export function writtenBy(example: string, node: string, sight: Sight): Record<string, unknown> {
  const { columns } = parametersOf(example, node) as { columns: { value: object } };
  return Object.fromEntries(
    Object.entries(columns.value).map(([name, value]) => [name, valueOf(value, sight)]),
  );
}

/** Updates the rows as a Data Table node does, and gives back those that it has changed. */
export function update<Row extends object>(
  example: string,
  node: string,
  rows: readonly Row[],
  sight: Sight,
): Row[] {
  const found = foundBy(example, node, rows, sight);
  if (found.length === 0) return found;
  const values = writtenBy(example, node, sight);
  return found.map((row) => Object.assign(row, values));
}

type Value = number | string | null;

/** A time of any zone is a number, what is absent is null. */
function comparable(value: unknown): Value {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return Date.parse(text);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

const both = (is: (a: number | string, b: number | string) => boolean) => (a: Value, b: Value) =>
  a !== null && b !== null && is(a, b);

const likes = (flags = '') =>
  both((a, b) => {
    const parts = String(b).split('%');
    const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
    return new RegExp(`^${pattern}$`, flags).test(String(a));
  });

const COMPARISONS: Record<string, (a: Value, b: Value) => boolean> = {
  eq: (a, b) => a === b,
  neq: (a, b) => a !== b,
  lt: both((a, b) => a < b),
  lte: both((a, b) => a <= b),
  gt: both((a, b) => a > b),
  gte: both((a, b) => a >= b),
  like: likes(),
  ilike: likes('i'),
  isEmpty: (a) => a === null || a === '',
  isNotEmpty: (a) => a !== null && a !== '',
};
