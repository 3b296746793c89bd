// `node run-sql.mjs <database> <SQL>`: prints the rows as JSON. It runs on n8n's Node.js, which has a driver.
import { DatabaseSync } from 'node:sqlite';

const [file, sql] = process.argv.slice(2);
const database = new DatabaseSync(file, { timeout: 5000 });
console.log(JSON.stringify(database.prepare(sql).all()));
database.close();
