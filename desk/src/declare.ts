/** `npm run templates`: writes down for TypeScript what schema.sql declares of tables. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FILE = path.join(__dirname, '../schema.sql');

/** The types of columns, as statements and TypeScript need them. */
const TYPES: Record<string, string> = {
  text: 'string',
  integer: 'number',
  double: 'number',
  boolean: 'boolean',
  timestamptz: 'date',
};

/** What every table has. */
const SYSTEM = ['id', 'createdAt', 'updatedAt'];

/** The schema as it is posted. */
export const SCHEMA = readFileSync(FILE, 'utf8');

const codeOf = (sql: string) => sql.replace(/--.*$/gm, '');

/** The names and types of columns, as a table declares them. */
function columnsIn(body: string): Record<string, string> {
  const found = [...body.matchAll(/"?(\w+)"? (text|integer|double|boolean|timestamptz)\b/g)];
  return Object.fromEntries(
    found
      .filter(([, name = '']) => !SYSTEM.includes(name))
      .map(([, name = '', type = '']) => [name, TYPES[type] ?? '']),
  );
}

/** The plain columns of indexes. */
const indexesIn = (sql: string, table: string, kind: string): string[][] =>
  [...sql.matchAll(new RegExp(`${kind} INDEX [\\w ]+ON ${table}\\s+\\(([^;]*)\\)`, 'g'))].map(
    ([, keys = '']) =>
      keys
        .split(',')
        .map((key) => key.trim())
        .filter((key) => /^\w+$/.test(key)),
  );

/** Each table: its columns, those by which its rows are upserted, and the indexes that end with the ID. */
const tablesIn = (sql: string) =>
  [...sql.matchAll(/CREATE TABLE IF NOT EXISTS (sms\.\w+) \(\n([\s\S]*?)\n\);/g)].map(
    ([, name = '', body = '']) => {
      const added = sql.matchAll(new RegExp(`ALTER TABLE ${name}\\s+(ADD COLUMN [^;]+)`, 'g'));
      const columns = columnsIn([body, ...[...added].map(([, more]) => more)].join('\n'));
      const [key = []] = indexesIn(sql, name, 'UNIQUE');
      const byId = indexesIn(sql, name, 'CREATE').filter((keys) => keys.at(-1) === 'id');
      return { name, columns, key, byId: byId.map((keys) => keys.slice(0, -1)) };
    },
  );

/** A view that adds a text to each row of a table. */
const VIEW = /CREATE VIEW (sms\.\w+) AS SELECT m\.\*, .* AS (\w+)\nFROM (sms\.\w+) AS m;/g;

/** The tables and the views, as TypeScript. */
export function declared(): string {
  const sql = codeOf(SCHEMA);
  const tables = tablesIn(sql);
  const views = [...sql.matchAll(VIEW)].flatMap(([, name = '', more = '', from = '']) =>
    tables
      .filter((table) => table.name === from)
      .map((table) => ({ ...table, name, columns: { ...table.columns, [more]: 'string' } })),
  );
  const lines = [...tables, ...views].map(
    ({ name, ...table }) => `  '${name}': ${JSON.stringify(table)},`,
  );
  const [, version] = /own CONSTANT integer := (\d+);/.exec(sql) ?? [];
  return `/** Written by \`npm run templates\`, from schema.sql. */\nexport const VERSION = ${version};\n\nexport const TABLES = {\n${lines.join('\n')}\n} as const;\n`;
}

if (require.main === module) writeFileSync(path.join(__dirname, 'declared.ts'), declared());
