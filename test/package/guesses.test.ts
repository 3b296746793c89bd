import fs from 'node:fs';
import path from 'node:path';

/** Each guess in docs/reference/not-shown.md has an ID. A test that holds it has that ID in a comment. */

const ROOT = path.resolve(__dirname, '../..');
const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');
const found = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, id = '']) => id);

const page = read('docs/reference/not-shown.md');
const rows = page.split('\n').filter((line) => /^\| (?!Not shown |---)/.test(line));
const ids = found(page, /<a id="([\w-]+)">/g);

const held = ['test/engine', 'test/sandbox']
  .flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => found(read(path.join(folder, file)), /\/\/ Guess: (.+)/g)),
  )
  .flatMap((list) => list.split(', '));

test('every guess has a test, and every test of a guess its row', () => {
  expect([...new Set(held)].sort()).toEqual([...ids].sort());
});

test('every row has an ID of its own', () => {
  expect(rows.filter((row) => !row.startsWith('| <a id="'))).toEqual([]);
  expect(new Set(ids).size).toBe(rows.length);
});
