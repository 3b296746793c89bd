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

/** A table, and its columns. */
const TABLE =
  /CREATE TABLE (?:IF NOT EXISTS )?(sms\.\w+) \(LIKE sms\.every [\w ]+,\n([\s\S]*?)\n\);/g;

const tablesIn = (sql: string) =>
  [...sql.matchAll(TABLE)].map(([, name = '', body = '']) => {
    const added = sql.matchAll(new RegExp(`ALTER TABLE ${name}\\s+(ADD COLUMN [^;]+)`, 'g'));
    return { name, columns: columnsIn([body, ...[...added].map(([, more]) => more)].join('\n')) };
  });

/** The tables, as TypeScript. */
export function declared(): string {
  const sql = codeOf(SCHEMA);
  const lines = tablesIn(sql).map(
    ({ name, columns }) => `  '${name}': ${JSON.stringify(columns)},`,
  );
  const [, version] = /own CONSTANT integer := (\d+);/.exec(sql) ?? [];
  return `/** Written by \`npm run templates\`, from schema.sql. */\nexport const VERSION = ${version};\n\nexport const TABLES = {\n${lines.join('\n')}\n} as const;\n`;
}

if (require.main === module) writeFileSync(path.join(__dirname, 'declared.ts'), declared());
