import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The files of the repository, by their paths from its root. */

export const fileOf = (name: string) => path.resolve(__dirname, '../..', name);

export const read = (name: string) => readFileSync(fileOf(name), 'utf8');

/** The files below a folder whose paths match. */
export const filesIn = (folder: string, wanted: RegExp) =>
  readdirSync(fileOf(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => wanted.test(file) && !file.includes('node_modules'))
    .map((file) => path.posix.join(folder, file));

/** The pages that users read. */
export const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'desk/README.md', 'examples/README.md'],
  ...filesIn('docs', /\.md$/),
];
