import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  action,
  credential,
  flatten,
  listsIn,
  modesIn,
  optionsOf,
  trigger,
} from '../kit/engine/descriptions';
import { fileOf, filesIn, PAGES, read } from '../kit/files';

/** What the pages promise and no tool checks: that what they name is there under this name. */

/** Pages with words of the service, of the work on the package, or of the code. */
const OTHERS = /^CONTRIBUTING|figures\.md$/;

/** Not those of the end-to-end suite: the n8n in it has more files than everything else. */
const TESTS = readdirSync(fileOf('test'))
  .filter((folder) => !folder.includes('.') && folder !== 'e2e')
  .map((folder) => `test/${folder}`)
  .concat('desk/test')
  .flatMap((folder) => filesIn(folder, /\.test\.ts$/))
  .join('\n');

/** What the first group of a pattern finds in a page, each once. */
const found = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];

test.each(PAGES)('%s shows commands that exist', (page) => {
  const text = read(page);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const wrong = [
    ...found(text, /\bnpm run ([\w:-]+)/g).filter((name) => !(name in scripts)),
    ...found(text, /\bnpx jest ([\w./-]+)/g).filter((name) => !TESTS.includes(name)),
    ...found(text, /--project (\w+)/g).filter(
      (name) => !read('test/e2e/groups.ts').includes(`'${name}'`),
    ),
  ];
  expect(wrong).toEqual([]);
});

test.each(PAGES.filter((page) => !OTHERS.test(page)))(
  '%s names in bold what the editor shows',
  (page) => {
    const wrong = found(read(page), /\*\*([^*\n]+)\*\*/g)
      .flatMap((label) => label.split(' → '))
      .filter((label) => LOOKS_LIKE_LABEL.test(label) && !LABELS.has(label));
    expect(wrong).toEqual([]);
  },
);

/** A heading inside a paragraph ends with a full stop, and a sentence is longer. */
const LOOKS_LIKE_LABEL = /^[A-Z][\w-]*(?: [\w()-]+){0,4}$/;

const NODES = [action.description, trigger.description];
const FIELDS = flatten([...NODES, credential].flatMap(({ properties }) => properties));
const CHOICES = listsIn(FIELDS).flatMap(optionsOf);

/** What n8n itself shows, in the words of n8n 2.40. */
const OF_N8N =
  'Actions, Community nodes, Execute step, Execute Sub-workflow, Fetch Test Event, Import, From file, HTTP Request, Human review, Install, On Error, Migration report, Publish, Refresh Parameter List, Retry On Fail, Settings, Tool';

const LABELS = new Set([
  ...[...NODES, credential, ...FIELDS].map(({ displayName }) => displayName),
  ...CHOICES.flatMap(({ name, action: label }) => [name, label, `On ${name.toLowerCase()}`]),
  ...modesIn(FIELDS).map(({ displayName }) => displayName),
  ...OF_N8N.split(', '),
]);

/** Under Troubleshooting, the code that begins an item. */
const errorsIn = (guide: string) =>
  found(read(guide).split(/^## (?:Troubleshooting|故障排除)$/m)[1] ?? '', /^- `([^`]+)`/gm);

/** The text of the product, with the second one of two words where it chooses. */
const SOURCE = filesIn('nodes', /\.ts$/)
  .map(read)
  .join('\n')
  .replaceAll("\\'", "'")
  .replaceAll(/\$\{[^{}]*\? '[^']*' : '([^']*)'\}/g, '$1');

/** Where the Chinese page beside an English one is, if there is one. */
const chineseOf = (page: string) =>
  page
    .replace(/^docs\/(?=(?:use|run)\/)/, 'docs/zh-CN/')
    .replace(/^README/, 'docs/zh-CN/README')
    .replace('examples/README', 'docs/zh-CN/templates')
    .replace('desk/README', 'docs/zh-CN/desk');

const PAIRS = PAGES.map((page) => [page, chineseOf(page)] as const).filter(
  ([page, chinese]) => chinese !== page && existsSync(fileOf(chinese)),
);

/** Labels of the editor, columns of tables, options of commands, environment variables and limits that a page names. */
const settingsIn = (page: string) => [
  ...found(read(page), /[*_]([^*_\n]+)[*_]/g)
    .flatMap((label) => label.split(' → '))
    .filter((label) => LABELS.has(label)),
  ...found(read(page), /\b([A-Z][A-Z\d]*_[A-Z\d_]+)\b/g),
  ...found(read(page), /`([a-z]+(?:_[a-z]+)+|--[a-z-]+)/g),
  ...found(read(page), /(<!-- \w+ -->)/g),
];

test.each(PAIRS)('%s and %s name the same settings, limits and errors', (page, chinese) => {
  expect(settingsIn(page).filter((name) => !read(chinese).includes(name))).toEqual([]);
  expect(errorsIn(chinese)).toEqual(errorsIn(page));
});

test.each(errorsIn('README.md'))('the nodes make the error %s', (quoted) => {
  expect(found(quoted, /'([^'…]+)'/g).filter((label) => !LABELS.has(label))).toEqual([]);
  // What is known only when the code runs is left out on the page, and a label is a value.
  const parts = quoted.split(/…|"|'[^']+'/).filter(Boolean);
  expect(parts.filter((part) => !SOURCE.includes(part))).toEqual([]);
});

test('desk/README.md leads to every workflow of the desk', () => {
  const files = filesIn('desk/workflows', /\.json$/)
    .filter((file) => !file.includes('/postgres/'))
    .map((file) => file.replace('desk/', ''));
  expect(files.filter((file) => !read('desk/README.md').includes(`(${file})`))).toEqual([]);
});

/** Pages that a page leads to, as paths from the root. */
const linkedFrom = (page: string) =>
  found(read(page), /\]\(([^)#\s]+\.md)/g).map((link) =>
    path.posix.join(path.posix.dirname(page), link),
  );

test('a page leads to every page', () => {
  const linked = new Set(
    PAGES.flatMap((page) => linkedFrom(page).filter((target) => target !== page)),
  );
  expect(PAGES.filter((page) => page !== 'README.md' && !linked.has(page))).toEqual([]);
});

const HASH = /\b([\da-f]{64})\b/g;

test.each(['docs/run/provider.md', 'docs/zh-CN/run/provider.md'])(
  '%s shows request signatures that are tested, and commands that give them',
  (name) => {
    const page = read(name);
    const shown = found(page, HASH);
    const tested = read('test/engine/service/signing.test.ts');
    expect(shown.filter((hash) => !tested.includes(hash))).toEqual([]);
    const commands = found(page, /^ *(printf '.*' '.*' \| (?:sha256sum|openssl dgst .*))$/gm);
    expect(commands).toHaveLength(2);
    const given = commands.map((command) =>
      execFileSync('bash', ['-c', command], { encoding: 'utf8' }),
    );
    expect(found(given.join(), HASH)).toEqual(shown);
  },
);
