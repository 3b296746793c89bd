// `node insert-rows.mjs <database> <rows as JSON: [[table, {column: value}], ...]>`. It runs on n8n's
// Node.js, because that has SQLite built in. The Node.js of this repository may have none.
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
