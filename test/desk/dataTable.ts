import { evaluate, parametersOf, type Sight } from './expression';

interface Condition {
  keyName: string;
  condition?: string;
  keyValue?: unknown;
}

/** The rows that the conditions of a Data Table node find, as n8n compares them. */
export function foundBy<Row extends object>(
  example: string,
  node: string,
  rows: readonly Row[],
  sight: Sight = {},
): Row[] {
  const { filters } = parametersOf(example, node) as { filters: { conditions: Condition[] } };
  const valueOf = (value: unknown) =>
    typeof value === 'string' && value.startsWith('=') ? evaluate(value, sight) : value;
  const conditions = filters.conditions.map(({ keyName, condition = 'eq', keyValue }) => ({
    ...{ column: String(valueOf(keyName)), condition: String(valueOf(condition)) },
    value: comparable(valueOf(keyValue)),
  }));
  return rows.filter((row) =>
    conditions.every(({ column, condition, value }) => {
      const is = COMPARISONS[condition];
      if (!is) throw new Error(`No comparison "${condition}".`);
      return is(comparable((row as Record<string, unknown>)[column]), value);
    }),
  );
}

/** The values that a Data Table node writes, by their columns. */
export function writtenBy(example: string, node: string, sight: Sight): Record<string, unknown> {
  const { columns } = parametersOf(example, node) as { columns: { value: object } };
  return Object.fromEntries(
    Object.entries(columns.value).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' && value.startsWith('=') ? evaluate(value, sight) : value,
    ]),
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

const COMPARISONS: Record<string, (a: Value, b: Value) => boolean> = {
  eq: (a, b) => a === b,
  neq: (a, b) => a !== b,
  lt: both((a, b) => a < b),
  lte: both((a, b) => a <= b),
  gt: both((a, b) => a > b),
  gte: both((a, b) => a >= b),
  like: both((a, b) => {
    const parts = String(b).split('%');
    const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
    return new RegExp(`^${pattern}$`).test(String(a));
  }),
  isEmpty: (a) => a === null || a === '',
  isNotEmpty: (a) => a !== null && a !== '',
};
