import { filesIn, read } from '../kit/files';

/** Each guess in docs/reference/not-shown.md has an ID. A test that holds it has that ID in a comment. */

const found = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, id = '']) => id);

const page = read('docs/reference/not-shown.md');
const rows = page.split('\n').filter((line) => /^\| (?!Not shown |---)/.test(line));
const ids = found(page, /<a id="([\w-]+)">/g);

const held = ['test/engine', 'test/sandbox']
  .flatMap((folder) => filesIn(folder, /\.ts$/))
  .flatMap((file) => found(read(file), /\/\/ Guess: (.+)/g))
  .flatMap((list) => list.split(', '));

test('every guess has a test, and every test of a guess its row', () => {
  expect([...new Set(held)].sort()).toEqual([...ids].sort());
});

test('every row has an ID of its own', () => {
  expect(rows.filter((row) => !row.startsWith('| <a id="'))).toEqual([]);
  expect(new Set(ids).size).toBe(rows.length);
});
