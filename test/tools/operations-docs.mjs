// `npm run docs`: writes docs/operations.md, the reference of all operations, of every text in the
// editor and of every output. With `--check`: writes nothing, exits with code 1 if the file is outdated.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './operationsDocs/package.mjs';
import { pageText } from './operationsDocs/page.mjs';

const FILE = path.join(ROOT, 'docs/operations.md');

const text = await pageText();
if (process.argv.includes('--check')) {
  const isCurrent = fs.existsSync(FILE) && fs.readFileSync(FILE, 'utf8') === text;
  if (!isCurrent) console.error('docs/operations.md is not up to date: run `npm run docs`.');
  process.exitCode = isCurrent ? 0 : 1;
} else {
  fs.writeFileSync(FILE, text);
}
