// `node insert-rows.mjs <database> <rows as JSON: [[table, {column: value}], ...]>`: runs on n8n's own
// Node.js, which has SQLite built in; the one this repository runs on may not.
import { DatabaseSync } from 'node:sqlite';

const [file, rows] = process.argv.slice(2);
const database = new DatabaseSync(file, { timeout: 5000 });
for (const [table, row] of JSON.parse(rows)) {
  const columns = Object.keys(row);
  const places = columns.map(() => '?');
  database
    .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`)
    .run(...Object.values(row));
}
database.close();
