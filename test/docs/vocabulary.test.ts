import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { VOCABULARY } from './vocabulary';

/** Pages, nodes, templates and desk call a thing by one word. */

const ROOT = path.resolve(__dirname, '../..');

const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file) && !file.includes('node_modules'))
    .map((file) => path.posix.join(folder, file));

const FILES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'desk/README.md',
  'desk/CHANGELOG.md',
  'desk/install.mjs',
  'desk/update.mjs',
  ...filesIn('docs', /\.md$/),
  ...filesIn('examples', /\.md$|src\/.*\.ts$/),
  ...filesIn('credentials', /\.ts$/),
  ...filesIn('nodes', /\.(?:ts|json)$/),
  ...filesIn('desk/src', /\.ts$/),
];

/** The lines that people read, with their numbers: not the comments of code, nor code in a page. */
function linesOf(file: string): [line: string, text: string][] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const blank = (part: string) => part.replace(/[^\n]/g, ' ');
  const read = /\.(?:ts|mjs)$/.test(file)
    ? text.replace(/\/\*[^]*?\*\/|^ *\/\/.*$/gm, blank)
    : text.replace(/^ *```[^]*?^ *```/gm, blank);
  return read.split('\n').map((line, index) => [`${file}:${index + 1}`, line]);
}

const LINES = FILES.flatMap(linesOf);

test.each(VOCABULARY)('$english · $chinese: no other word stands for it', ({ not }) => {
  const found = LINES.flatMap(([where, line]) =>
    not.flatMap((other) => {
      const match = other.exec(line);
      return match
        ? [
            `${where}: ${line
              .slice(Math.max(0, match.index - 30))
              .slice(0, 90)
              .trim()}`,
          ]
        : [];
    }),
  );
  expect(found).toEqual([]);
});

test('the Chinese guide has the list', () => {
  const guide = readFileSync(path.join(ROOT, 'docs/zh-CN/README.md'), 'utf8');
  expect(VOCABULARY.filter(({ chinese }) => !guide.includes(chinese))).toEqual([]);
});
