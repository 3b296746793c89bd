import fs from 'node:fs';
import path from 'node:path';
import { FILES, isInSources, read, ROOT } from './files';
import { blocksOf, codesOf } from './markdown';
import type { Part } from './markdown';

export const SCRIPTS = (JSON.parse(read('package.json')) as { scripts: Record<string, string> })
  .scripts;

/** The lines of code on a page, in blocks and between words. */
export const codeLines = (page: Part): string[] => [
  ...codesOf(page),
  ...blocksOf(page).flatMap((block) => block.replaceAll('\\\n', ' ').split('\n')),
];

/** What a page shows that does not exist: scripts, programs, options, tests, variables. */
export const wrongCommands = (page: Part): string[] =>
  codeLines(page).flatMap((line) => [
    ...named(line, /\bnpm run ([\w:-]+)/g).filter((name) => !(name in SCRIPTS)),
    ...named(line, /\bnpx ([\w@./-]+)/g).filter((name) => !isInstalled(name)),
    ...named(line, /\bnpx jest ([\w./-]+)/g).filter((pattern) => !findsTests(pattern)),
    ...wrongOptions(line),
    ...wrongTests(line),
    ...wrongVariables(line),
  ]);

const named = (line: string, pattern: RegExp) =>
  [...line.matchAll(pattern)].map(([, name = '']) => name);

const isInstalled = (name: string) => fs.existsSync(path.join(ROOT, 'node_modules/.bin', name));

const TESTS = FILES.filter((file) => /^test\/.*\.test\.ts$/.test(file));

/** Whether jest has tests for a path. */
const findsTests = (pattern: string) => TESTS.some((file) => new RegExp(pattern).test(file));

/** The options after ` -- ` that the script's own program does not read. */
function wrongOptions(line: string): string[] {
  const [, script = '', rest = ''] = /\bnpm run ([\w:-]+) -- (.*)/.exec(line) ?? [];
  const [program] = /\btest\/\w+\/main\.ts\b/.exec(SCRIPTS[script] ?? '') ?? [];
  const options = named(rest, /--([\w-]+)/g);
  if (!program) return [];
  const source = read(program);
  // As `parseArgs` of Node.js takes them.
  const isRead = (option: string) => new RegExp(`['\\s]${option}'?: \\{`).test(source);
  return options.filter((option) => !isRead(option));
}

/** The titles of the tests in a file, and of their groups. */
const titlesIn = (file: string) =>
  [...read(file).matchAll(/\b(?:test|describe)[.\w]*\(\s*(['"`])(.*?)\1/g)].map(
    ([, , title = '']) => title,
  );

/** The titles of the tests of each group of the end-to-end suite. */
const groups = new Map(
  FILES.filter((file) => /^test\/e2e\/.*\.spec\.ts$/.test(file)).map(
    (file) => [path.basename(file, '.spec.ts'), titlesIn(file)] as const,
  ),
);

const CONFIGURED = named(
  /const GROUPS = \[([^\]]*)\]/.exec(read('test/e2e/playwright.config.ts'))?.[1] ?? '',
  /'(\w+)'/g,
);

/** The groups and titles that a command chooses from the end-to-end suite in vain. */
function wrongTests(line: string): string[] {
  if (!/\bnpm run e2e\b|^--project\b/.test(line)) return [];
  const projects = named(line, /--project (\w+)/g);
  const chosen = projects.length > 0 ? projects : CONFIGURED;
  const titles = [...groups]
    .filter(([file]) => chosen.includes(file.split('.')[0] ?? ''))
    .flatMap(([, each]) => each);
  const patterns = named(line, /\s-g ('[^']+'|\w+)/g).map((pattern) => pattern.replaceAll("'", ''));
  return [
    ...projects.filter((project) => !CONFIGURED.includes(project)),
    ...patterns.filter((pattern) => !titles.some((title) => new RegExp(pattern).test(title))),
  ];
}

const VARIABLE = /\b((?:E2E|SEARCH|CAMPAIGN|SMS)_[A-Z\d_]+|WRITE_DOCS)\b/g;

/** The variables of this repository that nothing reads. */
const wrongVariables = (line: string) => named(line, VARIABLE).filter((name) => !isInSources(name));
