import { filesIn, PAGES, read } from '../kit/files';
import { VOCABULARY } from './vocabulary';

/** Pages, nodes, templates and desk call a thing by one word. */

const FILES = [
  ...[...PAGES, 'SECURITY.md', 'CHANGELOG.md', 'desk/CHANGELOG.md'],
  ...['desk/install.mjs', 'desk/update.mjs'],
  ...filesIn('examples', /src\/.*\.ts$/),
  ...filesIn('credentials', /\.ts$/),
  ...filesIn('nodes', /\.(?:ts|json)$/),
  ...filesIn('desk/src', /\.ts$/),
];

/** The lines that people read, with their numbers: not the comments of code, nor code in a page. */
function linesOf(file: string): [line: string, text: string][] {
  const text = read(file);
  const blank = (part: string) => part.replace(/[^\n]/g, ' ');
  const shown = /\.(?:ts|mjs)$/.test(file)
    ? text.replace(/\/\*[^]*?\*\/|^ *\/\/.*$/gm, blank)
    : text.replace(/^ *```[^]*?^ *```/gm, blank);
  return shown.split('\n').map((line, index) => [`${file}:${index + 1}`, line]);
}

const LINES = FILES.flatMap(linesOf);

test.each(VOCABULARY)('%s · %s: no other word stands for it', (_english, _chinese, ...not) => {
  const found = LINES.flatMap(([where, line]) =>
    not.flatMap((other) => {
      const match = other.exec(line);
      const from = Math.max(0, (match?.index ?? 0) - 30);
      return match ? [`${where}: ${line.slice(from, from + 90).trim()}`] : [];
    }),
  );
  expect(found).toEqual([]);
});

test('the Chinese guide has the list', () => {
  const guide = read('docs/zh-CN/README.md');
  expect(VOCABULARY.filter(([, chinese]) => !guide.includes(chinese))).toEqual([]);
});
