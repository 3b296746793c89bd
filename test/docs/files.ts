import fs from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(__dirname, '../..');

export const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** Names of files and folders that git ignores, wherever they are. `npm test` runs without git too. */
const IGNORED = new Set([
  '.git',
  ...read('.gitignore')
    .split('\n')
    .map((line) => line.replaceAll('/', '')),
]);

/** The files of the repository, also new ones, so that a page can be checked while it is written. */
export const FILES = filesIn('');

function filesIn(folder: string): string[] {
  return fs
    .readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !IGNORED.has(name) && !name.endsWith('.tgz'))
    .flatMap((entry) => {
      const file = path.posix.join(folder, entry.name);
      return entry.isDirectory() ? filesIn(file) : [file];
    });
}

/** The example workflows. */
export const EXAMPLES = FILES.filter((file) => /^examples\/[\w-]+\.json$/.test(file));

/** Whether the repository has this file, or a file in this folder. */
export const exists = (file: string) =>
  FILES.some((each) => each === file || each.startsWith(`${file.replace(/\/$/, '')}/`));

/** The text of all that is no page, and no check of one. */
const SOURCES = FILES.filter((file) => /\.([cm]?[jt]s|json|ya?ml)$|^\.ci\//.test(file))
  .filter((file) => !file.startsWith('test/docs/') && !file.endsWith('package-lock.json'))
  .map(read)
  .join('\n');

/** Whether a file other than a page has this name. */
export const isInSources = (name: string) => new RegExp(`\\b${name}\\b`).test(SOURCES);
