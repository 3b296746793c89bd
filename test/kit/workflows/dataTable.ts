type Row = Record<string, unknown>;

interface Condition {
  keyName: string;
  condition?: string;
  keyValue?: unknown;
}

/** What a Data Table node is to do, with its expressions evaluated. */
export interface Task {
  operation?: unknown;
  matchType?: unknown;
  conditions: Condition[];
  /** What it writes, and what n8n adds to a new row, or to one that it changes. */
  values: () => object;
  added?: object;
  changed?: object;
}

/** The rows that the conditions find, as n8n compares them. */
function found<Each extends object>(rows: readonly Each[], { conditions, matchType }: Task) {
  const tests = conditions.map(({ keyName, condition = 'eq', keyValue }) => {
    const is = COMPARISONS[condition];
    if (!is) throw new Error(`No comparison "${condition}".`);
    const value = comparable(keyValue);
    return (row: Each) => is(comparable((row as Row)[keyName]), value);
  });
  const isAny = matchType === 'anyCondition' && tests.length > 0;
  return rows.filter((row) => tests[isAny ? 'some' : 'every']((each) => each(row)));
}

/** Does to a table what a Data Table node does for an item, and gives back what it puts out. */
export function act<Each extends Row>(table: Each[], task: Task, item = {} as Each): Each[] {
  const { operation } = task;
  const rows = operation === 'insert' ? [] : found(table, task);
  switch (operation) {
    case 'rowExists':
      return rows.length > 0 ? [item] : [];
    case 'rowNotExists':
      return rows.length > 0 ? [] : [item];
    case 'deleteRows':
      table.splice(0, table.length, ...table.filter((row) => !rows.includes(row)));
      return rows;
    case 'update':
    case 'upsert':
    case 'insert': {
      if (operation !== 'update' && rows.length === 0) {
        const row = { ...task.values(), id: Number(table.at(-1)?.id ?? 0) + 1, ...task.added };
        table.push(row as object as Each);
        return [{ ...row } as object as Each];
      }
      const values = rows.length > 0 && task.values();
      return rows.map((row) => ({ ...Object.assign(row, values, task.changed) }));
    }
    default:
      // What changes later, was not read so.
      return rows.map((row) => ({ ...row }));
  }
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
    return new RegExp(`^${pattern}$`, `${flags}s`).test(String(a));
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
